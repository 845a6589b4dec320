import { formatID } from '../../../core/base/encoding/ids.ts'
import type { Explanation } from '../../../core/sign/explain/explanation.ts'
import {
  PayoutsError,
  type PayoutsOptions,
  type PayoutsPlan,
  type PayoutsResult,
} from '../../../wallet/index.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import {
  batchSize,
  describePayouts,
  type FilePayout,
  payoutsOf,
  readPayoutRows,
} from '../../spending/payouts.ts'
import { openSpending, type Spending } from '../../spending/spending.ts'
import { confirm, confirmText } from '../../terminal/confirm.ts'
import { paintFor } from '../../terminal/paint.ts'
import { counted, details, idRows } from '../../terminal/print.ts'

/** Makes the payments of a file, each once per idempotency key. */
export async function payout(invocation: Invocation): Promise<Result> {
  const { values, paint, progress } = invocation
  const planOnly = values.has('plan')
  const rows = await readPayoutRows(invocation)
  const size = batchSize(invocation)
  const spending = await openSpending(invocation, planOnly ? 'plan' : 'spend')
  const { context, wallet, tx } = spending
  const payouts = await payoutsOf(rows, invocation, context)
  const payments = payouts.map(({ key, memo, output }) => ({ ...output, key, memo }))
  const call = { payments, size, partial: values.has('partial'), changeTo: tx.changeTo }
  if (planOnly) {
    const plan = await wallet.prepare.payouts(call)
    const { paidBefore, transactions } = plan
    return {
      json: { payments: payouts.length, paidBefore, transactions },
      text: await describePayouts(plan, context, invocation, paint),
    }
  }
  try {
    const result = await wallet.payouts(call, optionsOf(spending, invocation))
    progress.end()
    return resultOf(result, payouts, invocation)
  } catch (error) {
    progress.end()
    // What failed is the error of the command.
    if (!(error instanceof PayoutsError) || error.result.paid === 0) throw error
    invocation.print(resultOf(error.result, payouts, invocation))
    throw error.cause
  }
}

function optionsOf(
  { run, payment: { again }, context }: Spending,
  invocation: Invocation,
): PayoutsOptions {
  const { io, progress } = invocation
  const { confirm: _confirm, ...options } = run
  let isPlanned = false
  return {
    ...options,
    again,
    // Payments of an interrupted run are resumed first. Transactions of a batch among them may be drafted again.
    confirm: async (explanation: Explanation) => {
      if (!isPlanned) await confirm(invocation, explanation, 'Sign and send this?')
      return true
    },
    confirmPlan: async (plan: PayoutsPlan) => {
      progress.end()
      const text = await describePayouts(plan, context, invocation, paintFor(io.stderr, io.env))
      await confirmText(invocation, text, 'Sign and send all of this?')
      isPlanned = true
      return true
    },
    onProgress: (paid, of) => progress.show(paid, of, 'payments accepted'),
  }
}

function resultOf(
  { txIDs, paid, paidBefore, notPaid, next }: PayoutsResult,
  payouts: readonly FilePayout[],
  { paint }: Invocation,
): Result {
  const ids = txIDs.map(formatID)
  const nextLine = next === undefined ? undefined : payouts[next]!.line
  const rest = `${payouts.length - notPaid} of ${payouts.length} paid, ${notPaid} not: next line ${nextLine}`
  const head = details(
    [
      ['paid', `${paid} in ${counted(ids.length, 'transaction')}`],
      ['paid before', paidBefore === 0 ? undefined : paidBefore],
      ...idRows(ids),
    ],
    paint,
  )
  return {
    json: { paid, paidBefore, notPaid, nextLine, txIDs: ids },
    text: notPaid === 0 ? head : `${head}\n${rest}`,
    failed: notPaid > 0,
  }
}
