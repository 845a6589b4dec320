import { hex } from '../../core/base/encoding/hex.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import { formatEVMAddress } from '../../core/chain/c/evm-address.ts'
import { feeOf, WEI_PER_NAVAX } from '../../core/chain/c/gas.ts'
import { exportedUTXOs } from '../../core/chain/c/ids.ts'
import { decodeTx, type ExportTx, type UnsignedTx } from '../../core/chain/c/tx.ts'
import { burnedBy } from '../../core/chain/c/verify.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { encodeUTXO } from '../../core/chain/x/utxo.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { IDArgument } from '../../core/draft/arguments.ts'
import type { Draft } from '../../core/draft/c/draft.ts'
import { buildExport, buildExportAll } from '../../core/draft/c/export.ts'
import { buildImport, planImport } from '../../core/draft/c/import.ts'
import { requireSigned } from '../../core/sign/job.ts'
import type { CChainClient } from '../../node/c-chain-client.ts'
import { sleepFor, stopwatch } from '../../node/clock.ts'
import type { CallOptions } from '../../node/http.ts'
import { agreedAccount, agreedBaseFee } from '../../node/view/other-reads.ts'
import type { OtherView } from '../../node/view/other-view.ts'
import { valuesOf } from '../../node/view/panel.ts'
import { listOwn } from '../accounts/list-own.ts'
import type { Attempt } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import { isClaimed } from './decide.ts'
import { findNonceUse } from './nonce-use.ts'
import {
  type ExportOrder,
  firstExport,
  importedIn,
  type LegDraft,
  listsAll,
  NO_HEIGHT,
  type Side,
  type SideCall,
  transferable,
  transferablesIn,
} from './side.ts'
import type { LegSigning } from './signing.ts'

const NONCE_POLL_MS = 500

/** Time in which a node that is behind catches up. A nonce that no server has reported again by then was wrong. */
const MAX_LAG_MS = 60_000

/** The C-Chain. Exports debit the wallet's account. */
export function cSide(
  state: WalletState,
  chain: OtherView<CChainClient>,
  signing: LegSigning,
): Side {
  const { own, clock } = state
  /**
   * The highest nonce that was reported, and the time since then. A lower one comes from a node that is behind: an
   * export with it would never be accepted.
   */
  let highest = { nonce: 0n, age: stopwatch(clock) }
  const toLegDraft = (draft: Draft, price: bigint): LegDraft => {
    const { unsignedTx, fee } = draft
    return {
      fee,
      price,
      inputs: inputIDsOf(unsignedTx),
      exported:
        unsignedTx.type === 'ExportTx'
          ? unsignedTx.exportedOutputs.map(({ assetID, output: { amount } }) => ({
              assetID,
              amount,
            }))
          : [],
      leftBehind: 0n,
      arrives: paidBy(unsignedTx),
      explanation: signing.explain(draft, price),
      fromHeight: NO_HEIGHT,
      sign: async () => requireSigned(await signing.sign(draft)).bytes,
      release: () => {},
    }
  }
  /** The base fee in wei, with a margin of a quarter, because it may rise before the transaction is accepted. */
  const baseFee = async (call: CallOptions) => {
    const current = await agreedBaseFee(chain, call)
    return current + (current + 3n) / 4n
  }
  const listUTXOs = (sourceChain: IDArgument, call: CallOptions) =>
    listOwn(
      own,
      (addresses) =>
        chain.utxos(
          (server, limits) => server.utxoPages({ addresses, sourceChain, ...limits }),
          encodeUTXO,
          call,
        ),
      ({ utxos }) => utxos.flatMap(({ output }) => output.addresses),
    )
  /**
   * The highest nonce and balance that at least `quorum` servers have reached. All servers are asked, also with a quorum
   * of 1: those that are behind or do not answer do not lower the nonce.
   */
  const readAccount = async (call: CallOptions, address: Uint8Array) => {
    const { answers, errors } = await chain.askEvery(
      'account',
      (server, limits) => server.account(address, limits),
      call,
    )
    const all = valuesOf(answers)
    if (all.length < chain.quorum) throw chain.tooFew('account', answers.length, errors)
    return { address, ...agreedAccount(all, chain.quorum) }
  }
  /** Waits until no other pending export uses the next nonce of the account. */
  const freeAccount = async (call: SideCall) => {
    const passed = stopwatch(clock)
    for (;;) {
      const account = await readAccount(call, signing.account())
      const { nonce } = account
      if (nonce >= highest.nonce || highest.age() >= MAX_LAG_MS)
        highest = { nonce, age: stopwatch(clock) }
      const isFree =
        nonce === highest.nonce && !isClaimed(state.pending, accountInput(signing.account(), nonce))
      if (isFree) return account
      if (passed() >= call.totalMs)
        throw new FundsError('UTXO_RESERVED', `a pending export uses nonce ${nonce} of the account`)
      await sleepFor(clock, NONCE_POLL_MS, 'wallet', call.signal)
    }
  }
  return {
    async draftExport(order, call, replaced) {
      const context = await state.context(call)
      const used = usedAccount(replaced)
      const account =
        used === undefined
          ? await freeAccount(call)
          : { ...(await readAccount(call, used.address)), ...used }
      const price = await baseFee(call)
      return toLegDraft(exportDraft(order, { context, account, baseFee: price }, used), price)
    },
    async draftImport({ sourceChain, utxos, recipient: to, maxFee }, call) {
      const context = await state.context(call)
      const funds = { utxos, owners: own.list, now: state.now() }
      const price = await baseFee(call)
      const options = { context, funds, sourceChain, to, maxFee, baseFee: price }
      return toLegDraft(buildImport(options), price)
    },
    async planImports({ sourceChain, utxos, recipient: to, maxFee }, call) {
      const price = await baseFee(call)
      const { drafts, leftBehind } = planImport({
        context: await state.context(call),
        funds: { utxos, owners: own.list, now: state.now() },
        sourceChain,
        to,
        maxFee,
        baseFee: price,
      })
      return { drafts: Array.from(drafts(), (draft) => toLegDraft(draft, price)), leftBehind }
    },
    exportedBy: (bytes) => exportedUTXOs(decodeTx(bytes)).flatMap(transferable),
    importedBy: (bytes) => importedIn(decodeTx(bytes)),
    paidBy: (bytes) => paidBy(decodeTx(bytes).unsignedTx),
    atomicUTXOs: async (sourceChain, call) => transferablesIn(await listUTXOs(sourceChain, call)),
    async priceAbove(bytes, call) {
      const { unsignedTx } = decodeTx(bytes)
      const current = await agreedBaseFee(chain, call)
      return (burnedBy(unsignedTx) ?? 0n) < feeOf(unsignedTx, current) ? current : undefined
    },
    async spendsListed(bytes, call) {
      const { unsignedTx } = decodeTx(bytes)
      if (unsignedTx.type === 'ImportTx') {
        const { sourceChain, importedInputs } = unsignedTx
        const { utxos } = await listUTXOs(sourceChain, call)
        return listsAll(
          utxos,
          importedInputs.map(({ input, ...id }) => ({ ...id, amount: input.amount })),
        )
      }
      // A server may have reported too high a balance: then an export of `all` debits more than the account has.
      const [{ address, amount }] = unsignedTx.inputs as [ExportTx['inputs'][number]]
      const { balance } = await readAccount(call, address)
      return amount * WEI_PER_NAVAX <= balance
    },
    async nonceMismatch(bytes, call) {
      const { unsignedTx } = decodeTx(bytes)
      const [input] = unsignedTx.type === 'ExportTx' ? unsignedTx.inputs : []
      if (input === undefined) return undefined
      const { nonce } = await readAccount(call, input.address)
      if (nonce === input.nonce) return undefined
      return { account: formatEVMAddress(input.address), export: input.nonce, next: nonce }
    },
    async findRival(bytes, call) {
      const [input] = (decodeTx(bytes).unsignedTx as ExportTx).inputs
      const txID = await findNonceUse(state, chain, input!, call)
      return txID && { txID, inputs: [accountInput(input!.address, input!.nonce)] }
    },
    // The base fee can rise quickly. What the fee does not use of the reserve arrives as well.
    feeReserve: 2n,
  }
}

