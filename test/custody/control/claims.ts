import { lockChain } from '../../../src/custody/database/chain-row.ts'
import type { Database, Queries } from '../../../src/custody/database/database.ts'
import { lockPayouts } from '../../../src/custody/payouts/queue.ts'
import type { Settings } from '../../../src/custody/settings.ts'
import { withoutTriggers } from '../postgres.ts'

let attempts = 0

/** Claims payouts by statements, whatever a worker would choose. */
export async function claimRows(tx: Queries, keys: readonly string[]): Promise<void> {
  await tx.query(
    `WITH attempt AS (
       INSERT INTO @.attempts (tx_id, kind, purpose, bytes, from_height)
       VALUES (sha256($2::text::bytea), 'payment', 'payout', '', 1) RETURNING seq
     ), linked AS (
       INSERT INTO @.attempt_payments (attempt, position, payment)
       SELECT attempt.seq, row_number() OVER (), p.seq FROM attempt, @.payments p WHERE p.key = ANY($1::text[])
     )
     UPDATE @.payments SET status = 'pending', pending_since = now(), draft = NULL, note = NULL,
       stopped_by = NULL, recheck_at = NULL WHERE key = ANY($1::text[])`,
    [keys, `attempt ${++attempts}`],
  )
}

/** Whether the database lets payouts be claimed together. */
export async function tryClaim(database: Database, keys: readonly string[]): Promise<boolean> {
  try {
    await database.transaction(async (tx) => {
      await lockChain(tx)
      await claimRows(tx, keys)
    })
    return true
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } }
    if (cause?.code !== 'AK005') throw error
    return false
  }
}

/** Claims what a worker would, and returns the keys. */
export async function claimNext(database: Database, settings: Settings): Promise<string[]> {
  return database.transaction(async (tx) => {
    await lockChain(tx)
    const keys = (await lockPayouts(tx, settings, [])).map(({ key }) => key)
    if (keys.length > 0) await claimRows(tx, keys)
    return keys
  })
}

/** Lets time pass: everything that happened is moved into the past. */
export async function passTime(database: Database, seconds: number): Promise<void> {
  const ago = `interval '${seconds} seconds'`
  await withoutTriggers(
    database,
    `UPDATE @.payments SET requested_at = requested_at - ${ago}, pending_since = pending_since - ${ago},
       recheck_at = recheck_at - ${ago}, stopped_until = stopped_until - ${ago};
     UPDATE @.attempts SET claimed_at = claimed_at - ${ago}; UPDATE @.events SET at = at - ${ago};
     UPDATE @.limits SET set_at = set_at - ${ago}, removed_at = removed_at - ${ago}`,
  )
}

/** Ends the attempts of pending payouts, as a block does: these become paid, canceled, or return to the queue. */
export async function endAttempts(
  database: Database,
  keys: readonly string[],
  status: 'accepted' | 'canceled' | 'queued',
): Promise<void> {
  const outcome = status === 'accepted' ? 'accepted' : 'rejected'
  await withoutTriggers(
    database,
    `UPDATE @.attempts t SET outcome = '${outcome}', decided_by = tx_id FROM @.attempt_payments ap, @.payments p
       WHERE ap.attempt = t.seq AND p.seq = ap.payment AND t.outcome IS NULL AND p.key IN (${keys.map((key) => `'${key}'`).join()});
     UPDATE @.payments p SET status = '${status}', outcome = '${status === 'canceled' ? 'canceled' : outcome}'
       WHERE p.key IN (${keys.map((key) => `'${key}'`).join()});
     INSERT INTO @.events (actor, kind, subject, key, old_status, new_status) SELECT 'test', 'payout', seq, key, 'pending', status
       FROM @.payments WHERE key IN (${keys.map((key) => `'${key}'`).join()})`,
  )
}
