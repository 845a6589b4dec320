import { type Check, capability, kinds, text } from '../../core/base/argument.ts'
import { AvmError } from '../../core/base/errors.ts'
import { AbortError, TimeoutError } from '../../node/errors.ts'
import { waitFor } from '../../node/transport/time-limit.ts'
import { CustodyError } from '../errors.ts'

/** The result of a statement, as the package `pg` returns it. */
export type DatabaseResult = {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

/** A connection taken from a pool: what custody needs of `PoolClient` of the package `pg`. */
export type DatabaseClient = {
  /** Number of the server process, as the server has told it when the connection was made. */
  readonly processID?: unknown
  query(text: string, values?: unknown[]): Promise<DatabaseResult>
  /** With `true` the connection is closed instead of being returned to the pool. */
  release(destroy?: boolean): void
  on(event: string, listener: (message: never) => void): unknown
  removeListener(event: string, listener: (message: never) => void): unknown
}

/** A pool of connections: what custody needs of `Pool` of the package `pg`. */
export type DatabasePool = {
  query(text: string, values?: unknown[]): Promise<DatabaseResult>
  connect(): Promise<DatabaseClient>
  end(): Promise<void>
}

/** Describes a database: its URL, or a pool. */
export const databaseArgument: Check<string | DatabasePool> = kinds<string | DatabasePool>({
  string: text,
  object: capability<DatabasePool>('a pool of connections', 'query', 'connect', 'end'),
})

/** Runs statements; in them `@.` stands for the schema. */
export type Queries = {
  readonly query: <R = unknown>(text: string, values?: readonly unknown[]) => Promise<R[]>
}

/** One connection. */
export type Session = Queries & Pick<DatabaseClient, 'on' | 'processID'>

type SessionOptions = {
  /** Whether the connection is closed afterwards, because the work changes its settings. */
  readonly isDedicated?: boolean
  /** Whether statements have no time limit. */
  readonly isUnlimited?: boolean
  /** Ends the waiting for a connection. */
  readonly signal?: AbortSignal
}

/** Default time limit of a statement. */
export const STATEMENT_MS = 30_000

/** Serialization failure and deadlock: the transaction had no effect and may be repeated. */
const REPEATABLE: readonly string[] = ['40001', '40P01']
const MAX_REPEATS = 10
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,40}$/

/** The tables of one custody system: a pool and the name of the schema. */
export class Database implements Queries {
  readonly schema: string
  private readonly pool: DatabasePool
  /** Whether `close` ends the pool. */
  private readonly ownsPool: boolean
  /** Statements with the name of the schema, by their text with `@.`. */
  private readonly texts = new Map<string, string>()
  private readonly statementMs: number
  /** Whom a service acts for: part of the actor of events. */
  readonly actor: string | undefined
  /** Number of statements sent so far. */
  private sent = { statements: 0 }
  /** Ends the waiting for connections. */
  private signal: AbortSignal | undefined
  private closing = new AbortController()

  constructor(
    pool: DatabasePool,
    schema: string,
    ownsPool: boolean,
    statementMs: number = STATEMENT_MS,
    actor?: string,
  ) {
    if (!SCHEMA_NAME.test(schema))
      throw new CustodyError(
        'SCHEMA_NAME',
        `invalid schema name ${JSON.stringify(schema)}: use at most 41 lower-case letters, digits and _`,
      )
    this.pool = pool
    this.schema = schema
    this.ownsPool = ownsPool
    this.statementMs = statementMs
    this.actor = actor
  }

  /** The same tables, with transactions in the name of somebody else. */
  actingFor(actor: string): Database {
    return new Database(this.pool, this.schema, false, this.statementMs, actor)
  }

  /** The same tables for work that, once a signal is aborted, does not wait for connections any more. */
  endingWith(signal: AbortSignal): Database {
    const own = new Database(this.pool, this.schema, false, this.statementMs, this.actor)
    own.signal = signal
    own.sent = this.sent
    own.closing = this.closing
    return own
  }

  /** Statements sent so far. */
  get roundTrips(): number {
    return this.sent.statements
  }

