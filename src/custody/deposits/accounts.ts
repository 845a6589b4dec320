import { WatchAccount } from '../../core/crypto/hd/account.ts'
import type { KnownAddress } from '../chain/outputs.ts'
import type { Queries } from '../database/database.ts'
import type { Digits } from '../database/values.ts'

/**
 * Number of addresses that one statement adds. Deriving one takes a few milliseconds; heartbeats of the leader's session
 * are sent between the statements.
 */
const DERIVED_PER_STATEMENT = 50
/**
 * Maximum number of addresses that are derived while a block or a walk is recorded, which locks the chain's row. The
 * leader derives the others between blocks, also as many at a time.
 */
export const MAX_DERIVED = 200

/**
 * Watches the addresses of an xpub, up to `gap` addresses beyond the last one that was paid. A later call can raise the
 * gap, but not lower it.
 */
export async function watchAccount(
  queries: Queries,
  xpub: string,
  gap: number,
  reference: string | undefined,
): Promise<void> {
  const column = reference ?? null
  const { extendedPublicKey } = new WatchAccount(xpub)
  await queries.query(
    `INSERT INTO @.accounts AS a (xpub, reference, gap, end_index) VALUES ($1, $2, $3::int, $3)
     ON CONFLICT (xpub) DO UPDATE SET gap = greatest(a.gap, $3), end_index = greatest(a.end_index, $3),
       reference = coalesce($2, a.reference)`,
    [extendedPublicKey, column, gap],
  )
  if (column !== null)
    await queries.query(
      'UPDATE @.addresses SET reference = $2 WHERE xpub = $1 AND reference IS DISTINCT FROM $2',
      [extendedPublicKey, column],
    )
  await deriveAddresses(queries, Number.POSITIVE_INFINITY, extendedPublicKey)
}

/**
 * Adds addresses to accounts whose addresses were paid, so that the gap beyond the last paid one is kept: at most
 * {@link MAX_DERIVED} at once. The accounts' rows tell the leader how many are missing.
 */
export async function extendAccounts(tx: Queries, paid: readonly KnownAddress[]): Promise<void> {
  const ofAccounts = paid.filter(({ xpub }) => xpub !== null)
  if (ofAccounts.length === 0) return
  await tx.query(
    `UPDATE @.accounts a SET end_index = last.i + 1 + a.gap
     FROM (SELECT x, max(i) AS i FROM unnest($1::text[], $2::bigint[]) AS paid(x, i) GROUP BY x) AS last
     WHERE a.xpub = last.x AND a.end_index < last.i + 1 + a.gap`,
    [ofAccounts.map(({ xpub }) => xpub), ofAccounts.map(({ xpub_index }) => xpub_index)],
  )
  await deriveAddresses(tx, MAX_DERIVED)
}

/**
 * Derives and adds addresses that accounts are missing. Can run concurrently, and again after an interruption.
 *
 * @param limit - maximum number of addresses to add
 * @param xpub - of the only account to extend. Default: all accounts; those that miss the fewest come first
 * @returns whether more are missing
 */
export async function deriveAddresses(
  queries: Queries,
  limit: number,
  xpub?: string,
): Promise<boolean> {
  for (let remaining = limit; ; ) {
    const [row] = await queries.query<{ xpub: string; next_index: Digits; end_index: Digits }>(
      `SELECT xpub, next_index, end_index FROM @.accounts
       WHERE next_index < end_index AND ($1::text IS NULL OR xpub = $1) ORDER BY end_index - next_index LIMIT 1`,
      [xpub ?? null],
    )
    if (row === undefined || remaining === 0) return row !== undefined
    const start = Number(row.next_index)
    const count = Math.min(DERIVED_PER_STATEMENT, remaining, Number(row.end_index) - start)
    await addAddresses(queries, row.xpub, start, count)
    remaining -= count
  }
}

/** Adds the next addresses of an account, unless another process has done so. */
async function addAddresses(
  queries: Queries,
  xpub: string,
  start: number,
  count: number,
): Promise<void> {
  const account = new WatchAccount(xpub)
  const indices = Array.from({ length: count }, (_, i) => start + i)
  await queries.query(
    // Locks the account before the addresses, as applying a block does, to prevent a deadlock.
    `WITH account AS (
       SELECT reference FROM @.accounts WHERE xpub = $3 AND next_index = $4 FOR UPDATE
     ), added AS (
       INSERT INTO @.addresses AS known (address, watched, reference, xpub, xpub_index)
       SELECT a, true, account.reference, $3, i FROM account, unnest($1::bytea[], $2::bigint[]) AS derived(a, i)
       -- Outputs to an address that was known, but not watched, are to become deposits.
       ON CONFLICT (address) DO UPDATE SET watched = true, xpub = excluded.xpub, xpub_index = excluded.xpub_index,
         reference = coalesce(excluded.reference, known.reference), walked = known.walked AND known.watched
     )
     UPDATE @.accounts SET next_index = $4::bigint + $5 FROM account WHERE xpub = $3`,
    [indices.map((index) => account.address({ change: 0, index })), indices, xpub, start, count],
  )
}
