import { formatID } from '../../encoding/index.ts'
import type { Result } from '../command.ts'
import { confirmText } from '../confirm.ts'
import type { Invocation } from '../invocation.ts'
import { paintFor } from '../paint.ts'
import { batchesOf, describePayouts, type PayoutRow, readPayoutFile } from '../payouts.ts'
import { counted, facts, idRows } from '../print.ts'
import { openSpending } from '../spending.ts'

/** Makes the payments of a file, each once per idempotency key. */
export async function payout(invocation: Invocation): Promise<Result> {
  const { values, io, progress, paint } = invocation
  const planOnly = values.has('plan')
  const { wallet, context, run, tx } = await openSpending(invocation, planOnly ? 'plan' : 'spend')
  const { memo: _memo, ...funding } = tx
  const payouts = await readPayoutFile(invocation, context)
  const { confirm: _confirm, ...quiet } = run
  const send = (memo: string, group: readonly PayoutRow[]) =>
    wallet.transfer(
      { ...funding, outputs: group.map(({ output }) => output), ...(memo === '' ? {} : { memo }) },
      { ...quiet, keys: group.map(({ key }) => key) },
    )
  // An earlier run may have been interrupted.
  if (!planOnly)
    for (const { status, error } of await invocation.during('resuming pending payments', () =>
      wallet.resume(quiet),
    ))
      if (status === 'pending') throw error
  const records = await wallet.payments(payouts.map(({ key }) => key))
  const isPaid = (i: number) => records[i]!.status === 'accepted'
  // With the same content nothing happens; a row that was changed since is a KEY_CONFLICT.
  if (!planOnly)
    for (const [i, one] of payouts.entries()) {
      progress.show(i, payouts.length, 'payments checked')
      if (isPaid(i)) await send(one.memo, [one])
    }
  progress.end()
  const batches = batchesOf(
    payouts.filter((_, i) => !isPaid(i)),
    invocation,
  )
  const before = payouts.length - batches.reduce((sum, batch) => sum + batch.payouts.length, 0)
  if (planOnly || batches.length > 0) {
    const shown = planOnly ? paint : paintFor(io.stderr, io.env)
    const text = await describePayouts(batches, context, invocation, shown)
    if (planOnly)
      return {
        json: { payments: payouts.length, paidBefore: before, transactions: batches.length },
        text,
      }
    await confirmText(invocation, text, 'Sign and send all of this?')
  }
  const txIDs: string[] = []
  let paid = 0
  for (const { memo, payouts: group } of batches) {
    progress.show(paid, payouts.length - before, 'payments accepted')
    txIDs.push(formatID((await send(memo, group)).txID))
    paid += group.length
  }
  progress.end()
  return {
    json: { paid, paidBefore: before, txIDs },
    text: facts(
      [
        ['paid', `${paid} in ${counted(txIDs.length, 'transaction')}`],
        ['paid before', before === 0 ? undefined : before],
        ...idRows(txIDs),
      ],
      paint,
    ),
  }
}
