import { equalBytes } from '../../bytes/compare.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import { FundsError } from '../../coins/errors.ts'
import { formatAmount } from '../../encoding/amount.ts'
import { ZERO_ID } from '../../encoding/ids.ts'
import type { MoveNote } from './note.ts'
import { recipientText } from './plan.ts'
import type { AtomicUTXO, HalfDraft, MoveChain, Side, SideCall } from './side.ts'
import type { MoveQuote } from './types.ts'

/** An export that is ready to be signed, with what it will cost to import it. */
export type QuotedExport = { readonly quote: MoveQuote; readonly draft: HalfDraft }

/** Quotes both fees and drafts the export; the import is drafted for what the export will leave. */
export async function quoteMove(
  plan: MoveNote,
  sides: { readonly [chain in MoveChain]: Side },
  owner: Uint8Array,
  context: NetworkContext,
  call: SideCall,
): Promise<QuotedExport> {
  const { from, to, amount, assetID, maxFee } = plan
  const draftImport = (amounts: readonly AssetAmount[]) =>
    sides[to].draftImport(
      {
        sourceChain: from,
        utxos: amounts.map((each, outputIndex) => utxoFor(each, outputIndex, owner)),
        recipient: plan.recipient,
        maxFee,
      },
      call,
    )
  const fees = (fee: bigint) => ({ assetID: context.assetID, amount: fee })
  let amounts: readonly AssetAmount[] | 'all' = 'all'
  if (amount !== 'all') {
    // Fees do not depend on amounts, so any import with enough to pay shows the fee.
    const probe = await draftImport(oneEntryPerAsset([{ assetID, amount }, fees(maxFee + 1n)]))
    amounts = oneEntryPerAsset([{ assetID, amount }, fees(probe.fee * sides[to].feeReserve)])
  }
  const order = { destinationChain: to, amounts, owner, maxFee }
  const draft = await sides[from].draftExport(order, call)
  try {
    const second = await draftImport(draft.exported)
    const imported = quoteImport(plan, draft.exported, second, context)
    const quote: MoveQuote = {
      ...imported,
      exportFee: draft.fee,
      explanations: { ...imported.explanations, export: draft.explanation },
    }
    if (!quote.arrives.some((each) => equalBytes(each.assetID, assetID)))
      throw new FundsError(
        'BUILDER_INSUFFICIENT_FUNDS',
        `insufficient funds: importing costs ${formatAmount(second.fee)} AVAX, more than there is to move`,
      )
    return { quote, draft }
  } catch (error) {
    draft.release()
    throw error
  }
}

/** Quotes an import of what has been exported. */
export function quoteImport(
  plan: MoveNote,
  exported: readonly AssetAmount[],
  { fee, arrives, explanation }: HalfDraft,
  context: NetworkContext,
): MoveQuote {
  const { from, to } = plan
  return {
    from,
    to,
    exported,
    arrives,
    exportFee: 0n,
    importFee: fee,
    recipient: recipientText(plan, context),
    explanations: { import: explanation },
  }
}

/** Amounts with one entry per asset: AVAX pays the fee of the import beside other assets. */
function oneEntryPerAsset(amounts: readonly AssetAmount[]): AssetAmount[] {
  return new AssetSums(amounts).list()
}

/** The sums of UTXOs, per asset. */
export function amountsOf(utxos: readonly AtomicUTXO[]): AssetAmount[] {
  return oneEntryPerAsset(utxos.map(({ assetID, output: { amount } }) => ({ assetID, amount })))
}

function utxoFor(
  { assetID, amount }: AssetAmount,
  outputIndex: number,
  owner: Uint8Array,
): AtomicUTXO {
  return {
    txID: ZERO_ID,
    outputIndex,
    assetID,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount,
      locktime: 0n,
      threshold: 1,
      addresses: [owner],
    },
  }
}
