import {
  type Check,
  integerFrom,
  list,
  object,
  oneOf,
  optional,
  text,
} from '../../core/base/argument.ts'
import { formatAddress } from '../../core/base/encoding/address.ts'
import { requireKeyText } from '../../wallet/payments/payment-keys.ts'
import type { Database } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits, keyColumn, keyOf } from '../database/values.ts'
import { CustodyError } from '../errors.ts'

/**
 * Status of a payout. `queued`: no transaction is claimed. `pending`: a transaction is claimed and may be accepted.
 * `paid`: it is accepted. `failed`: foreign transactions spent the inputs of its attempts too often; it was not made.
 */
export type PayoutStatus = 'queued' | 'pending' | 'paid' | 'failed' | 'canceled'

/** A payout. */
export type Payout = {
  readonly key: string
  readonly status: PayoutStatus
  /**
   * The accepted transaction if `paid`, the newest attempt if `pending`; if `failed` or `canceled`, the transaction
   * that spent an input of it. Undefined if `queued`, or canceled in the queue.
   */
  readonly txID: Uint8Array | undefined
  readonly to: string
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly assetID: Uint8Array
  readonly priority: number
  /** The caller's name for the account that pays. */
  readonly reference: string | undefined
  /** Queued, but not to be made until it is released. */
  readonly held: boolean
  /** Why it is held or delayed. */
  readonly note: string | undefined
  /** The rule that stops it, and until when if it ends with time; undefined if no rule does. See `custody.limits`. */
  readonly limit: { readonly name: string; readonly until: Date | undefined } | undefined
  /** The database role that requested it; after a slash the identity that it acted for. Undefined for old payouts. */
  readonly requestedBy: string | undefined
  /** What the hot wallet lacks for it; undefined if it does not wait for funds, or a payout before it does. */
  readonly missing: { readonly assetID: Uint8Array; readonly amount: bigint } | undefined
  readonly requestedAt: Date
  readonly pendingSince: Date | undefined
  readonly endedAt: Date | undefined
}

/** Selects payouts; without `keys` all of them, in the order of their requests. */
export type PayoutsQuery = {
  /**
   * Idempotency keys.
   *
   * @defaultValue all
   */
  readonly keys?: readonly string[] | undefined
  /**
   * Only payouts with this status.
   *
   * @defaultValue any
   */
  readonly status?: PayoutStatus | undefined
  /** Key of the last payout that was read. An unknown key is an error (`PAYOUT_UNKNOWN`). */
  readonly after?: string | undefined
  /**
   * Maximum number of payouts; ignored with `keys`.
   *
   * @defaultValue 1000
   */
  readonly limit?: number | undefined
}

type PayoutColumns = {
  readonly key: string
  readonly status: string
  readonly outcome_tx: Bytes | null
  readonly newest: Bytes | null
  readonly address: Bytes
  readonly asset_id: Bytes
  readonly amount: Digits
  readonly priority: number
  readonly reference: string | null
  readonly note: string | null
  readonly stopped_by: string | null
  readonly stopped_until: Date | null
  readonly requested_by: string | null
  readonly missing: Digits | null
  readonly missing_asset: Bytes | null
  readonly requested_at: Date
  readonly pending_since: Date | null
  readonly ended_at: Date | null
  readonly hrp: string
}

/** The statuses of a payout as the table has them. */
const TABLE_STATUSES: { readonly [status in PayoutStatus]: readonly string[] } = {
  queued: ['queued', 'held'],
  pending: ['pending'],
  paid: ['accepted'],
  failed: ['rejected'],
  canceled: ['canceled'],
}

/** Describes an idempotency key. */
export const payoutKey: Check<string> = (value, at) => {
  const key = text(value, at)
  requireKeyText(key)
  return key
}

/** Describes a list of idempotency keys. */
export const payoutKeys: Check<readonly string[]> = list(payoutKey)

