import { argument, type Check, capability, object, optional } from '../../core/base/argument.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import type { HDAccount, WatchAccount } from '../../core/crypto/hd/account.ts'
import { pathNumber } from '../../core/crypto/hd/path.ts'
import { publicKeysArgument } from '../../core/sign/arguments.ts'
import { cChain as cDescription } from '../../core/sign/chains/c.ts'
import { pChain as pDescription } from '../../core/sign/chains/p.ts'
import { registerChain } from '../../core/sign/registry.ts'
import type { CChainClient } from '../../node/c-chain-client.ts'
import { systemClock } from '../../node/clock.ts'
import type { PChainClient } from '../../node/p-chain-client.ts'
import { OtherView } from '../../node/view/other-view.ts'
import { defaultQuorum } from '../../node/view/view.ts'
import { cAccountOf } from '../accounts/c-account.ts'
import { accountArgument } from '../accounts/options.ts'
import { walletKeys } from '../accounts/wallet-keys.ts'
import { type WalletOptions, walletMembers } from '../options.ts'
import { isMove } from '../ports.ts'
import { serverCount } from '../quorum.ts'
import { assembleWallet } from '../wallet.ts'
import type { Wallet } from '../wallet-type.ts'
import { cSide } from './c-side.ts'
import { decideMove } from './decide.ts'
import { Mover } from './mover.ts'
import { pSide } from './p-side.ts'
import { cPort, pPort } from './ports.ts'
import { listOthers } from './reading/list-others.ts'
import { readWaiting } from './reading/waiting.ts'
import { moveRecord } from './record.ts'
import type { MoveChain } from './side.ts'
import { LegSigning, type SigningOptions } from './signing.ts'
import {
  confirmMove,
  type ImportStrayCall,
  importStrayCall,
  type MoveCall,
  type MoveOptions,
  type MoveQuote,
  type MoveReceipt,
  type MoveRecord,
  moveCall,
  moveOptions,
  type StrayResult,
} from './types.ts'
import { xSide } from './x-side.ts'

/** Options of `createCrossChainWallet`. */
export type CrossChainWalletOptions = WalletOptions &
  SigningOptions & {
    readonly pChain: PChainClient
    readonly cChain: CChainClient
    /**
     * The HD account whose receiving key `…/0/0` owns the wallet's account on the C-Chain: with `coinType: 60`, the first
     * account that EVM wallets show for the same mnemonic; with `account: a` besides, account `a` of Ledger Live.
     *
     * @defaultValue `account`
     */
    readonly cAccount?: HDAccount | WatchAccount | undefined
    /**
     * Index `i` of that key: `…/0/i`. The further accounts of EVM wallets are `m/44'/60'/0'/0/i`.
     *
     * @defaultValue 0
     */
    readonly cIndex?: number | undefined
    /**
     * Called before a move or an import of stray UTXOs is signed; `confirm` of a call replaces it. Required if
     * `confirm` is given.
     */
    readonly confirmMove?: MoveOptions['confirm'] | undefined
  }

const crossChainWalletOptions: Check<CrossChainWalletOptions> = object<CrossChainWalletOptions>({
  ...walletMembers,
  publicKeys: publicKeysArgument,
  pChain: capability<PChainClient>('a client of the P-Chain', 'servers'),
  cChain: capability<CChainClient>('a client of the C-Chain', 'servers'),
  cAccount: optional(accountArgument),
  cIndex: optional(pathNumber),
  confirmMove,
})

/** A wallet that also moves funds between the X-, P- and C-Chain. */
export type CrossChainWallet = Wallet & {
  /**
   * The wallet's account on the C-Chain, 20 bytes.
   *
   * @throws WalletError `NO_ADDRESSES` if the wallet has no public key
   */
  readonly account: () => Uint8Array
  /** Fees, amounts and explanations of both transactions of a move. Nothing is signed or reserved. */
  readonly quoteMove: (call: MoveCall, options?: MoveOptions) => Promise<MoveQuote>
  /**
   * Moves funds from one chain to another: exports, waits until the exported UTXOs can be imported, and imports exactly
   * those. Both transactions are recorded in the store before they are issued. A call with the same key, or
   * `resume`, in any process with the same store, continues where the move stopped, and never moves twice.
   *
   * @throws MoveError `TX_PENDING` if the export has not been accepted in time, `MOVE_UNFINISHED` if the import has
   * not; `move` of the error describes where the funds are and what is needed
   * @throws WalletError `NOT_CONFIRMED`, `PAYMENT_REJECTED`, `PAYMENT_CANCELED`, `BAD_KEY`
   * @throws StoreError `KEY_CONFLICT` if the key belongs to a payment with other content
   */
  readonly move: (call: MoveCall, options?: MoveOptions) => Promise<MoveReceipt>
  /** Unfinished moves of the store. Their stages are updated from the chains first, as far as the nodes answer. */
  readonly moves: () => Promise<MoveRecord[]>
  /**
   * Imports UTXOs that were exported to the wallet and that no move of the store imports.
   *
   * @throws WalletError `NOT_CONFIRMED` unless every import is confirmed; then none is signed
   * @throws StrayError `BATCH_UNFINISHED` if a transaction fails after others were accepted
   */
  readonly importStray: (call: ImportStrayCall, options?: MoveOptions) => Promise<StrayResult>
}