/**
 * The input of an export from an account, as the store records it: derived from account and nonce, so that two exports
 * with the same nonce conflict as two transactions with a common input do.
 */
export function accountInput(address: Uint8Array, nonce: bigint): UTXOID {
  const text = `avmkit C-Chain account ${hex.encode(address)} nonce ${nonce}`
  return { txID: sha256(new TextEncoder().encode(text)), outputIndex: 0 }
}

function inputIDsOf(tx: UnsignedTx): UTXOID[] {
  return tx.type === 'ExportTx'
    ? tx.inputs.map(({ address, nonce }) => accountInput(address, nonce))
    : tx.importedInputs.map(({ txID, outputIndex }) => ({ txID, outputIndex }))
}

/** The amounts that an import credits to its account. */
function paidBy(tx: UnsignedTx): AssetAmount[] {
  return tx.type === 'ImportTx'
    ? tx.outputs.map(({ assetID, amount }) => ({ assetID, amount }))
    : []
}

/** The input of the first export: account, nonce and debited amount in nAVAX. Replacements use the same nonce. */
function usedAccount(replaced: readonly Attempt[]): ExportTx['inputs'][number] | undefined {
  const first = firstExport(replaced)
  return first && (decodeTx(first.bytes).unsignedTx as ExportTx).inputs[0]
}

type Common = Pick<Parameters<typeof buildExportAll>[0], 'context' | 'account' | 'baseFee'>

function exportDraft(
  order: ExportOrder,
  { account, ...common }: Common,
  used: ExportTx['inputs'][number] | undefined,
): Draft {
  const { amounts, owner: to, destinationChain, maxFee } = order
  const { address, nonce, balance } = account
  const options = { ...common, destinationChain, maxFee, account: { address, nonce, balance } }
  if (amounts !== 'all') {
    const outputs = amounts.map(({ assetID, amount }) => ({ assetID, amount, to }))
    return buildExport({ ...options, outputs })
  }
  const debited = used && used.amount * WEI_PER_NAVAX
  const limit = debited !== undefined && debited < balance ? debited : balance
  return buildExportAll({ ...options, account: { address, nonce, balance: limit }, to })
}
