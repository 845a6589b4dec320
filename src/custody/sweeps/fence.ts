import { AbortError } from '../../node/errors.ts'
import { readSynced } from '../database/chain-row.ts'
import { pause } from '../database/channels.ts'
import type { Digits } from '../database/values.ts'
import { CustodyError } from '../errors.ts'
import { IS_FREE } from '../payouts/funding.ts'
import type { Settings } from '../settings.ts'
import { IS_BEFORE_FENCE, type Sweeper } from './sweeper.ts'

/** Pause between looks at the UTXOs that are left. */
const LOOK_MS = 500

/**
 * Spends all UTXOs of the hot wallet back to it, and waits until blocks contain these transactions. After that no
 * transaction can be accepted that was signed before: each spends one of these UTXOs, or an output of one that does.
 * Payouts wait meanwhile, also if the call is interrupted; another call continues.
 *
 * @returns how many transactions were made
 * @throws CustodyError `NOT_SYNCED`, `FENCE_INCOMPLETE`
 */
export async function makeFence(
  settings: Settings,
  sweeper: Sweeper,
  signal: AbortSignal,
): Promise<number> {
  const { database, channels } = settings
  if (!(await readSynced(database, database.schema)))
    throw new CustodyError('NOT_SYNCED', 'not all blocks are applied: no fence can be made', {
      hint: 'run a worker, and see the problems of custody.status()',
    })
  const [row] = await database.query<{ fence_height: Digits }>(
    'UPDATE @.chain SET fence_height = coalesce(fence_height, next_height) RETURNING fence_height',
  )
  const height = BigInt(row!.fence_height)
  let count = 0
  let wereFree = false
  for (;;) {
    if (signal.aborted) throw new AbortError('fence', signal.reason)
    if (await sweeper.fence(height)) {
      count++
      wereFree = false
      continue
    }
    const { free, all } = await olderUTXOs(settings, height)
    if (all === 0) {
      await database.query(
        `WITH done AS (UPDATE @.chain SET fence_height = NULL) SELECT pg_notify($1, '')`,
        [channels.work],
      )
      return count
    }
    // Once more: an attempt may have ended, and left its UTXOs free, after the sweep had looked.
    const areFree = free === all && (await readSynced(database, database.schema))
    if (areFree && wereFree)
      throw new CustodyError('FENCE_INCOMPLETE', `${free} UTXOs do not pay for a transaction`, {
        hint: 'fund the hot wallet and repeat the call; payouts wait until the fence is complete',
      })
    wereFree = areFree
    await pause(LOOK_MS, signal)
  }
}

async function olderUTXOs(
  { database, hot }: Settings,
  height: bigint,
): Promise<{ readonly free: number; readonly all: number }> {
  const [row] = await database.query<{ free: Digits; all: Digits }>(
    `SELECT count(*) FILTER (WHERE ${IS_FREE}) AS free, count(*) AS all FROM @.outputs WHERE ${IS_BEFORE_FENCE}`,
    [hot, height],
  )
  return { free: Number(row!.free), all: Number(row!.all) }
}