  /** Runs one statement in a transaction of its own. */
  async query<R = unknown>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.session((session) => session.query<R>(text, values))
  }

  /** Like `query`, without a time limit: for statements that read whole tables. */
  async report<R = unknown>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.session((session) => session.query<R>(text, values), { isUnlimited: true })
  }

  /**
   * Runs a transaction at the isolation level `READ COMMITTED`. It is repeated if the server reports a serialization
   * failure or a deadlock, so `work` must have no other effects.
   */
  async transaction<T>(
    work: (tx: Queries) => Promise<T>,
    options: Pick<SessionOptions, 'isUnlimited'> = {},
  ): Promise<T> {
    for (let repeats = 0; ; repeats++)
      try {
        return await this.session((session) => transactionOn(session, work, this.actor), options)
      } catch (error) {
        if (repeats >= MAX_REPEATS || !REPEATABLE.includes(sqlStateOf(error) ?? '')) throw error
      }
  }

  /**
   * Runs work on one connection. The connection is closed afterwards if `isDedicated` is set, or if the work failed in a way
   * that may have broken it. It is also closed after a statement without an answer: a firewall may have dropped the
   * connection silently, and statements on it would wait forever.
   */
  async session<T>(
    work: (session: Session) => Promise<T>,
    { isDedicated = false, isUnlimited = false, signal = this.signal }: SessionOptions = {},
  ): Promise<T> {
    const limits = isUnlimited ? {} : { totalMs: this.statementMs }
    const connecting = (async () => this.pool.connect())()
    const waiting = { ...limits, signal }
    const client = await wrapErrors(() => waitFor('connection', connecting, waiting)).catch(
      (error) => {
        connecting.then((late) => late.release()).catch(() => {})
        throw error
      },
    )
    // A broken connection emits an `error` event, which without a listener would end the process.
    const ignore = () => {}
    client.on('error', ignore)
    let isBroken = true
    let lost: Error | undefined
    try {
      // A connection takes one statement at a time, and a heartbeat may be sent at any moment.
      let last: Promise<unknown> = Promise.resolve()
      const result = await work({
        query: <R>(text: string, values: readonly unknown[] = []) => {
          const next = last.then(() =>
            rowsOf<R>(async () => {
              if (lost !== undefined) throw lost
              const sent = this.send(client, text, values)
              return waitFor('statement', sent, limits).catch((error) => {
                if (error instanceof TimeoutError) lost = error
                throw error
              })
            }),
          )
          last = next.catch(() => {})
          return next
        },
        on: (event, listener) => client.on(event, listener),
        processID: client.processID,
      })
      isBroken = isDedicated
      return result
    } catch (error) {
      isBroken = isDedicated || !leavesConnectionUsable(error)
      throw error
    } finally {
      client.removeListener('error', ignore)
      client.release(isBroken || lost !== undefined)
    }
  }

  /**
   * Checks that connections are sessions of the server. A pooler gives each transaction another session, and the locks of
   * workers, which belong to sessions, would be those of somebody else. It is noticed by the number of the server process:
   * a pooler tells one of its own.
   *
   * @throws CustodyError `DATABASE_POOLED`
   */
  async requireSessions(): Promise<void> {
    const [row] = await this.session((session) =>
      session
        .query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        .then((rows) => rows.map(({ pid }) => ({ pid, told: session.processID }))),
    )
    const { pid, told } = row!
    if (typeof told === 'number' && told !== pid)
      throw new CustodyError('DATABASE_POOLED', 'the database is behind a connection pooler', {
        hint: 'connect to the PostgreSQL server itself; requests and reads may use the pooler',
      })
  }

  /** Aborted when the pool is closed, which waits for all its connections: those that only listen must end. */
  get closed(): AbortSignal {
    return this.closing.signal
  }

  async close(): Promise<void> {
    if (!this.ownsPool) return
    this.closing.abort()
    await this.pool.end()
  }

  private send(
    to: Pick<DatabasePool, 'query'>,
    text: string,
    values: readonly unknown[],
  ): Promise<DatabaseResult> {
    let full = this.texts.get(text)
    if (full === undefined) {
      full = text.replaceAll('@.', `"${this.schema}".`)
      this.texts.set(text, full)
    }
    this.sent.statements++
    return to.query(full, [...values])
  }
}

