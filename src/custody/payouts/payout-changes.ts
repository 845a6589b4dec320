import { channelsOf } from '../database/channels.ts'
import { type Database, sqlStateOf } from '../database/database.ts'
import { keyColumn, keyOf, textColumn } from '../database/values.ts'
import { CustodyError } from '../errors.ts'

/** SQLSTATE of a row that violates a check constraint of its table. */
const CHECK_VIOLATION = '23514'

/** Keeps queued payouts from being made until they are released. */
export async function holdPayouts(
  database: Database,
  keys: readonly string[],
  reason: string,
): Promise<void> {
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
