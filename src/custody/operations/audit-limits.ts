import { ASSETS, isApproval, isDenial, valueIn } from '../database/controls.ts'
import type { Database } from '../database/database.ts'
import { type Digits, keyOf } from '../database/values.ts'
import type { AuditFault } from './audit-rows.ts'

/*
 * The database compares claims with the limits by triggers, which a superuser can disable. An audit does so again, by the
 * order of events: which limits held, and who had approved, when each payout was claimed.
 */

/** SQL: all limits that ever held, from an event to an event. */
const SPANS = `SELECT l.*, s.seq AS since, coalesce((SELECT min(r.seq) FROM @.events r
      WHERE r.kind = 'limit' AND r.subject = l.id AND r.new_status = 'removed'), 9223372036854775807) AS ended
    FROM @.limits l JOIN @.events s ON s.kind = 'limit' AND s.subject = l.id AND s.new_status = 'set'`

/** SQL: paid and pending payouts, with the event of their claim, which has the same time. */
const CLAIMS = `SELECT p.*, e.seq AS claim FROM @.payments p
    JOIN @.attempt_payments ap ON ap.payment = p.seq JOIN @.attempts t ON t.seq = ap.attempt AND t.claimed_at = p.pending_since
    JOIN @.events e ON e.kind = 'attempt' AND e.subject = t.seq AND e.old_status IS NULL
    WHERE p.address IS NOT NULL AND p.status IN ('pending', 'accepted')`

/** SQL: payouts that a limit did not allow, whatever the others were, with its name. */
const FAULTS = `WITH spans AS (${SPANS}), claims AS (${CLAIMS})
  SELECT p.key, 'exceeds the limit ' || l.name AS message FROM claims p JOIN spans l ON p.claim > l.since AND p.claim < l.ended
    JOIN LATERAL ${ASSETS} ON a.asset = p.asset_id WHERE l.type = 'limit' AND ${valueIn('p')} > l.amount
  UNION ALL
  SELECT p.key, 'was claimed without the approvals of ' || l.name FROM claims p JOIN spans l ON p.claim > l.since AND p.claim < l.ended
    JOIN LATERAL ${ASSETS} ON a.asset = p.asset_id WHERE l.type = 'approvals' AND ${valueIn('p')} > l.amount
      AND ((SELECT count(DISTINCT lower(e.identity)) FROM @.events e WHERE ${isApproval('p.claim')}) < l.count
        OR EXISTS (SELECT FROM @.events e WHERE ${isDenial('p.claim')}))
  UNION ALL
  SELECT p.key, 'has a destination or an asset that ' || l.name || ' does not allow'
    FROM claims p JOIN spans l ON p.claim > l.since AND p.claim < l.ended
    WHERE l.type = 'allow' AND (p.address <> ALL(l.destinations) OR p.asset_id <> ALL(l.assets))
  UNION ALL
  SELECT p.key, 'was claimed before the delay of ' || l.name FROM claims p JOIN spans l ON p.claim > l.since AND p.claim < l.ended
    WHERE l.type = 'delay' AND coalesce(p.asset_id = ANY(l.assets), true) AND p.pending_since < make_interval(secs => l.seconds)
      + (SELECT min(requested_at) FROM @.payments o WHERE o.address = p.address)
  LIMIT 1000`

/** SQL: payouts whose requester, reference or time of the claim is not that of their history. */
const CHANGED = `SELECT p.key, 'its requester or reference is not that of its first event' AS message
  FROM @.payments p JOIN LATERAL (SELECT actor, reference FROM @.events
    WHERE kind = 'payout' AND subject = p.seq ORDER BY seq LIMIT 1) AS e ON true
  WHERE p.address IS NOT NULL AND (p.requested_by <> e.actor OR p.reference IS DISTINCT FROM e.reference)
  UNION ALL
  SELECT p.key, 'no attempt was claimed at its time' FROM @.payments p
  WHERE p.address IS NOT NULL AND p.status IN ('pending', 'accepted')
    AND NOT EXISTS (SELECT FROM @.attempt_payments ap JOIN @.attempts t ON t.seq = ap.attempt
      WHERE ap.payment = p.seq AND t.claimed_at = p.pending_since)
    AND NOT EXISTS (SELECT FROM @.unknown_outputs u WHERE u.payment = p.seq)
  LIMIT 1000`

/** Columns by which the sums of a kind of limits are divided. */
const GROUPS: { readonly [per: string]: string } = {
  total: 'true',
  destination: 'p.address',
  reference: `coalesce(p.reference, '')`,
}

/** SQL: payouts with which a sum exceeded the limit `$1`, whose window is `$2` long. */
const exceeded = (per: string) => `WITH spans AS (${SPANS}), claims AS (${CLAIMS})
  SELECT s.key FROM (
    SELECT p.key, p.claim, l.amount AS most, l.since, l.ended,
      sum(${valueIn('p')}) OVER (PARTITION BY ${GROUPS[per]} ORDER BY p.pending_since
        RANGE BETWEEN $2::interval PRECEDING AND CURRENT ROW) AS total
    FROM spans l CROSS JOIN LATERAL ${ASSETS} JOIN claims p ON p.asset_id = a.asset
    -- One that was made although it had ended did not count until then.
    WHERE l.id = $1 AND NOT EXISTS (SELECT FROM @.events e WHERE e.kind = 'payout' AND e.subject = p.seq
      AND e.new_status = 'accepted' AND e.old_status <> 'pending')
  ) AS s WHERE s.total > s.most AND s.claim > s.since AND s.claim < s.ended LIMIT 1000`

/** Payouts that were claimed although a limit did not allow it, or whose columns that limits depend on were changed. */
export async function limitFaults(database: Database): Promise<AuditFault[]> {
  const faultOf = (key: string, message: string): AuditFault => {
    return { kind: 'payout', key: keyOf(key), message }
  }
  const changed = await database.report<{ key: string; message: string }>(CHANGED)
  const faults = changed.map(({ key, message }) => faultOf(key, message))
  const rules = await database.report<{ id: Digits; name: string; per: string; seconds: Digits }>(
    `SELECT id, name, per, seconds FROM @.limits WHERE type = 'limit' AND per <> 'payout' ORDER BY id`,
  )
  if ((await database.report('SELECT FROM @.limits LIMIT 1')).length === 0) return faults
  for (const { key, message } of await database.report<{ key: string; message: string }>(FAULTS))
    faults.push(faultOf(key, message))
  for (const { id, name, per, seconds } of rules) {
    // A payout leaves the window exactly after its length.
    const span = `${seconds} seconds -1 microseconds`
    for (const { key } of await database.report<{ key: string }>(exceeded(per), [id, span]))
      faults.push(faultOf(key, `exceeds the limit ${name} with others`))
  }
  return faults
}
