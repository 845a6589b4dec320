import { type Check, integerFrom, object, optional } from '../../core/base/argument.ts'
import { position } from '../arguments.ts'
import type { Database } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits, keyOf } from '../database/values.ts'

/** What an event is about. */
export type EventKind = 'payout' | 'attempt' | 'deposit' | 'approval' | 'limit' | 'problem'

/**
 * A change of a status, a decision about a payout, or a change of a limit. The last event of a payout, an attempt or a
 * deposit has its present status.
 */
export type StatusEvent = {
  /** Grows with every event, with gaps. */
  readonly cursor: bigint
  readonly at: Date
  /** The role of the database session; after a slash the identity that it acted for. */
  readonly actor: string
  readonly kind: EventKind
  /**
   * Row number of the payout, attempt or limit, the cursor of the deposit, or 0 for a problem. An approval is about a
   * payout.
   */
  readonly subject: bigint
  /** Idempotency key of the payout, or code of the problem. */
  readonly key: string | undefined
  /** The caller's name for the account of the payout, or of the address of the deposit. */
  readonly reference: string | undefined
  /** Undefined for the first event of a subject. */
  readonly oldStatus: string | undefined
  /**
   * Of a payout: `queued`, `held`, `pending`, `accepted`, `rejected` or `canceled`; of an attempt: `pending`, `accepted`
   * or `rejected`; of a deposit: its kind; of an approval: `approved` or `denied`; of a limit: `set` or `removed`; of a
   * problem: `open` or `resolved`.
   */
  readonly newStatus: string
  /** The transaction concerned. */
  readonly txID: Uint8Array | undefined
  /** Of a limit: its name. */
  readonly reason: string | undefined
  /** Who approved or denied a payout: a database role, or the identity that a service acted for. */
  readonly identity: string | undefined
}

/** Selects events. */
export type EventsQuery = {
  /**
   * Cursor of the last event that was processed.
   *
   * @defaultValue 0
   */
  readonly after?: bigint | undefined
  /** @defaultValue 1000 */
  readonly limit?: number | undefined
}

/** Describes the argument of `custody.events`. */
export const eventsQuery: Check<EventsQuery> = object<EventsQuery>({
  after: optional(position),
  limit: optional(integerFrom(1, 100_000)),
})

type EventColumns = {
  readonly seq: Digits
  readonly at: Date
  readonly actor: string
  readonly kind: EventKind
  readonly subject: Digits
  readonly key: string | null
  readonly reference: string | null
  readonly old_status: string | null
  readonly new_status: string
  readonly tx_id: Bytes | null
  readonly reason: string | null
  readonly identity: string | null
}

/**
 * The last event such that no event before it can appear any more. Events are numbered before they are committed, so
 * this waits for all transactions that are adding some.
 */
export async function lastEvent(database: Database): Promise<bigint> {
  return database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `avmkit events ${database.schema}`,
    ])
    const [row] = await tx.query<{ last: Digits }>(
      'SELECT coalesce(max(seq), 0) AS last FROM @.events',
    )
    return BigInt(row!.last)
  })
}

/** Reads events in the order of their cursors. */
export async function readEvents(
  database: Database,
  { after = 0n, limit = 1000 }: EventsQuery,
): Promise<StatusEvent[]> {
  const rows = await database.query<EventColumns>(
    'SELECT * FROM @.events WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3',
    [after, await lastEvent(database), limit],
  )
  return rows.map((row) => ({
    cursor: BigInt(row.seq),
    at: row.at,
    actor: row.actor,
    kind: row.kind,
    subject: BigInt(row.subject),
    key: row.key === null ? undefined : keyOf(row.key),
    reference: row.reference ?? undefined,
    oldStatus: row.old_status ?? undefined,
    newStatus: row.new_status,
    txID: row.tx_id === null ? undefined : bytesOf(row.tx_id),
    reason: row.reason ?? undefined,
    identity: row.identity ?? undefined,
  }))
}