/** Describes the argument of `custody.payouts`. */
export const payoutsQuery: Check<PayoutsQuery> = object<PayoutsQuery>({
  keys: optional(payoutKeys),
  status: optional(oneOf(...(Object.keys(TABLE_STATUSES) as PayoutStatus[]))),
  after: optional(payoutKey),
  limit: optional(integerFrom(1, 1_000_000)),
})

/** Reads payouts, in the order of the keys or of their requests. Keys that were not requested are left out. */
export async function readPayouts(
  database: Database,
  { keys, status, after, limit = 1000 }: PayoutsQuery,
): Promise<Payout[]> {
  const position = after === undefined ? null : await positionOf(database, after)
  const rows = await database.query<PayoutColumns>(
    `SELECT p.key, p.status, p.outcome_tx, p.address, p.asset_id, p.amount, p.priority, p.reference, p.note, p.missing,
       p.stopped_by, p.stopped_until, p.requested_by, p.missing_asset, p.requested_at, p.pending_since, p.ended_at, (SELECT hrp FROM @.chain) AS hrp,
       CASE WHEN p.status = 'pending' THEN (SELECT a.tx_id FROM @.attempt_payments ap
         JOIN @.attempts a ON a.seq = ap.attempt WHERE ap.payment = p.seq AND a.outcome IS NULL
           AND a.kind = 'payment' ORDER BY a.seq DESC LIMIT 1) END AS newest
     FROM @.payments p
     WHERE p.address IS NOT NULL AND ($1::text[] IS NULL OR p.key = ANY($1))
       AND ($2::text[] IS NULL OR p.status = ANY($2))
       AND ($3::bigint IS NULL OR p.seq > $3)
     ORDER BY p.seq LIMIT $4`,
    [
      keys === undefined ? null : keys.map(keyColumn),
      status === undefined ? null : TABLE_STATUSES[status],
      position,
      keys === undefined ? limit : null,
    ],
  )
  const payouts = rows.map(payoutFrom)
  if (keys === undefined) return payouts
  const byKey = new Map(payouts.map((payout) => [payout.key, payout]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}

/**
 * The row number of a payout.
 *
 * @throws CustodyError `PAYOUT_UNKNOWN`: an empty list would look like the end of all payouts
 */
async function positionOf(database: Database, key: string): Promise<Digits> {
  const [row] = await database.query<{ seq: Digits }>(
    'SELECT seq FROM @.payments WHERE key = $1 AND address IS NOT NULL',
    [keyColumn(key)],
  )
  if (row === undefined)
    throw new CustodyError('PAYOUT_UNKNOWN', 'after: no payout has this key', { keys: [key] })
  return row.seq
}

function payoutFrom(row: PayoutColumns): Payout {
  const { status, newest, outcome_tx, missing, missing_asset } = row
  const shown = (Object.keys(TABLE_STATUSES) as PayoutStatus[]).find((name) =>
    TABLE_STATUSES[name].includes(status),
  )!
  const txID = status === 'queued' || status === 'held' ? null : (newest ?? outcome_tx)
  return {
    key: keyOf(row.key),
    status: shown,
    txID: txID === null ? undefined : bytesOf(txID),
    to: formatAddress({ chain: 'X', hrp: row.hrp, address: bytesOf(row.address) }),
    amount: BigInt(row.amount),
    assetID: bytesOf(row.asset_id),
    priority: row.priority,
    reference: row.reference ?? undefined,
    held: status === 'held',
    note: row.note ?? undefined,
    limit:
      row.stopped_by === null || shown !== 'queued'
        ? undefined
        : { name: row.stopped_by, until: row.stopped_until ?? undefined },
    requestedBy: row.requested_by ?? undefined,
    missing:
      missing === null || missing_asset === null || shown !== 'queued'
        ? undefined
        : { assetID: bytesOf(missing_asset), amount: BigInt(missing) },
    requestedAt: row.requested_at,
    pendingSince: row.pending_since ?? undefined,
    endedAt: row.ended_at ?? undefined,
  }
}
