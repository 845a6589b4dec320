import type { Queries } from '../../database/database.ts'
import { type Digits, textColumn } from '../../database/values.ts'
import type { Message } from './messages.ts'

// Messages that wait in the database: the first of a lane for its next attempt, the others behind it.

/** A message that is due. */
export type DueMessage = {
  readonly event: bigint
  readonly lane: string
  readonly attempts: number
}

/**
 * Lanes in which messages wait. The first message of each is made due if it was behind another one: a process may have been
 * killed after it had recorded the end of that one.
 */
export async function settleLanes(queries: Queries, webhook: string): Promise<Set<string>> {
  const rows = await queries.query<{ lane: string }>(
    `WITH head AS (
       SELECT DISTINCT ON (lane) lane, event, next_at FROM @.webhook_messages WHERE webhook = $1 AND dead_at IS NULL
       ORDER BY lane, event
     ), due AS (
       UPDATE @.webhook_messages m SET next_at = now() FROM head
       WHERE m.webhook = $1 AND m.event = head.event AND head.next_at = 'infinity'
     ) SELECT lane FROM head`,
    [webhook],
  )
  return new Set(rows.map(({ lane }) => lane))
}

/** Stores messages that wait behind others of their lanes. */
export async function storeBehind(
  queries: Queries,
  webhook: string,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0) return
  await queries.query(
    `INSERT INTO @.webhook_messages (webhook, event, lane, next_at)
     SELECT $1, e, l, 'infinity' FROM unnest($2::bigint[], $3::text[]) AS given(e, l) ON CONFLICT DO NOTHING`,
    [webhook, messages.map(({ event }) => event), messages.map(({ lane }) => lane)],
  )
}

/** Records a failed attempt. The message is dead if there is no time of the next one. */
export async function storeFailure(
  queries: Queries,
  webhook: string,
  { event, lane }: Pick<Message, 'event' | 'lane'>,
  failure: {
    readonly attempts: number
    readonly error: string
    readonly seconds: number | undefined
  },
): Promise<void> {
  const { attempts, error, seconds = null } = failure
  await queries.query(
    // Not all at the same moment: a receiver that comes back is not overrun.
    `INSERT INTO @.webhook_messages AS m (webhook, event, lane, attempts, last_error, next_at, dead_at)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => coalesce($6::float8, 0) * (1 + random() / 10)),
       CASE WHEN $6::float8 IS NULL THEN now() END)
     ON CONFLICT (webhook, event) DO UPDATE SET attempts = excluded.attempts, last_error = excluded.last_error,
       next_at = excluded.next_at, dead_at = excluded.dead_at`,
    [webhook, event, lane, attempts, textColumn(error).slice(0, 500), seconds],
  )
}

/** Removes a message that was delivered. */
export async function removeDelivered(
  queries: Queries,
  webhook: string,
  event: bigint,
): Promise<void> {
  await queries.query('DELETE FROM @.webhook_messages WHERE webhook = $1 AND event = $2', [
    webhook,
    event,
  ])
}

/** Makes the first message of a lane due if it was behind another one. Returns whether any message waits. */
export async function settleLane(
  queries: Queries,
  webhook: string,
  lane: string,
): Promise<boolean> {
  const rows = await queries.query(
    `WITH head AS (
       SELECT event, next_at FROM @.webhook_messages WHERE webhook = $1 AND lane = $2 AND dead_at IS NULL
       ORDER BY event LIMIT 1
     ), due AS (
       UPDATE @.webhook_messages m SET next_at = now() FROM head
       WHERE m.webhook = $1 AND m.event = head.event AND head.next_at = 'infinity'
     ) SELECT event FROM head`,
    [webhook, lane],
  )
  return rows.length > 0
}

/** Messages that are due, oldest first. */
export async function readDue(
  queries: Queries,
  webhook: string,
  limit: number,
): Promise<DueMessage[]> {
  const rows = await queries.query<{ event: Digits; lane: string; attempts: number }>(
    `SELECT event, lane, attempts FROM @.webhook_messages
     WHERE webhook = $1 AND dead_at IS NULL AND next_at <= now() ORDER BY event LIMIT $2`,
    [webhook, limit],
  )
  return rows.map((row) => ({ ...row, event: BigInt(row.event) }))
}
