import type { AddressArgument, IDArgument } from '../build/arguments.ts'
import { toAddress, toAssetID, toBytes } from '../build/arguments.ts'
import { equalBytes } from '../bytes/compare.ts'
import type { NetworkContext } from '../chain/networks.ts'
import { MAX_MEMO_SIZE } from '../chain/verify.ts'
import { formatAddress } from '../encoding/address.ts'
import {
  isBytes,
  requireBigints,
  requireFields,
  requireList,
  requireText,
} from '../encoding/require.ts'
import { keyConflict } from '../wallet/payment-errors.ts'
import { claimedPayments, requireKeyText } from '../wallet/payment-keys.ts'
import { type MembersOf, requireInteger, requireMembers, requireTime, shown } from './arguments.ts'
import { channelsOf } from './channels.ts'
import { type Database, type Queries, sqlStateOf } from './database.ts'
import { CustodyError } from './errors.ts'
import { payoutContents } from './payout-content.ts'
import { type Bytes, bytesOf, type Digits, keyColumn, keyOf, textColumn } from './values.ts'

/** A payout to be made. */
export type PayoutRequest = {
  /** Idempotency key: 1 to 256 characters. The same key with the same content is the same payout. */
  readonly key: string
  readonly to: AddressArgument
  /** In the asset's smallest unit. */
  readonly amount: bigint
  /** @defaultValue the native asset */
  readonly assetID?: IDArgument | undefined
  /** At most 256 bytes. Payouts with different memos are made by different transactions. */
  readonly memo?: Uint8Array | string | undefined
  /**
   * Payouts with a higher number come first. An integer from −1,000,000 to 1,000,000.
   *
   * @defaultValue 0
   */
  readonly priority?: number | undefined
  /** Not made before this time, by the clock of the database. */
  readonly notBefore?: Date | undefined
}

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
  /** Queued, but not to be made until it is released. */
  readonly held: boolean
  /** Why it is held or delayed. */
  readonly note: string | undefined
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

/** Number of payouts that a call added, and of those that were known because they were requested before. */
export type Requested = { readonly added: number; readonly known: number }

/** Number of payouts that one statement adds. */
const CHUNK = 5_000
const MAX_PRIORITY = 1_000_000
const MAX_LIMIT = 1_000_000
/** SQLSTATE of a row that violates a check constraint of its table. */
const CHECK_VIOLATION = '23514'

const REQUEST_MEMBERS: MembersOf<PayoutRequest> = {
  key: true,
  to: true,
  amount: true,
  assetID: true,
  memo: true,
  priority: true,
  notBefore: true,
}

/** Members of a query. */
export const PAYOUTS_QUERY: MembersOf<PayoutsQuery> = {
  keys: true,
  status: true,
  after: true,
  limit: true,
}

/**
 * Puts payouts into the queue, all of them or none.
 *
 * @throws CustodyError `BAD_ARGUMENT`
 * @throws StoreError `KEY_CONFLICT` if a key was used for other content, or by a wallet with the same tables
 * @throws WalletError `BAD_KEY`, `KEYS_REPEATED`
 */
export async function requestPayouts(
  database: Database,
  context: NetworkContext,
  requests: readonly PayoutRequest[],
): Promise<Requested> {
  if (!Array.isArray(requests)) throw new CustodyError('BAD_ARGUMENT', 'expected a list of payouts')
  if (requests.length === 0) return { added: 0, known: 0 }
  for (const [i, request] of requests.entries()) {
    requireMembers(request, `payouts[${i}]`, REQUEST_MEMBERS)
    requireBigints(request, `payouts[${i}]`, ['amount'])
    requireFields(request, `payouts[${i}]`, ['key', 'to'])
  }
  const keys = requests.map(({ key }) => key)
  const contents = requests.flatMap((request) =>
    payoutContents({ ...request, to: oneAddress(request.to) }, context),
  )
  const payments = claimedPayments({ keys }, contents, context)
  const rows = requests.map((request, i) => rowOf(request, payments[i]!.digest, context))
  return database.transaction(async (tx) => {
    let added = 0
    for (let i = 0; i < rows.length; i += CHUNK) added += await insert(tx, rows.slice(i, i + CHUNK))
    await tx.query(`SELECT pg_notify($1, '')`, [channelsOf(database.schema).work])
    return { added, known: rows.length - added }
  })
}

type Row = {
  readonly key: string
  readonly digest: Uint8Array
  readonly address: Uint8Array
  readonly assetID: Uint8Array
  readonly amount: bigint
  readonly memo: Uint8Array
  readonly priority: number
  readonly notBefore: Date | null
}

