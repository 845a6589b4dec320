import {
  argument,
  type Check,
  integerFrom,
  invalid,
  list,
  located,
  object,
  optional,
  type Place,
  text,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { id } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { MAX_MEMO_SIZE } from '../../core/chain/x/verify/verify.ts'
import {
  type AddressArgument,
  type IDArgument,
  toAddress,
  toAssetID,
  toBytes,
} from '../../core/draft/arguments.ts'
import { address, amount, memo } from '../../core/draft/descriptions.ts'
import { keyConflict } from '../../wallet/machine/errors.ts'
import { type Content, contentDigest, encodeContent } from '../../wallet/payments/content.ts'
import { explainConflict, isKeyConflict } from '../../wallet/payments/details-text.ts'
import { requireKeys } from '../../wallet/payments/payment-keys.ts'
import type { KeyConflict } from '../../wallet/store/errors.ts'
import { reference, time } from '../arguments.ts'
import { channelsOf } from '../database/channels.ts'
import { CONTENT_COLUMNS, type ContentColumns, contentFrom } from '../database/content-columns.ts'
import { type Database, type Queries, sqlStateOf } from '../database/database.ts'
import { type Bytes, keyColumn, keyOf } from '../database/values.ts'
import { payoutContents } from './payout-content.ts'

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
  /** The caller's name for the account that pays; part of the events of the payout. */
  readonly reference?: string | undefined
}

/** Number of payouts that a call added, and of those that were known because they were requested before. */
export type Requested = { readonly added: number; readonly known: number }

/** Number of payouts that one statement adds. */
const PAYOUTS_PER_STATEMENT = 2_000
const MAX_PRIORITY = 1_000_000

/** A memo as bytes, of a size that transactions may have. */
const memoBytes: Check<Uint8Array> = (value, at) => {
  const given = memo(value, at)
  const bytes = located(at, () => toBytes(given))
  if (bytes.length > MAX_MEMO_SIZE) throw invalid(value, at, `at most ${MAX_MEMO_SIZE} bytes`)
  return bytes
}

/** A request after the check. */
type CheckedRequest = PayoutRequest & { readonly memo?: Uint8Array | undefined }

const payoutRequest: Check<CheckedRequest> = object<CheckedRequest>({
  key: text,
  to: address,
  amount,
  assetID: optional(id),
  memo: optional(memoBytes),
  priority: optional(integerFrom(-MAX_PRIORITY, MAX_PRIORITY)),
  notBefore: optional(time),
  reference: optional(reference),
})

/** Describes the argument of `custody.requestPayouts`. */
export const payoutRequests: Check<readonly CheckedRequest[]> = list(payoutRequest)

/** Describes the argument of `custody.requestEach`: a request that is not valid becomes its error. */
export const eachPayout: Check<readonly (CheckedRequest | AvmError)[]> = list((value, { call }) =>
  unlessRefused(() => argument(call, value, payoutRequest)),
)

/**
 * Puts payouts into the queue, all of them or none.
 *
 * @throws StoreError `KEY_CONFLICT` if a key was used for other content, or by a wallet with the same tables
 * @throws WalletError `BAD_KEY`, `KEYS_REPEATED`
 */
export async function requestPayouts(
  database: Database,
  context: NetworkContext,
  requests: readonly CheckedRequest[],
): Promise<Requested> {
  if (requests.length === 0) return { added: 0, known: 0 }
  const keys = requests.map(({ key }) => key)
  const parsed = requests.map((request, i) =>
    parsedRequest(request, context, { call: 'requestPayouts', path: `payouts[${i}].to` }),
  )
  const contents = parsed.flatMap((request) => payoutContents(request, context))
  requireKeys(keys)
  const channels = channelsOf(database.schema)
  const add = async (tx: Queries, rows: readonly NewPayoutRow[]) => {
    const results = await insert(tx, rows, channels.work)
    const conflicts = results.filter((result) => typeof result === 'object')
    if (conflicts.length > 0) throw keyConflict(conflicts)
    return results.filter((result) => result === 'added').length
  }
  const queue = async (tx: Queries) => {
    let added = 0
    let adding = Promise.resolve(0)
    for (let i = 0; i < parsed.length; i += PAYOUTS_PER_STATEMENT) {
      // Digests are computed while the database adds the rows before.
      const rows = parsed
        .slice(i, i + PAYOUTS_PER_STATEMENT)
        .map((request, n) => rowOfPayout(request, contents[i + n]!, context))
      added += await adding
      adding = add(tx, rows)
      // A failure is thrown when the next rows are ready.
      adding.catch(() => {})
      // Without this pause the statement would be sent only after the next digests.
      await new Promise((resolve) => setImmediate(resolve))
    }
    added += await adding
    return { added, known: parsed.length - added }
  }
  return database.transaction(queue).catch((error) => {
    throw isKeyConflict(error) ? explainConflict(error, context) : error
  })
}

/** Result of one payout of `custody.requestEach`: whether it was added or known, or why it was refused. */
export type PayoutResult = { readonly added: boolean } | { readonly error: AvmError }

