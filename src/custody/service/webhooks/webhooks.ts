import { argument, type Check, list, object, optional, text } from '../../../core/base/argument.ts'
import { position } from '../../arguments.ts'
import type { Digits } from '../../database/values.ts'
import { ServiceError } from '../errors.ts'
import { openTables, type ServiceTables, serviceTables } from '../tokens.ts'

/** The state of deliveries to one receiver. */
export type WebhookInfo = {
  readonly name: string
  /** Cursor of the event up to which all are delivered or counted below. */
  readonly cursor: bigint
  /** Events after the cursor, those of other topics included. */
  readonly behind: number
  readonly delivered: bigint
  readonly lastDelivery: Date | undefined
  /** Messages that wait for another attempt, or behind such a message. */
  readonly waiting: number
  readonly dead: number
}

/** A message that is not sent any more, until it is replayed. */
export type DeadMessage = {
  readonly webhook: string
  /** Cursor of its event. */
  readonly event: bigint
  /** What it is ordered by: the reference, or the payout or deposit. */
  readonly lane: string
  readonly attempts: number
  readonly lastError: string | undefined
  readonly deadAt: Date
}

/** Selects messages to send again. */
export type ReplayOptions = {
  /**
   * Cursors of events of messages.
   *
   * @defaultValue all dead messages, and all that wait for another attempt
   */
  readonly events?: readonly bigint[] | undefined
}

const replayOptions: Check<ReplayOptions> = object<ReplayOptions>({
  events: optional(list(position)),
})

/** Webhooks of a service: their state, and messages that were not accepted. */
export type Webhooks = {
  /** The state of all receivers. */
  readonly list: () => Promise<WebhookInfo[]>
  /** Dead messages, oldest first; at most 10,000. */
  readonly dead: () => Promise<DeadMessage[]>
  /**
   * Sends dead messages again, with the same IDs, and those that wait for another attempt without further pause: the
   * receiver works again. Returns how many.
   *
   * @throws ServiceError `WEBHOOK_UNKNOWN`
   */
  readonly replay: (name: string, options?: ReplayOptions) => Promise<number>
  /** Closes the database connections, except those of a pool that the caller passed. */
  readonly close: () => Promise<void>
}

/**
 * Opens the webhooks of a service.
 *
 * @example
 * const webhooks = await openWebhooks({ database: 'postgres://localhost/custody' })
 * for (const { event, lastError } of await webhooks.dead()) console.log(event, lastError)
 */
export async function openWebhooks(options: ServiceTables): Promise<Webhooks> {
  const database = await openTables(argument('openWebhooks', options, serviceTables))
  return {
    list: async () => {
      const rows = await database.query<InfoColumns>(
        `SELECT w.*, (SELECT count(*) FROM @.events e WHERE e.seq > w.cursor) AS behind,
           (SELECT count(*) FROM @.webhook_messages m WHERE m.webhook = w.name AND dead_at IS NULL) AS waiting,
           (SELECT count(*) FROM @.webhook_messages m WHERE m.webhook = w.name AND dead_at IS NOT NULL) AS dead
         FROM @.webhooks w ORDER BY name`,
      )
      return rows.map((row) => ({
        name: row.name,
        cursor: BigInt(row.cursor),
        behind: Number(row.behind),
        delivered: BigInt(row.delivered),
        lastDelivery: row.last_delivery ?? undefined,
        waiting: Number(row.waiting),
        dead: Number(row.dead),
      }))
    },
    dead: async () => {
      const rows = await database.query<DeadColumns>(
        `SELECT * FROM @.webhook_messages WHERE dead_at IS NOT NULL ORDER BY webhook, event LIMIT 10000`,
      )
      return rows.map((row) => ({
        webhook: row.webhook,
        event: BigInt(row.event),
        lane: row.lane,
        attempts: row.attempts,
        lastError: row.last_error ?? undefined,
        deadAt: row.dead_at,
      }))
    },
    replay: async (name, given = {}) => {
      const webhook = argument('replay', name, text, 'name')
      const { events = null } = argument('replay', given, replayOptions)
      const [known] = await database.query('SELECT FROM @.webhooks WHERE name = $1', [webhook])
      if (known === undefined) throw new ServiceError('WEBHOOK_UNKNOWN', 'no webhook has this name')
      const replayed = await database.query(
        `WITH chosen AS (
           SELECT event, lane FROM @.webhook_messages
           WHERE webhook = $1 AND (dead_at IS NOT NULL OR next_at > now() AND next_at < 'infinity')
             AND ($2::bigint[] IS NULL OR event = ANY($2))
         )
         UPDATE @.webhook_messages m SET dead_at = NULL, attempts = CASE WHEN dead_at IS NULL THEN attempts ELSE 0 END,
           next_at = CASE
             -- In the order of the lane, also behind a message that waits.
             WHEN EXISTS (SELECT FROM chosen f WHERE f.lane = m.lane AND f.event < m.event)
               OR EXISTS (SELECT FROM @.webhook_messages f WHERE f.webhook = $1 AND f.lane = m.lane AND f.event < m.event
                 AND f.dead_at IS NULL) THEN 'infinity' ELSE now() END
         FROM chosen WHERE m.webhook = $1 AND m.event = chosen.event RETURNING 1`,
        [webhook, events],
      )
      return replayed.length
    },
    close: () => database.close(),
  }
}

type InfoColumns = {
  readonly name: string
  readonly cursor: Digits
  readonly behind: Digits
  readonly delivered: Digits
  readonly last_delivery: Date | null
  readonly waiting: Digits
  readonly dead: Digits
}

type DeadColumns = {
  readonly webhook: string
  readonly event: Digits
  readonly lane: string
  readonly attempts: number
  readonly last_error: string | null
  readonly dead_at: Date
}