function rowOf(request: PayoutRequest, digest: Uint8Array, context: NetworkContext): Row {
  const { key, to, amount, assetID, memo, priority = 0, notBefore } = request
  if (!Number.isInteger(priority) || Math.abs(priority) > MAX_PRIORITY)
    throw new CustodyError(
      'BAD_ARGUMENT',
      `priority: expected an integer from -${MAX_PRIORITY} to ${MAX_PRIORITY}, got ${shown(priority)}`,
      { keys: [key] },
    )
  if (notBefore !== undefined && notBefore !== null) requireTime(notBefore, 'notBefore')
  const bytes = toBytes(memo)
  if (bytes.length > MAX_MEMO_SIZE)
    throw new CustodyError(
      'BAD_ARGUMENT',
      `memo: ${bytes.length} bytes, at most ${MAX_MEMO_SIZE} are allowed`,
      { keys: [key] },
    )
  return {
    key: keyColumn(key),
    digest,
    address: toAddress(to, context),
    assetID: toAssetID(assetID, context),
    amount,
    memo: bytes,
    priority,
    notBefore: notBefore ?? null,
  }
}

/** Rejects several owners: a payout has one address. */
function oneAddress(to: AddressArgument): AddressArgument {
  if (typeof to === 'string' || isBytes(to)) return to
  throw new CustodyError('BAD_ARGUMENT', 'to: expected one address')
}

async function insert(tx: Queries, rows: readonly Row[]): Promise<number> {
  const keys = rows.map(({ key }) => key)
  const [result] = await tx.query<{ added: Digits }>(
    `WITH added AS (
       INSERT INTO @.payments (key, digest, status, address, asset_id, amount, memo, priority, not_before)
       SELECT k, d, 'queued', a, s, m, e, p, b FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bytea[],
         $5::numeric[], $6::bytea[], $7::int[], $8::timestamptz[]) AS given(k, d, a, s, m, e, p, b)
       ON CONFLICT (key) DO NOTHING RETURNING 1
     ) SELECT count(*) AS added FROM added`,
    [
      keys,
      rows.map(({ digest }) => digest),
      rows.map(({ address }) => address),
      rows.map(({ assetID }) => assetID),
      rows.map(({ amount }) => amount),
      rows.map(({ memo }) => memo),
      rows.map(({ priority }) => priority),
      rows.map(({ notBefore }) => notBefore),
    ],
  )
  const added = Number(result!.added)
  if (added === rows.length) return added
  const known = await tx.query<{ key: string; digest: Bytes; is_payout: boolean }>(
    'SELECT key, digest, address IS NOT NULL AS is_payout FROM @.payments WHERE key = ANY($1::text[])',
    [keys],
  )
  const digests = new Map(rows.map(({ key, digest }) => [key, digest]))
  // The payment of a wallet has no place in the queue: if it failed, workers would not make it again.
  const conflicts = known.filter(
    ({ key, digest, is_payout }) => !is_payout || !equalBytes(digest, digests.get(key)!),
  )
  if (conflicts.length > 0) throw keyConflict(conflicts.map(({ key }) => keyOf(key)))
  return added
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
  readonly note: string | null
  readonly missing: Digits | null
  readonly missing_asset: Bytes | null
  readonly requested_at: Date
  readonly pending_since: Date | null
  readonly ended_at: Date | null
  readonly hrp: string
}

/** The statuses of a payout as the table has them. */
const STATUSES: { readonly [status in PayoutStatus]: readonly string[] } = {
  queued: ['queued', 'held'],
  pending: ['pending'],
  paid: ['accepted'],
  failed: ['rejected'],
  canceled: ['canceled'],
}

