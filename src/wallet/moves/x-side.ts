import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatAmount } from '../../core/base/encoding/amount.ts'
import type { AssetAmount, AssetSums } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { exportedUTXOs } from '../../core/chain/x/created.ts'
import { burnedBy, consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { TransferableOutput } from '../../core/chain/x/transferables.ts'
import { decodeTx, type UnsignedTx } from '../../core/chain/x/tx.ts'
import { FundsError, type Shortfall } from '../../core/coins/errors.ts'
import type { IDArgument } from '../../core/draft/arguments.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { buildExport } from '../../core/draft/x/export.ts'
import { buildImport, planImport } from '../../core/draft/x/import.ts'
import { requireSigned } from '../../core/sign/job.ts'
import type { CallOptions } from '../../node/http.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import { listOwn } from '../accounts/list-own.ts'
import { RECENT_MS } from '../payments/drafting.ts'
import type { Engine } from '../payments/engine.ts'
import type { Intent, WalletView } from '../payments/intents.ts'
import { COUNTED } from '../sums.ts'
import type { WalletState } from '../wallet-state.ts'
import {
  type ExportOrder,
  firstExport,
  type ImportOrder,
  importedIn,
  type LegDraft,
  listsAll,
  type Side,
  type SideCall,
  sumOf,
  transferable,
  transferablesIn,
} from './side.ts'

/** The X-Chain: its exports are drafted and reserved like every other transaction of the wallet. */
export function xSide(state: WalletState, engine: Engine): Side {
  const { own, chain } = state
  const listed = async (sourceChain: IDArgument | undefined, call: CallOptions) => {
    const source = await state.source(sourceChain, call)
    return listOwn(
      own,
      async (addresses) => {
        const list = { addresses, sources: [source], fromAll: true }
        const { set, disputed } = await chain.utxos(list, call)
        return { utxos: utxosIn(set, source), disputed }
      },
      ({ utxos }) => utxos.flatMap(({ output }) => output.addresses),
    )
  }
  const importOptions = async (
    { sourceChain, utxos, recipient, maxFee }: ImportOrder,
    call: SideCall,
  ) => {
    const { context, now } = await state.view(call, RECENT_MS)
    return {
      context,
      funds: { utxos, owners: own.list, now },
      sourceChain,
      to: recipient,
      feeFrom: 'imported',
      maxFee,
    } as const
  }
  const importLeg = (draft: Draft, call: SideCall) =>
    toLegDraft(draft, call, {
      fromHeight: state.live.nextHeight ?? 1n,
      release: () => {},
      exported: [],
      leftBehind: 0n,
    })
  const toLegDraft = async (
    draft: Draft,
    call: SideCall,
    rest: Pick<LegDraft, 'fromHeight' | 'release' | 'exported' | 'leftBehind'>,
  ): Promise<LegDraft> => {
    await state.assets.requireSpendable(draft, call)
    const { signal } = call
    return {
      ...rest,
      arrives: paidBy(draft.unsignedTx),
      fee: draft.fee,
      price: draft.fee,
      inputs: consumedUTXOs(draft.unsignedTx).map(({ txID, outputIndex }) => ({
        txID,
        outputIndex,
      })),
      explanation: await engine.explain(draft, signal ? { signal } : {}),
      sign: async () => requireSigned(await engine.sign(draft, { accept: [COUNTED] })).bytes,
    }
  }
  return {
    async draftExport(order, call, replaced, ended) {
      const first = firstExport(replaced)
      const limit = first && spentBy(decodeTx(first.bytes).unsignedTx)
      let leftBehind = 0n
      const draftFrom = (view: WalletView) => {
        const draft = exportDraft(view, order, limit)
        const spent = spentBy(draft.unsignedTx).get(draft.context.assetID)
        leftBehind = order.amounts === 'all' ? spendableAVAX(view) - spent : 0n
        return draft
      }
      const whole = ({ assetID }: NetworkContext) => assetID
      const intent: Intent = { contents: () => [], draft: draftFrom }
      const { draft, fromHeight, release, ...reserved } = await engine.drafting.draft(
        order.amounts === 'all' ? { ...intent, whole } : intent,
        call,
        replaced,
        ended,
      )
      leftBehind += sumOf(reserved.leftBehind)
      try {
        const { unsignedTx } = draft
        const exported = unsignedTx.type === 'ExportTx' ? amountsIn(unsignedTx.exportedOutputs) : []
        return await toLegDraft(draft, call, { fromHeight, release, exported, leftBehind })
      } catch (error) {
        release()
        throw error
      }
    },
    draftImport: async (order, call) =>
      importLeg(buildImport(await importOptions(order, call)), call),
    async planImports(order, call) {
      const options = await importOptions(order, call)
      const { drafts, leftBehind } = planImport(options)
      return {
        drafts: await Promise.all(Array.from(drafts(), (draft) => importLeg(draft, call))),
        leftBehind,
      }
    },
    exportedBy: (bytes) => exportedUTXOs(decodeTx(bytes)).flatMap(transferable),
    importedBy: (bytes) => importedIn(decodeTx(bytes)),
    paidBy: (bytes) => paidBy(decodeTx(bytes).unsignedTx),
    async atomicUTXOs(sourceChain, call) {
      // Blocks show who has imported UTXOs that are not listed any more.
      await state.view(call, RECENT_MS)
      return transferablesIn(await listed(sourceChain, call))
    },
    async priceAbove(bytes, call) {
      const { assetID, txFee } = await state.context(call, true)
      return burnedBy(decodeTx(bytes).unsignedTx).get(assetID) < txFee ? txFee : undefined
    },
    async spendsListed(bytes, call) {
      const { unsignedTx } = decodeTx(bytes)
      const isImport = unsignedTx.type === 'ImportTx'
      const { inputs, sourceChain } = isImport
        ? { ...unsignedTx, inputs: unsignedTx.importedInputs }
        : { ...unsignedTx, sourceChain: undefined }
      // The next draft must not use the listing that this export was drafted with.
      if (!isImport) state.live.walkAgain()
      return listsAll(
        (await listed(sourceChain, call)).utxos,
        inputs.map(({ input, ...id }) => ({ ...id, amount: input.amount })),
      )
    },
    feeReserve: 1n,
  }
}

/**
 * The amounts that an import pays to the recipient: imports of moves pay the fee from imported UTXOs, without change.
 */
function paidBy(tx: UnsignedTx): AssetAmount[] {
  return tx.type === 'ImportTx' ? amountsIn(tx.outputs) : []
}

function amountsIn(outputs: readonly TransferableOutput[]): AssetAmount[] {
  return outputs.map(({ assetID, output: { amount } }) => ({ assetID, amount }))
}

/** The amounts that leave the chain with an export, including its fee. */
function spentBy(unsignedTx: UnsignedTx): AssetSums {
  const sums = burnedBy(unsignedTx)
  if (unsignedTx.type === 'ExportTx')
    for (const { assetID, output } of unsignedTx.exportedOutputs) sums.add(assetID, output.amount)
  return sums
}

/** @param limit - the most that an export of `all` may spend, including its fee */
function exportDraft(
  view: WalletView,
  { amounts, destinationChain, owner, maxFee }: ExportOrder,
  limit: AssetSums | undefined,
): Draft {
  const { context, utxos, owners, now, changeTo, pinned = [] } = view
  const { assetID, txFee } = context
  const draftOf = (exported: readonly AssetAmount[]) =>
    buildExport({
      context,
      funds: { utxos, owners, now, pinned },
      destinationChain,
      outputs: exported.map(({ assetID, amount }) => ({ assetID, amount, to: owner })),
      maxFee,
      changeTo,
    })
  if (amounts !== 'all') return draftOf(amounts)
  const balance = spendableAVAX(view)
  const confirmed = limit?.get(assetID) ?? balance
  const draftUpTo = (most: bigint) => {
    const spent = confirmed < most ? confirmed : most
    if (spent > txFee) return draftOf([{ assetID, amount: spent - txFee }])
    throw new FundsError(
      'BUILDER_INSUFFICIENT_FUNDS',
      `insufficient funds: the X-Chain holds ${formatAmount(spent)} AVAX, the fee is ${formatAmount(txFee)} AVAX`,
    )
  }
  try {
    return draftUpTo(balance)
  } catch (error) {
    if (!(error instanceof FundsError) || error.code !== 'FUNDS_DO_NOT_FIT') throw error
    // Spends the most that fits, so that nobody can prevent an export by sending many small UTXOs.
    const [{ available, didNotFit }] = error.assets as [Shortfall]
    return draftUpTo(available - didNotFit)
  }
}

/** AVAX that can be spent now. */
function spendableAVAX({ context, utxos, owners, now }: WalletView): bigint {
  const balances = utxos.balances({ owners, now })
  return balances.find(({ assetID }) => equalBytes(assetID, context.assetID))?.spendable ?? 0n
}
