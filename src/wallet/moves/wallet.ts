import { EncodingError } from '../../core/base/errors.ts'
import { requireFields } from '../../core/base/require.ts'
import type { CChainClient } from '../../node/c-chain-client.ts'
import type { PChainClient } from '../../node/p-chain-client.ts'
import type { WalletOptions } from '../options.ts'
import { copyOf, optionsOf } from '../snapshot.ts'
import { assembleWallet, type Wallet } from '../wallet.ts'
import { cSide } from './c-side.ts'
import { decideMove } from './decide.ts'
import { Mover } from './mover.ts'
import { pSide } from './p-side.ts'
import { cPort, pPort } from './ports.ts'
import { moveRecord } from './record.ts'
import type { MoveChain } from './side.ts'
import { LegSigning, type SigningOptions } from './signing.ts'
import type {
  ImportStrayCall,
  MoveCall,
  MoveOptions,
  MoveQuote,
  MoveReceipt,
  MoveRecord,
  StrayResult,
} from './types.ts'
import { xSide } from './x-side.ts'

/** Options of `createCrossChainWallet`. */
export type CrossChainWalletOptions = Omit<WalletOptions, 'keys'> &
  SigningOptions & {
    readonly pChain: PChainClient
    readonly cChain: CChainClient
    /**
     * Called before a move or an import of stray UTXOs is signed; `confirm` of a call replaces it. Required if
     * `confirm` is given.
     */
    readonly confirmMove?: MoveOptions['confirm'] | undefined
  }

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
   */
  readonly importStray: (call: ImportStrayCall, options?: MoveOptions) => Promise<StrayResult>
}

/** Time limit of `moves` for the requests about each move. */
const QUERY_TIMEOUT_MS = 5_000

/**
 * Creates a wallet for the X-, P- and C-Chain.
 *
 * @throws EncodingError `ENC_INVALID` if a client has fewer servers than `quorum`, or for another invalid option
 *
 * @example
 * const wallet = createCrossChainWallet({
 *   client, pChain: createPChainClient({ url }), cChain: createCChainClient({ url }),
 *   keys, store: fileStore('payments.journal'),
 * })
 * await wallet.move({ from: 'C', to: 'X', amount: parseAmount('1.5') }, { key: 'refill 17' })
 */
export function createCrossChainWallet(options: CrossChainWalletOptions): CrossChainWallet {
  requireFields(options, 'options', ['client', 'pChain', 'cChain'])
  const { pChain, cChain, confirmMove, keys } = options
  const parts = assembleWallet(options, {
    P: pPort(pChain, keys),
    C: cPort(cChain),
    decideMove,
  })
  const { wallet, state, engine } = parts
  requireServers('P', pChain, state.quorum)
  requireServers('C', cChain, state.quorum)
  const signing = new LegSigning(options, state.addresses, () => state.backend())
  const sides = {
    X: xSide(state, engine),
    P: pSide(state, pChain, signing),
    C: cSide(state, cChain, signing),
  }
  const mover = new Mover({ state, engine, sides }, signing, confirmMove)
  engine.completeMove = (group, run) => mover.complete(group, run)
  return {
    ...wallet,
    account: () => signing.account(),
    quoteMove: async (call, run) => mover.quote(copyOf(call), optionsOf(run)),
    move: async (call, run) => mover.move(copyOf(call), optionsOf(run)),
    moves: async () => {
      const context = await state.open(state.call({}))
      await state.readStore()
      const groups = state.pending.groups.filter(({ attempts }) => attempts[0]?.leg)
      await Promise.all(
        groups.map((group) =>
          // If a node cannot be reached, the stage in the store is reported.
          state.outcomes.queryAttempts(group, { totalMs: QUERY_TIMEOUT_MS }).catch(() => {}),
        ),
      )
      return Promise.all(
        groups
          .filter(({ outcome }) => outcome === undefined)
          .map((group) => moveRecord(group, sides, context)),
      )
    },
    importStray: async (call, run) => mover.importStray(copyOf(call), optionsOf(run)),
  }
}

/** Rejects a quorum that the servers of a chain cannot reach: no transaction of the chain would ever be accepted. */
function requireServers(
  chain: MoveChain,
  { servers }: Pick<PChainClient | CChainClient, 'servers'>,
  quorum: number,
): void {
  const { length } = servers()
  if (length < quorum)
    throw new EncodingError(
      'ENC_INVALID',
      `quorum ${quorum} needs ${quorum} servers, the client of the ${chain}-Chain has ${length}`,
    )
}
