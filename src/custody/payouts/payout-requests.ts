import { equalBytes } from '../../core/base/bytes/compare.ts'
import { isBytes, requireBigints, requireFields } from '../../core/base/require.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { MAX_MEMO_SIZE } from '../../core/chain/x/verify/verify.ts'
import type { AddressArgument, IDArgument } from '../../core/draft/arguments.ts'
import { toAddress, toAssetID, toBytes } from '../../core/draft/arguments.ts'
import { keyConflict } from '../../wallet/payments/payment-errors.ts'
import { claimedPayments } from '../../wallet/payments/payment-keys.ts'
import { type MembersOf, requireMembers, requireTime, shown } from '../arguments.ts'
import { channelsOf } from '../database/channels.ts'
import type { Database, Queries } from '../database/database.ts'
import { type Bytes, type Digits, keyColumn, keyOf } from '../database/values.ts'
import { CustodyError } from '../errors.ts'
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
}

/** Number of payouts that a call added, and of those that were known because they were requested before. */
export type Requested = { readonly added: number; readonly known: number }

/** Number of payouts that one statement adds. */
const PAYOUTS_PER_STATEMENT = 5_000
const MAX_PRIORITY = 1_000_000

const REQUEST_MEMBERS: MembersOf<PayoutRequest> = {
  key: true,
  to: true,
  amount: true,
  assetID: true,
  memo: true,
  priority: true,
  notBefore: true,
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
  const rows = requests.map((request, i) => rowOfPayout(request, payments[i]!.digest, context))
  return database.transaction(async (tx) => {
    let added = 0
    for (let i = 0; i < rows.length; i += PAYOUTS_PER_STATEMENT)
      added += await insert(tx, rows.slice(i, i + PAYOUTS_PER_STATEMENT))
    await tx.query(`SELECT pg_notify($1, '')`, [channelsOf(database.schema).work])
    return { added, known: rows.length - added }
  })
}

type NewPayoutRow = {
  readonly key: string
  readonly digest: Uint8Array
  readonly address: Uint8Array
  readonly assetID: Uint8Array
  readonly amount: bigint
  readonly memo: Uint8Array
  readonly priority: number
  readonly notBefore: Date | null
}

function rowOfPayout(
  request: PayoutRequest,
  digest: Uint8Array,
  context: NetworkContext,
): NewPayoutRow {
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

async function insert(tx: Queries, rows: readonly NewPayoutRow[]): Promise<number> {
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
