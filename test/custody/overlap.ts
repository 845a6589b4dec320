import { expect } from 'vitest'
import { Database, type DatabasePool, type Queries } from '../../src/custody/database/database.ts'
import { isRunToday } from '../helpers/todays-cases.ts'
import { empty } from './postgres.ts'
import { until } from './setup.ts'

/** Called before each statement, with its number; whatever it throws is the statement's failure. */
type Before = (n: number, text: string) => Promise<void> | void

/** The same tables through a pool that calls a function before each statement. */
export function intercepted(database: Database, before: Before): Database {
  const { pool } = database as unknown as { readonly pool: DatabasePool }
  let n = 0
  const through =
    (to: Pick<DatabasePool, 'query'>): DatabasePool['query'] =>
    async (text, values) => {
      await before(++n, text)
      return to.query(text, values)
    }
  const connect = async () => {
    const client = await pool.connect()
    return {
      query: through(client),
      release: (destroy?: boolean) => client.release(destroy),
      on: (...args: Parameters<typeof client.on>) => client.on(...args),
      removeListener: (...args: Parameters<typeof client.removeListener>) =>
        client.removeListener(...args),
    }
  }
  return new Database(
    { query: through(pool), connect, end: async () => {} },
    database.schema,
    false,
  )
}

/** Waits until something has ended, or a statement on these tables waits for a lock. */
async function endsOrWaits(database: Database, other: Promise<unknown>): Promise<void> {
  let hasEnded = false
  const end = () => {
    hasEnded = true
  }
  other.then(end, end)
  const isWaiting = async () => {
    const rows = await database.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`,
      [`%"${database.schema}".%`],
    )
    return rows.length > 0
  }
  await until('the other ends or waits', async () => hasEnded || isWaiting())
}

/** Runs something while a transaction is open, which is committed when the other has ended or waits for its locks. */
export async function overlapping(
  database: Database,
  first: (tx: Queries) => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<PromiseSettledResult<unknown>[]> {
  let other: Promise<unknown> | undefined
  const one = database.transaction(async (tx) => {
    const result = await first(tx)
    other = second()
    await endsOrWaits(database, other)
    return result
  })
  const [a] = await Promise.allSettled([one])
  const [b] = await Promise.allSettled([other])
  return [a, b]
}

/** Two workers, and what must hold when both have ended. */
export type Encounter = {
  readonly first: (database: Database) => Promise<unknown>
  readonly second: () => Promise<unknown>
  readonly check: (
    first: PromiseSettledResult<unknown>,
    second: PromiseSettledResult<unknown>,
  ) => Promise<void>
}

/**
 * Lets a second worker do its work before the first, second, third … statement of another, each time on new tables
 * (`npm test` runs an eighth of the statements). If the second has to wait for a lock, the first goes on.
 */
export async function interleave(
  database: Database,
  arrange: () => Promise<Encounter>,
): Promise<void> {
  for (let at = 1; ; at++) {
    if (!isRunToday(at)) continue
    await empty(database)
    const { first, second, check } = await arrange()
    let other: Promise<unknown> | undefined
    let statements = 0
    const paused = intercepted(database, async (n) => {
      statements = n
      if (n !== at) return
      other = second()
      await endsOrWaits(database, other)
    })
    const [a] = await Promise.allSettled([first(paused)])
    if (other === undefined) {
      if (a.status === 'rejected') throw a.reason
      return expectStatements(statements)
    }
    const [b] = await Promise.allSettled([other])
    await check(a, b)
  }
}

/**
 * Lets the first, second, third … statement of something fail, each time on new tables, and checks the tables after
 * each failure (`npm test` runs an eighth of the statements).
 */
export async function interrupt(
  database: Database,
  arrange: () => Promise<(database: Database) => Promise<unknown>>,
  check: (at: number) => Promise<void>,
): Promise<void> {
  for (let at = 1; ; at++) {
    if (!isRunToday(at)) continue
    await empty(database)
    const work = await arrange()
    let hasFailed = false
    let statements = 0
    const failing = intercepted(database, (n) => {
      statements = n
      if (n !== at) return
      hasFailed = true
      throw new Error('the connection is lost')
    })
    const [result] = await Promise.allSettled([work(failing)])
    if (!hasFailed) {
      if (result.status === 'rejected') throw result.reason
      return expectStatements(statements)
    }
    await check(at)
  }
}

/** A transaction begins, reads, writes and commits; fewer statements mean that nothing was tested. */
function expectStatements(count: number): void {
  expect(count).toBeGreaterThan(3)
}
