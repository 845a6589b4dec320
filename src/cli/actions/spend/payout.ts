import { formatID } from '../../../core/base/encoding/ids.ts'
import type { Explanation } from '../../../core/sign/explain/explanation.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import {
  batchesOf,
  describePayouts,
  type FilePayout,
  readPayoutFile,
} from '../../spending/payouts.ts'
import { openSpending } from '../../spending/spending.ts'
import { confirm, confirmText } from '../../terminal/confirm.ts'
import { paintFor } from '../../terminal/paint.ts'
import { counted, details, idRows } from '../../terminal/print.ts'

/** Makes the payments of a file, each once per idempotency key. */
export async function payout(invocation: Invocation): Promise<Result> {
  const { values, io, progress, paint } = invocation
  const planOnly = values.has('plan')
  const spending = await openSpending(invocation, planOnly ? 'plan' : 'spend')
  const { wallet, context, run, payment, tx } = spending
  const { again } = payment
  const { memo: _memo, ...funding } = tx
  const payouts = await readPayoutFile(invocation, context)
  const { confirm: _confirm, ...runOptions } = run
  const send = (memo: string, group: readonly FilePayout[]) =>
    wallet.transfer(
      { ...funding, outputs: group.map(({ output }) => output), ...(memo === '' ? {} : { memo }) },
      { ...runOptions, again, keys: group.map(({ key }) => key) },
    )
  // An earlier run may have been interrupted: complete its payments first. Transactions of a batch may be drafted again.
  const confirmAgain = async (explanation: Explanation) => {
    await confirm(invocation, explanation, 'Sign and send this?')
    return true
  }
  if (!planOnly)
    for (const { status, error } of await invocation.during('resuming pending payments', () =>
      wallet.resume({ ...runOptions, confirm: confirmAgain }),
    ))
      if (status === 'pending') throw error
  const records = await wallet.payments(payouts.map(({ key }) => key))
  const isPaid = (i: number) => records[i]!.status === 'accepted'
  // Repeating a payment changes nothing, but throws KEY_CONFLICT if its row was changed since.
  if (!planOnly)
    for (const [i, row] of payouts.entries()) {
      progress.show(i, payouts.length, 'payments checked')
      if (isPaid(i)) await send(row.memo, [row])
    }
  progress.end()
  const batches = batchesOf(
    payouts.filter((_, i) => !isPaid(i)),
    invocation,
  )
  const paidBefore = payouts.length - batches.reduce((sum, batch) => sum + batch.payouts.length, 0)
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
  const txIDs: string[] = []
  let paid = 0
  for (const { memo, payouts: group } of batches) {
    progress.show(paid, payouts.length - paidBefore, 'payments accepted')
    txIDs.push(formatID((await send(memo, group)).txID))
    paid += group.length
  }
  progress.end()
  return {
    json: { paid, paidBefore, txIDs },
    text: details(
      [
        ['paid', `${paid} in ${counted(txIDs.length, 'transaction')}`],
        ['paid before', paidBefore === 0 ? undefined : paidBefore],
        ...idRows(txIDs),
      ],
      paint,
    ),
  }
}
