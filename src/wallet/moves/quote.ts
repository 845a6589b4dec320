import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatAmount } from '../../core/base/encoding/amount.ts'
import { ZERO_ID } from '../../core/base/encoding/ids.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { type AssetAmount, AssetSums } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { EndedAttempt } from '../store/store.ts'
import type { MoveNote } from './note.ts'
import { recipientText } from './plan.ts'
import type { AtomicUTXO, LegDraft, MoveChain, Side, SideCall } from './side.ts'
import type { MoveQuote } from './types.ts'

/** An export that is ready to be signed, with the quote of the whole move. */
export type QuotedExport = { readonly quote: MoveQuote; readonly draft: LegDraft }

/**
 * Drafts the export of a move, and quotes it with an import of the UTXOs that the export will create.
 *
 * @param ended - attempts for the same move that have ended
 */
export async function quoteMove(
  plan: MoveNote,
  sides: { readonly [chain in MoveChain]: Side },
  owner: Uint8Array,
  context: NetworkContext,
  call: SideCall,
  ended: readonly EndedAttempt[],
): Promise<QuotedExport> {
  const { from, to, amount, assetID, maxFee } = plan
  const draftImport = (amounts: readonly AssetAmount[]) =>
    sides[to].draftImport(
      {
        sourceChain: from,
        utxos: amounts.map((amount, outputIndex) => futureUTXO(amount, outputIndex, owner)),
        recipient: plan.recipient,
        maxFee,
      },
      call,
    )
  const avax = (nAVAX: bigint) => ({ assetID: context.assetID, amount: nAVAX })
  let amounts: readonly AssetAmount[] | 'all' = 'all'
  if (amount !== 'all') {
    // The fee does not depend on the amounts, so a draft with any sufficient amount tells it.
    const probe = await draftImport(oneEntryPerAsset([{ assetID, amount: 1n }, avax(MAX_U64 - 1n)]))
    amounts = oneEntryPerAsset([{ assetID, amount }, avax(probe.fee * sides[to].feeReserve)])
  }
  const order = { destinationChain: to, amounts, owner, maxFee }
  const draft = await sides[from].draftExport(order, call, [], ended)
  try {
    const importDraft = await draftImport(draft.exported)
    const imported = quoteImport(plan, draft.exported, importDraft, context)
    const quote: MoveQuote = {
      ...imported,
      leftBehind: draft.leftBehind,
      exportFee: draft.fee,
      explanations: { ...imported.explanations, export: draft.explanation },
    }
    if (!quote.arrives.some((each) => equalBytes(each.assetID, assetID)))
      throw new FundsError(
        'BUILDER_INSUFFICIENT_FUNDS',
        `insufficient funds: the fee of the import is ${formatAmount(importDraft.fee)} AVAX, more than there is to move`,
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
  { fee, arrives, explanation }: LegDraft,
  context: NetworkContext,
): MoveQuote {
  const { from, to } = plan
  return {
    from,
    to,
    exported,
    arrives,
    leftBehind: 0n,
    exportFee: 0n,
    importFee: fee,
    recipient: recipientText(plan, context),
    explanations: { import: explanation },
  }
}

/** Adds up amounts of the same asset: AVAX is listed twice if it is moved and also pays the fee of the import. */
function oneEntryPerAsset(amounts: readonly AssetAmount[]): AssetAmount[] {
  return new AssetSums(amounts).list()
}

/** The sums of UTXOs, per asset. */
export function amountsOf(utxos: readonly AtomicUTXO[]): AssetAmount[] {
  return oneEntryPerAsset(utxos.map(({ assetID, output: { amount } }) => ({ assetID, amount })))
}

/** A UTXO that the export will create, with a placeholder for the transaction ID. */
function futureUTXO(
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