/**
 * Begins a transaction with the settings that custody relies on, in one round trip. The database may have other
 * defaults:
 * - Under `REPEATABLE READ` a transaction that waited for a lock would not see what was committed meanwhile.
 * - Without a synchronous commit a claim could be lost after its bytes were issued. Stronger settings, and
 *   `remote_write`, are kept.
 * - Without a timeout a process that is suspended, or whose connection was dropped, would keep its locks.
 * - JIT compilation of a plan takes longer than any of these statements, which hold locks meanwhile.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL jit = off;
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local');
  SELECT set_config('idle_in_transaction_session_timeout', '${STATEMENT_MS}', true)
    WHERE current_setting('idle_in_transaction_session_timeout') = '0'`

/** Runs a transaction on a connection. */
export async function transactionOn<T>(
  session: Queries,
  work: (tx: Queries) => Promise<T>,
  actor?: string,
): Promise<T> {
  // Quoted, because several statements in one round trip have no parameters.
  const name =
    actor === undefined ? '' : `; SET LOCAL avmkit.actor = '${actor.replaceAll("'", "''")}'`
  await session.query(BEGIN + name)
  try {
    const result = await work(session)
    await session.query('COMMIT')
    return result
  } catch (error) {
    await session.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Opens a database by its URL, or uses a pool that the caller has. */
export async function openDatabase(
  database: string | DatabasePool,
  schema: string,
  statementMs?: number,
): Promise<Database> {
  if (typeof database !== 'string') {
    requireConnections(database)
    return new Database(database, schema, false, statementMs)
  }
  const pool = new (await loadDriver()).Pool({
    connectionString: database,
    application_name: 'avmkit custody',
    max: 8,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  // An idle connection that breaks is replaced by the pool; without a listener the process would end.
  pool.on('error', () => {})
  return new Database(pool, schema, true, statementMs)
}

/**
 * Number of connections that a worker needs at the same time: it follows the chain with one, listens with another, and
 * makes payouts with a third.
 */
const MIN_CONNECTIONS = 3

/** @throws CustodyError `POOL_TOO_SMALL`: with fewer connections a worker would wait for itself */
function requireConnections(pool: DatabasePool): void {
  const { options } = pool as { readonly options?: { readonly max?: unknown } }
  const max = options?.max
  if (typeof max === 'number' && max < MIN_CONNECTIONS)
    throw new CustodyError(
      'POOL_TOO_SMALL',
      `the pool has ${max} connections, a worker needs ${MIN_CONNECTIONS}`,
      { hint: `pass a pool with max: ${MIN_CONNECTIONS} or more` },
    )
}

type Driver = {
  readonly Pool: new (options: object) => DatabasePool & Pick<DatabaseClient, 'on'>
}

async function loadDriver(): Promise<Driver> {
  // Not a literal: the package is optional and brings no types of its own.
  const name: string = 'pg'
  try {
    const loaded: { readonly default: Driver } = await import(name)
    return loaded.default
  } catch (cause) {
    throw new CustodyError('DATABASE_DRIVER', 'the package pg cannot be loaded', {
      cause,
      hint: 'run: npm install pg@8',
    })
  }
}

async function rowsOf<R>(send: () => Promise<DatabaseResult>): Promise<R[]> {
  return (await wrapErrors(send)).rows as R[]
}

/** @throws CustodyError `DATABASE_FAILED` with the driver's error as its cause, AbortError */
async function wrapErrors<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (cause) {
    if (cause instanceof AbortError) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new CustodyError('DATABASE_FAILED', `database: ${message}`, { cause })
  }
}

/** The SQLSTATE of a refused statement; undefined for other failures. */
export function sqlStateOf(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  const code = error instanceof CustodyError ? cause?.code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** What the database says about a refused statement; undefined for other failures. */
export function databaseErrorOf(
  error: unknown,
): { readonly code: string; readonly message: string; readonly detail?: string } | undefined {
  if (sqlStateOf(error) === undefined) return undefined
  return (error as { readonly cause: { code: string; message: string; detail?: string } }).cause
}

/** A refused statement, or an error that does not come from the database, leaves the connection usable. */
function leavesConnectionUsable(error: unknown): boolean {
  if (sqlStateOf(error) !== undefined) return true
  return error instanceof AvmError && error.code !== 'DATABASE_FAILED'
}
