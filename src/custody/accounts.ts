import { WatchAccount } from '../crypto/hd/account.ts'
import { referenceColumn, requireInteger } from './arguments.ts'
import type { Queries } from './database.ts'
import type { KnownAddress } from './outputs.ts'
import type { Digits } from './values.ts'

/**
 * Number of addresses that one statement adds. They are derived one after the other, within a few milliseconds each:
 * between the statements, heartbeats of the session are sent.
 */
const CHUNK = 50
const MAX_GAP = 100_000

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
  requireInteger(gap, 'gap', 1, MAX_GAP)
  const column = referenceColumn(reference)
  const account = new WatchAccount(xpub)
  await queries.query(
    `WITH renamed AS (UPDATE @.addresses SET reference = $2 WHERE xpub = $1 AND reference IS DISTINCT FROM $2 AND $2 IS NOT NULL)
     INSERT INTO @.accounts AS a (xpub, reference, gap) VALUES ($1, $2, $3)
     ON CONFLICT (xpub) DO UPDATE SET gap = greatest(a.gap, $3), reference = coalesce($2, a.reference)`,
    [xpub, column, gap],
  )
  await extendTo(queries, account, gap)
}

/** Adds addresses to accounts whose addresses were paid, so that the gap beyond the last paid one is kept. */
export async function extendAccounts(
  queries: Queries,
  paid: readonly KnownAddress[],
): Promise<void> {
  const highest = new Map<string, number>()
  for (const { xpub, xpub_index } of paid)
    if (xpub !== null) highest.set(xpub, Math.max(highest.get(xpub) ?? 0, Number(xpub_index)))
  for (const [xpub, index] of highest) {
    const [row] = await queries.query<{ gap: number; next_index: Digits }>(
      'SELECT gap, next_index FROM @.accounts WHERE xpub = $1',
      [xpub],
    )
    const end = index + 1 + row!.gap
    if (end > Number(row!.next_index)) await extendTo(queries, new WatchAccount(xpub), end)
  }
}

/** Adds all addresses with an index below `end`. Can run concurrently, and again after an interruption. */
async function extendTo(queries: Queries, account: WatchAccount, end: number): Promise<void> {
  const xpub = account.extendedPublicKey
  for (;;) {
    const [row] = await queries.query<{ next_index: Digits; reference: string | null }>(
      'SELECT next_index, reference FROM @.accounts WHERE xpub = $1',
      [xpub],
    )
    const start = Number(row!.next_index)
    if (start >= end) return
    const count = Math.min(CHUNK, end - start)
    const indices = Array.from({ length: count }, (_, i) => start + i)
    await queries.query(
      `WITH added AS (
         INSERT INTO @.addresses AS known (address, watched, reference, xpub, xpub_index)
         SELECT a, true, $3, $4, i FROM unnest($1::bytea[], $2::bigint[]) AS derived(a, i)
         -- Outputs to an address that was known, but not watched, are to become deposits.
         ON CONFLICT (address) DO UPDATE SET watched = true, xpub = excluded.xpub, xpub_index = excluded.xpub_index,
           reference = coalesce(excluded.reference, known.reference), walked = known.walked AND known.watched
       )
       UPDATE @.accounts SET next_index = greatest(next_index, $5) WHERE xpub = $4`,
      [
        indices.map((index) => account.address({ change: 0, index })),
        indices,
        row!.reference,
        xpub,
        start + count,
      ],
    )
  }
}
