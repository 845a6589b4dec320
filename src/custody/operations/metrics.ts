import { argument, type Check, invalid } from '../../core/base/argument.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { type CustodyProblem, type CustodyStatus, custodyStatus } from './status.ts'

type Sample = readonly [labels: { readonly [name: string]: string }, value: number | bigint]

/** A status in the text format of Prometheus. Amounts are in the smallest unit of their assets. */
export function formatMetrics(status: CustodyStatus): string {
  const current = argument('formatMetrics', status, custodyStatus, 'status')
  const { now, height, nodeHeight, lag, payouts, reserves, syncedSecondsAgo } = current
  const age = (date: Date | undefined) =>
    date === undefined ? 0 : Math.max(0, (now.getTime() - date.getTime()) / 1000)
  const single = (value: number | bigint | undefined): Sample[] =>
    value === undefined ? [] : [[{}, value]]
  const reserve = (name: 'free' | 'reserved' | 'locked' | 'utxos') =>
    reserves.map((row): Sample => [{ wallet: row.wallet, asset: formatID(row.assetID) }, row[name]])
  return [
    metric('height', 'Last block that was applied', single(height)),
    metric('node_height', 'Height of the node', single(nodeHeight)),
    metric('lag_blocks', 'Blocks of the node that are not applied', single(lag)),
    metric('synced_seconds', 'Seconds since all blocks were applied', single(syncedSecondsAgo)),
    metric('healthy', '1 if payments can be claimed', single(current.healthy ? 1 : 0)),
    metric('deposits_total', 'Deposits recorded', single(current.depositCursor), 'counter'),
    metric(
      'payouts',
      'Payouts by status',
      Object.entries(payouts).map(([name, count]): Sample => [{ status: name }, count]),
    ),
    metric(
      'oldest_queued_seconds',
      'Age of the oldest queued payout',
      single(age(current.oldestQueued)),
    ),
    metric(
      'pending_seconds',
      'Age of the oldest pending payout',
      single(age(current.pendingSince)),
    ),
    metric(
      'pending_transactions',
      'Transactions without outcome',
      single(current.pendingTransactions),
    ),
    metric(
      'missing',
      'What the hot wallet lacks for the next payouts',
      current.missing.map(({ assetID, amount }): Sample => [{ asset: formatID(assetID) }, amount]),
    ),
    metric('free', 'Amount that can be spent now', reserve('free')),
    metric('reserved', 'Amount reserved for drafts and pending transactions', reserve('reserved')),
    metric('locked', 'Amount that cannot be spent now', reserve('locked')),
    metric('utxos', 'Number of UTXOs', reserve('utxos')),
  ].join('')
}

function metric(
  name: string,
  help: string,
  samples: readonly Sample[],
  type: 'gauge' | 'counter' = 'gauge',
): string {
  const full = `avmkit_custody_${name}`
  const lines = samples.map(([labels, value]) => {
    const text = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${full}${text.length === 0 ? '' : `{${text.join(',')}}`} ${value}\n`
  })
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`
}

/** Whether a system is healthy, with the problems if it is not, and all reasons as texts. */
export type CustodyHealth = {
  readonly healthy: boolean
  readonly problems: readonly CustodyProblem[]
  readonly reasons: readonly string[]
}

/** A number of seconds. */
export const seconds: Check<number> = (value, at) => {
  // Comparisons with NaN are false.
  if (!(typeof value === 'number' && value >= 0))
    throw invalid(value, at, 'a number of seconds >= 0')
  return value
}

/** Judges a status: it must have no problems, and all blocks must have been applied within the last `maxSeconds`. */
export function healthOf(status: CustodyStatus, maxSeconds: number): CustodyHealth {
  const { problems, syncedSecondsAgo } = argument('healthOf', status, custodyStatus, 'status')
  const limit = argument('healthOf', maxSeconds, seconds, 'maxSeconds')
  const reasons = problems.map(({ message }) => message)
  if (syncedSecondsAgo !== undefined && syncedSecondsAgo > limit)
    reasons.push(`blocks were last applied completely ${Math.round(syncedSecondsAgo)} s ago`)
  return { healthy: reasons.length === 0, problems, reasons }
}