/** Reads payouts, in the order of the keys or of their requests. Keys that were not requested are left out. */
export async function readPayouts(
  database: Database,
  { keys, status, after, limit = 1000 }: PayoutsQuery,
): Promise<Payout[]> {
  if (keys !== undefined) requireKeyList(keys)
  if (status !== undefined) requireText(status, 'status')
  if (status !== undefined && !Object.hasOwn(STATUSES, status))
    throw new CustodyError('BAD_ARGUMENT', `unknown status ${JSON.stringify(status)}`)
  requireInteger(limit, 'limit', 1, MAX_LIMIT)
  const position = after === undefined ? null : await positionOf(database, after)
  const rows = await database.query<PayoutColumns>(
    `SELECT p.key, p.status, p.outcome_tx, p.address, p.asset_id, p.amount, p.priority, p.note, p.missing,
       p.missing_asset, p.requested_at, p.pending_since, p.ended_at, (SELECT hrp FROM @.chain) AS hrp,
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
      status === undefined ? null : STATUSES[status],
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
  requireKeyText(key)
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
  const shown = (Object.keys(STATUSES) as PayoutStatus[]).find((name) =>
    STATUSES[name].includes(status),
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
    held: status === 'held',
    note: row.note ?? undefined,
    missing:
      missing === null || missing_asset === null || shown !== 'queued'
        ? undefined
        : { assetID: bytesOf(missing_asset), amount: BigInt(missing) },
    requestedAt: row.requested_at,
    pendingSince: row.pending_since ?? undefined,
    endedAt: row.ended_at ?? undefined,
  }
}

/** Keeps queued payouts from being made until they are released. */
export async function holdPayouts(
  database: Database,
  keys: readonly string[],
  reason: string,
): Promise<void> {
  requireText(reason, 'reason')
  return updatePayouts(
    database,
    keys,
    ['queued', 'held'],
    `status = 'held', draft = NULL, note = $2`,
    [textColumn(reason)],
  )
}

/**
 * Returns held payouts to the queue. Those that the policy had held are made without asking it again.
 *
 * @throws CustodyError `PAYOUT_STATUS` if one is not held, or is not a valid payout
 */
export async function releasePayouts(database: Database, keys: readonly string[]): Promise<void> {
  const set = `status = 'queued', note = NULL, released = CASE WHEN released IS NOT NULL THEN true END`
  try {
    await updatePayouts(database, keys, ['held', 'queued'], set, [])
  } catch (cause) {
    if (sqlStateOf(cause) !== CHECK_VIOLATION) throw cause
    throw new CustodyError('PAYOUT_STATUS', 'a row that is not a valid payout cannot be released', {
      cause,
      keys,
      hint: 'cancel it; nothing was changed',
    })
  }
}

/**
 * Cancels payouts. Those in the queue are canceled at once; for pending ones, workers make a transaction that spends
 * an input of each attempt back, and the chain decides.
 */
export function cancelPayouts(database: Database, keys: readonly string[]): Promise<void> {
  return updatePayouts(
    database,
    keys,
    ['queued', 'held', 'pending', 'canceled'],
    `cancel = (status = 'pending'), draft = CASE WHEN status = 'pending' THEN draft END,
     ended_at = CASE WHEN status = 'pending' THEN NULL ELSE now() END,
     status = CASE WHEN status = 'pending' THEN 'pending' ELSE 'canceled' END`,
    [],
  )
}

/** Rejects keys that are not a list: a single text is iterable as well. */
function requireKeyList(keys: readonly string[]): void {
  requireList(keys, 'keys')
  for (const key of keys) requireKeyText(key)
}

/**
 * Updates payouts: all of them, or none if one is unknown or not in one of the states.
 *
 * @param set - assignments of the UPDATE statement
 */
async function updatePayouts(
  database: Database,
  keys: readonly string[],
  states: readonly string[],
  set: string,
  values: readonly unknown[],
): Promise<void> {
  requireKeyList(keys)
  await database.transaction(async (tx) => {
    const rows = await tx.query<{ key: string; status: string }>(
      `SELECT key, status FROM @.payments WHERE key = ANY($1::text[]) AND address IS NOT NULL
       ORDER BY seq FOR UPDATE`,
      [keys.map(keyColumn)],
    )
    const found = new Map(rows.map(({ key, status }) => [keyOf(key), status]))
    const unknown = keys.filter((key) => !found.has(key))
    if (unknown.length > 0)
      throw new CustodyError('PAYOUT_UNKNOWN', `${unknown.length} keys have no payout`, {
        keys: unknown,
      })
    const wrong = keys.filter((key) => !states.includes(found.get(key)!))
    if (wrong.length > 0)
      throw new CustodyError(
        'PAYOUT_STATUS',
        `${wrong.length} payouts are ${[...new Set(wrong.map((key) => found.get(key)))].join(', ')}`,
        { keys: wrong, hint: 'nothing was changed' },
      )
    await tx.query(`UPDATE @.payments SET ${set} WHERE key = ANY($1::text[])`, [
      keys.map(keyColumn),
      ...values,
    ])
    await tx.query(`SELECT pg_notify($1, '')`, [channelsOf(database.schema).work])
  })
}