/** Time limit of `moves` for the requests about each move. */
const QUERY_TIMEOUT_MS = 5_000

/**
 * Creates a wallet for the X-, P- and C-Chain.
 *
 * @throws ArgumentError `ENC_INVALID` if a client has fewer servers than `quorum`, or for another invalid option
 *
 * @example
 * const wallet = createCrossChainWallet({
 *   client, pChain: createPChainClient({ url }), cChain: createCChainClient({ url }),
 *   keys, store: fileStore('payments.journal'),
 * })
 * await wallet.move({ from: 'C', to: 'X', amount: parseAmount('1.5') }, { key: 'refill 17' })
 */
export function createCrossChainWallet(options: CrossChainWalletOptions): CrossChainWallet {
  const name = 'createCrossChainWallet'
  const given = argument(name, options, crossChainWalletOptions)
  const { cAccount = given.account, cIndex } = given
  const resolved = walletKeys(name, given, { cAccount: given.cAccount, cIndex })
  const checked = resolved.options
  const { keys, quorum, clock = systemClock } = checked
  registerChain(pDescription)
  registerChain(cDescription)
  const pServers = serverCount(name, checked.pChain, 'pChain')
  const cServers = serverCount(name, checked.cChain, 'cChain')
  requireServers('P', pServers, quorum)
  requireServers('C', cServers, quorum)
  const pChain = new OtherView(checked.pChain, quorum ?? defaultQuorum(pServers), clock)
  const cChain = new OtherView(checked.cChain, quorum ?? defaultQuorum(cServers), clock)
  const parts = assembleWallet(name, resolved, {
    P: pPort(pChain, keys),
    C: cPort(cChain),
    decideMove,
    listOthers: listOthers(pChain, cChain),
    waiting: (context, call) => {
      const [account] = signing.accounts
      const limits = { ...call, totalMs: call.totalMs ?? QUERY_TIMEOUT_MS }
      return readWaiting({ own: resolved.own, sides, pChain, cChain, account }, context, limits)
    },
  })
  const { wallet, state, engine } = parts
  // An account without private keys has no keys that would name its account.
  const ofAccount = keys === undefined && cAccount ? [cAccountOf(cAccount, cIndex).publicKey] : []
  const publicKeys = [...(checked.publicKeys ?? []), ...ofAccount]
  const signing = new LegSigning({ ...checked, publicKeys }, state.own, () => state.backend())
  const sides = {
    X: xSide(state, engine),
    P: pSide(state, pChain, signing),
    C: cSide(state, cChain, signing),
  }
  const mover = new Mover({ state, engine, sides }, signing, checked.confirmMove)
  engine.completeMove = (group, run) => mover.complete(group, run)
  return {
    ...wallet,
    account: () => signing.account(),
    quoteMove: async (call, run) =>
      mover.quote(argument('quoteMove', call, moveCall), argument('quoteMove', run, moveOptions)),
    move: async (call, run) =>
      mover.move(argument('move', call, moveCall), argument('move', run, moveOptions)),
    moves: async () => {
      const context = await state.openPayments(state.call({}))
      await state.readStore()
      const { pending } = state
      const moves = () => pending.claims.groups().filter(({ attempts }) => isMove(attempts))
      const unsettled = moves().map(({ attempts }) => attempts)
      await Promise.all(
        unsettled.map((attempts) =>
          // If a node cannot be reached, the stage in the store is reported.
          state.outcomes.queryAttempts(attempts, { totalMs: QUERY_TIMEOUT_MS }).catch(() => {}),
        ),
      )
      return Promise.all(
        moves().map((group) => {
          const exported = pending.exportOf(group)
          return moveRecord({ ...group, exported, error: undefined }, sides, context)
        }),
      )
    },
    importStray: async (call, run) =>
      mover.importStray(
        argument('importStray', call, importStrayCall),
        argument('importStray', run, moveOptions),
      ),
  }
}

/** Rejects a quorum that the servers of a chain cannot reach: no transaction of the chain would ever be accepted. */
function requireServers(chain: MoveChain, count: number, quorum = 1): void {
  if (count < quorum)
    throw new ArgumentError(
      'ENC_INVALID',
      `quorum ${quorum} needs ${quorum} servers, the client of the ${chain}-Chain has ${count}`,
    )
}
