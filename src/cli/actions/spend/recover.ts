import { formatID } from '../../../core/base/encoding/ids.ts'
import { explainTx } from '../../../core/sign/explain/explain.ts'
import { ownersText } from '../../../core/sign/explain/explain-text.ts'
import type { ExplainedOutput, Explanation } from '../../../core/sign/explain/explanation.ts'
import type { BatchPreview, UnrecordedTx } from '../../../wallet/index.ts'
import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { planConfirmation } from '../../spending/confirm-plan.ts'
import { type KnownAssets, lookUpAssets } from '../../spending/lookup.ts'
import { checkUsage, openSpending, type Spending } from '../../spending/spending.ts'
import { blockProgress } from '../../terminal/block-progress.ts'
import { requireConfirmable } from '../../terminal/confirm.ts'
import type { Paint } from '../../terminal/paint.ts'
import { counted, details, idRows, table } from '../../terminal/print.ts'

/** A transaction that the journal does not know, and what it does. */
type Listed = UnrecordedTx & { readonly explanation: Explanation }

/** Payments of a transaction that are printed; `--json` lists all. */
const SHOWN_PAYMENTS = 3

/** Lists transactions of the user's keys that the journal does not know, and makes the journal usable again. */
export async function recover(invocation: Invocation): Promise<Result> {
  const { values, paint, progress } = invocation
  const fence = values.has('fence')
  values.required('from-height', 'the height of a block before the first payment that is missing')
  const fromHeight = BigInt(values.integer('from-height', 0, Number.MAX_SAFE_INTEGER)!)
  await checkUsage(invocation)
  if (fence) requireConfirmable(invocation)
  const spending = await openSpending(invocation, 'recover')
  const { wallet, context, journal } = spending
  const call = invocation.callOptions()
  const latest = await (await invocation.view()).height(call)
  if (fromHeight > latest)
    throw new UsageError('BAD_VALUE', `--from-height must be at most ${latest}`)
  const { confirm: _confirm, ...run } = spending.run
  const confirmPlan = planConfirmation(spending, invocation)
  const { unrecorded, fenceTxIDs } = await wallet.recover({
    ...run,
    fromHeight,
    fence,
    confirmPlan: (preview) => {
      warnOfRest(preview, invocation)
      return confirmPlan(preview)
    },
    onProgress: blockProgress(invocation, fromHeight),
  })
  progress.end()
  const fenceIDs = fenceTxIDs.map(formatID)
  const listed = unrecorded.map((one) => explained(one, spending, invocation))
  const assetIDs = listed.flatMap(({ explanation }) =>
    explanation.pays.flatMap(({ assetID }) => assetID ?? []),
  )
  const known = await lookUpAssets(await invocation.view(), assetIDs, context, call)
  return {
    json: { journal, unrecorded: listed.map(listedJSON), fenceTxIDs: fenceIDs },
    text: [
      listed.length === 0
        ? `the journal knows all transactions of your keys since block ${fromHeight}`
        : `${listedTable(listed, known, paint)}\n\nnot in the journal: compare with your own records before you pay again`,
      ...(fence ? [fenceText(fenceIDs, paint)] : []),
    ].join('\n\n'),
  }
}

/** Warns of UTXOs that a fence does not spend. */
function warnOfRest({ leftBehind, unspendable }: BatchPreview, invocation: Invocation): void {
  const reasons = new Set([
    ...leftBehind.map(({ reason }) => reason),
    ...unspendable.map(({ code }) => code),
  ])
  if (reasons.size === 0) return
  invocation.progress.end()
  invocation.warn(
    'FENCE_INCOMPLETE',
    `transactions signed before may still spend UTXOs that the fence leaves out: ${[...reasons].join(', ')}`,
  )
}

function explained(
  one: UnrecordedTx,
  { addresses: ours, context }: Spending,
  invocation: Invocation,
): Listed {
  return { ...one, explanation: explainTx(one.tx, { context, ours, now: invocation.now() }) }
}

function listedJSON({ txID, height, explanation: { type, pays, memo } }: Listed): object {
  return {
    txID: formatID(txID),
    height,
    type,
    pays: pays.map(({ assetID, amount, owners }) => ({ assetID, amount, owners })),
    memo,
  }
}

function listedTable(listed: readonly Listed[], known: KnownAssets, paint: Paint): string {
  const columns = [
    { title: 'height', right: true },
    { title: 'transaction' },
    { title: 'type' },
    { title: 'pays' },
  ] as const
  const rows = listed.map(({ height, txID, explanation: { title, pays } }) => [
    String(height),
    formatID(txID),
    title,
    paysText(pays, known),
  ])
  return table(columns, rows, paint)
}

function paysText(pays: readonly ExplainedOutput[], known: KnownAssets): string {
  if (pays.length === 0) return 'nothing to others'
  const shown = pays.slice(0, SHOWN_PAYMENTS).map(({ assetID, amount, owners }) => {
    return `${outputText(assetID, amount, known)} to ${ownersText(owners)}`
  })
  const more = pays.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/** Amount and asset. An asset that the transaction creates has no ID yet; NFTs and rights to mint have no amount. */
function outputText(
  assetID: string | undefined,
  amount: bigint | undefined,
  known: KnownAssets,
): string {
  if (assetID === undefined)
    return amount === undefined ? 'a right to the new asset' : `${amount} of the new asset`
  const { format, label } = known.find(assetID)
  return amount === undefined ? label : `${format(amount)} ${label}`
}

function fenceText(ids: readonly string[], paint: Paint): string {
  const count = ids.length === 0 ? 'nothing to spend' : counted(ids.length, 'transaction')
  return details([['fence', count], ...idRows(ids)], paint)
}
