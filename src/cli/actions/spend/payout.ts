import { formatID } from '../../../core/base/encoding/ids.ts'
import type { Explanation } from '../../../core/sign/explain/explanation.ts'
import type { Result } from '../../command.ts'
import { CliError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { lookUpAssets } from '../../spending/lookup.ts'
import {
  affordable,
  costOf,
  type Funds,
  type Shortage,
  shortagesOf,
} from '../../spending/payout-funds.ts'
import {
  batchesOf,
  batchSize,
  describePayouts,
  type FilePayout,
  type PayoutBatch,
  payoutsOf,
  readPayoutRows,
} from '../../spending/payouts.ts'
import { openSpending, type Spending } from '../../spending/spending.ts'
import { confirm, confirmText } from '../../terminal/confirm.ts'
import { paintFor } from '../../terminal/paint.ts'
import { counted, details, groupedAmount, idRows } from '../../terminal/print.ts'

/** What a command has paid, of how much. */
type Progress = {
  readonly payouts: readonly FilePayout[]
  readonly paidBefore: number
  readonly unpaid: readonly FilePayout[]
  readonly txIDs: string[]
  paid: number
}

/** Makes the payments of a file, each once per idempotency key. */
export async function payout(invocation: Invocation): Promise<Result> {
  const { values, io, paint } = invocation
  const planOnly = values.has('plan')
  const rows = await readPayoutRows(invocation)
  const size = batchSize(invocation)
  const spending = await openSpending(invocation, planOnly ? 'plan' : 'spend')
  const { context } = spending
  const payouts = await payoutsOf(rows, invocation, context)
  const send = sender(spending)
  if (!planOnly) await resumePending(spending, invocation)
  const unpaid = await unpaidOf(payouts, spending, planOnly ? undefined : send, invocation)
  const whole = batchesOf(unpaid, size)
  const funds = await fundsOf(spending)
  const shortages = shortagesOf(costOf(whole, context), funds)
  if (shortages.length > 0 && !values.has('partial'))
    throw await shortOf(shortages, context, invocation)
  const batches = shortages.length === 0 ? whole : affordable(unpaid, funds, size, context)
  const paidBefore = payouts.length - unpaid.length
  if (planOnly || batches.length > 0) {
    const textPaint = planOnly ? paint : paintFor(io.stderr, io.env)
    const text = await describePayouts(batches, context, invocation, textPaint)
    if (planOnly)
      return {
        json: { payments: payouts.length, paidBefore, transactions: batches.length },
        text,
      }
    await confirmText(invocation, text, 'Sign and send all of this?')
  }
  const progress: Progress = { payouts, paidBefore, unpaid, txIDs: [], paid: 0 }
  await payAll(batches, send, progress, invocation)
  return resultOf(progress, invocation)
}

/** Makes the payments of one transaction. */
type Send = (memo: string, group: readonly FilePayout[]) => Promise<{ readonly txID: Uint8Array }>

function sender({ wallet, run, payment: { again }, tx }: Spending): Send {
  const { memo: _memo, ...funding } = tx
  const { confirm: _confirm, ...runOptions } = run
  return (memo, group) =>
    wallet.transfer(
      { ...funding, outputs: group.map(({ output }) => output), ...(memo === '' ? {} : { memo }) },
      { ...runOptions, again, keys: group.map(({ key }) => key) },
    )
}

/** An earlier run may have been interrupted: completes its payments. Transactions of a batch may be drafted again. */
async function resumePending({ wallet, run }: Spending, invocation: Invocation): Promise<void> {
  const { confirm: _confirm, ...runOptions } = run
  const confirmAgain = async (explanation: Explanation) => {
    await confirm(invocation, explanation, 'Sign and send this?')
    return true
  }
  const resumed = await invocation.during('resuming pending payments', () =>
    wallet.resume({ ...runOptions, confirm: confirmAgain }),
  )
  for (const { status, error } of resumed) if (status === 'pending') throw error
}

/**
 * The payments that were not made before.
 *
 * @param send - repeats payments that were made, which changes nothing, but throws `KEY_CONFLICT` if a row was changed
 */
async function unpaidOf(
  payouts: readonly FilePayout[],
  { wallet }: Spending,
  send: Send | undefined,
  { progress }: Invocation,
): Promise<readonly FilePayout[]> {
  const records = await wallet.payments(payouts.map(({ key }) => key))
  const isPaid = (i: number) => records[i]!.status === 'accepted'
  if (send !== undefined)
    for (const [i, row] of payouts.entries()) {
      progress.show(i, payouts.length, 'payments checked')
      if (isPaid(i)) await send(row.memo, [row])
    }
  progress.end()
  return payouts.filter((_, i) => !isPaid(i))
}

async function fundsOf({ wallet }: Spending): Promise<Funds> {
  const balances = await wallet.balances()
  return new Map(balances.map(({ assetID, spendable }) => [formatID(assetID), spendable]))
}

/** The error for a file whose total exceeds the funds. */
async function shortOf(
  shortages: readonly Shortage[],
  context: Spending['context'],
  invocation: Invocation,
): Promise<CliError> {
  const chain = await invocation.view()
  const ids = shortages.map(({ assetID }) => assetID)
  const known = await lookUpAssets(chain, ids, context, invocation.callOptions())
  const parts = shortages.map(({ assetID, needed, available }) => {
    const { format, label } = known.find(assetID)
    return `needs ${groupedAmount(format(needed))} ${label}, has ${groupedAmount(format(available))}`
  })
  return new CliError('PAYOUT_SHORT', `${parts.join('; ')}: nothing was paid`, {
    hint: 'fees are included; --partial pays the first lines of the file, as far as the funds reach',
  })
}

/** Pays all batches. If one fails, what was paid before is printed. */
async function payAll(
  batches: readonly PayoutBatch[],
  send: Send,
  progress: Progress,
  invocation: Invocation,
): Promise<void> {
  try {
    for (const { memo, payouts: group } of batches) {
      invocation.progress.show(progress.paid, progress.unpaid.length, 'payments accepted')
      progress.txIDs.push(formatID((await send(memo, group)).txID))
      progress.paid += group.length
    }
  } catch (error) {
    invocation.print(resultOf(progress, invocation))
    throw error
  } finally {
    invocation.progress.end()
  }
}

function resultOf(
  { payouts, paidBefore, unpaid, txIDs, paid }: Progress,
  { paint }: Invocation,
): Result {
  const notPaid = unpaid.length - paid
  const nextLine = unpaid[paid]?.line
  const rest = `${payouts.length - notPaid} of ${payouts.length} paid, ${notPaid} not: next line ${nextLine}`
  const head = details(
    [
      ['paid', `${paid} in ${counted(txIDs.length, 'transaction')}`],
      ['paid before', paidBefore === 0 ? undefined : paidBefore],
      ...idRows(txIDs),
    ],
    paint,
  )
  return {
    json: { paid, paidBefore, notPaid, nextLine, txIDs },
    text: notPaid === 0 ? head : `${head}\n${rest}`,
    failed: notPaid > 0,
  }
}
