import { readSynced } from '../database/chain-row.ts'
import type { Database } from '../database/database.ts'
import type { Digits } from '../database/values.ts'
import { CustodyError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import type { Sweeper } from './sweeper.ts'

/** A signing request for cold keys. */
export type RefillRequest = {
  readonly id: bigint
  /** The text of the request, which `parseRequest` reads. */
  readonly request: string
}

/** Signing requests whose transaction is in no block yet. */
export async function openRequests(database: Database): Promise<RefillRequest[]> {
  const rows = await database.query<{ id: Digits; request: string }>(
    `SELECT id, request FROM @.drafts d WHERE request IS NOT NULL
       AND NOT EXISTS (SELECT FROM @.outputs o WHERE o.draft = d.id AND o.spent_tx IS NOT NULL) ORDER BY id`,
  )
  return rows.map(({ id, request }) => ({ id: BigInt(id), request }))
}

/** Drops a signing request and releases its UTXOs. */
export async function dropRequest(database: Database, id: bigint): Promise<void> {
  await database.query('DELETE FROM @.drafts WHERE id = $1 AND request IS NOT NULL', [id])
}

/**
 * Applies the refill rules. A rule for whose asset a request is open makes no other one.
 *
 * @returns all requests that are open
 * @throws CustodyError `NOT_SYNCED`, `COLD_SHARED`
 */
export async function refill(
  { database, rules }: Settings,
  sweeper: Sweeper,
): Promise<RefillRequest[]> {
  if (!(await readSynced(database, database.schema)))
    throw new CustodyError('NOT_SYNCED', 'not all blocks are applied: the reserves are not known', {
      hint: 'run a worker, and see the problems of custody.status()',
    })
  for (const rule of rules) if (rule.type === 'refill') await sweeper.requestRefill(rule)
  return openRequests(database)
}