/** Puts payouts into the queue, each for itself, with a few statements for all of them. */
export async function requestEach(
  database: Database,
  context: NetworkContext,
  requests: readonly (CheckedRequest | AvmError)[],
): Promise<PayoutResult[]> {
  const rows = requests.map((request) =>
    request instanceof AvmError
      ? request
      : unlessRefused(() => {
          const parsed = parsedRequest(request, context, { call: 'requestEach', path: 'to' })
          const [content] = payoutContents(parsed, context)
          requireKeys([request.key])
          return rowOfPayout(parsed, content!, context)
        }),
  )
  const valid = rows.flatMap((row) => (row instanceof AvmError ? [] : [row]))
  const results = valid.length === 0 ? [] : await insertEach(database, valid, context)
  return rows.map((row) => (row instanceof AvmError ? { error: row } : results.shift()!))
}

/** If the database refuses a statement because of one row, the others are added one by one. */
async function insertEach(
  database: Database,
  rows: readonly NewPayoutRow[],
  context: NetworkContext,
): Promise<PayoutResult[]> {
  try {
    return await database.transaction(async (tx) => {
      const results = await insert(tx, rows, channelsOf(database.schema).work)
      return results.map((result) =>
        typeof result === 'object'
          ? { error: explainConflict(keyConflict([result]), context) }
          : { added: result === 'added' },
      )
    })
  } catch (error) {
    if (!(error instanceof AvmError) || sqlStateOf(error) === undefined) throw error
    if (rows.length === 1) return [{ error }]
    const results: PayoutResult[] = []
    for (const row of rows) results.push(...(await insertEach(database, [row], context)))
    return results
  }
}

/** Returns the error instead of throwing it. */
function unlessRefused<T>(convert: () => T): T | AvmError {
  try {
    return convert()
  } catch (error) {
    if (error instanceof AvmError) return error
    throw error
  }
}

type ParsedRequest = CheckedRequest & { readonly to: Uint8Array }

function parsedRequest(request: CheckedRequest, context: NetworkContext, at: Place): ParsedRequest {
  return { ...request, to: located(at, () => toAddress(request.to, context)) }
}

type NewPayoutRow = {
  readonly key: string
  readonly digest: Uint8Array
  readonly content: Content
  readonly address: Uint8Array
  readonly assetID: Uint8Array
  readonly amount: bigint
  readonly memo: Uint8Array
  readonly priority: number
  readonly notBefore: Date | null
  readonly reference: string | null
}

function rowOfPayout(
  request: ParsedRequest,
  content: Content,
  context: NetworkContext,
): NewPayoutRow {
  const { key, to, amount, assetID, memo = new Uint8Array(), priority = 0 } = request
  return {
    key: keyColumn(key),
    digest: contentDigest(content, context),
    content,
    address: to,
    assetID: toAssetID(assetID, context),
    amount,
    memo,
    priority,
    notBefore: request.notBefore ?? null,
    reference: request.reference ?? null,
  }
}

/**
 * Adds rows, and says of each whether it was added, known with the same content, or in conflict with what is known.
 *
 * @param channel - workers that listen on it are notified by the same statement; once, as all of it is one transaction
 */
async function insert(
  tx: Queries,
  rows: readonly NewPayoutRow[],
  channel: string,
): Promise<('added' | 'known' | KeyConflict)[]> {
  const keys = rows.map(({ key }) => key)
  // The keys are returned only if they are needed.
  const [inserted] = await tx.query<{ keys: string[] | null }>(
    `WITH added AS (
       INSERT INTO @.payments (key, digest, status, address, asset_id, amount, memo, priority, not_before, reference)
       SELECT k, d, 'queued', a, s, m, e, p, b, r FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bytea[],
         $5::numeric[], $6::bytea[], $7::int[], $8::timestamptz[], $9::text[]) AS given(k, d, a, s, m, e, p, b, r)
       ON CONFLICT (key) DO NOTHING RETURNING key
     )
     SELECT CASE WHEN count(*) < cardinality($1::text[]) THEN coalesce(array_agg(key), '{}') END AS keys,
       CASE WHEN count(*) > 0 THEN pg_notify($10, '') END FROM added`,
    [
      keys,
      rows.map(({ digest }) => digest),
      rows.map(({ address }) => address),
      rows.map(({ assetID }) => assetID),
      rows.map(({ amount }) => amount),
      rows.map(({ memo }) => memo),
      rows.map(({ priority }) => priority),
      rows.map(({ notBefore }) => notBefore),
      rows.map(({ reference }) => reference),
      channel,
    ],
  )
  if (inserted!.keys === null) return rows.map(() => 'added')
  const known = await tx.query<ContentColumns & { key: string; digest: Bytes; is_payout: boolean }>(
    `SELECT key, digest, address IS NOT NULL AS is_payout, ${CONTENT_COLUMNS} FROM @.payments p
     WHERE key = ANY($1::text[])`,
    [keys],
  )
  const found = new Map(known.map((row) => [row.key, row]))
  // If a key is repeated, the first of its rows was added.
  const added = new Set(inserted!.keys)
  return rows.map(({ key, digest, content }) => {
    if (added.delete(key)) return 'added'
    const first = found.get(key)!
    // The payment of a wallet has no place in the queue: if it failed, workers would not make it again.
    return first.is_payout && equalBytes(digest, first.digest)
      ? 'known'
      : { key: keyOf(key), recorded: contentFrom(first), requested: encodeContent(content) }
  })
}
