import { requireFields } from '../encoding/require.ts'
import { AvmError } from '../errors.ts'
import { CustodyError } from './errors.ts'

/** The answer to a statement, as the package `pg` returns it. */
export type DatabaseResult = {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

/** A connection taken from a pool: what custody needs of `PoolClient` of the package `pg`. */
export type DatabaseClient = {
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

/** Runs statements; in them `@.` stands for the schema. */
export type Queries = {
  readonly query: <R = unknown>(text: string, values?: readonly unknown[]) => Promise<R[]>
}

/** One connection. */
export type Session = Queries & Pick<DatabaseClient, 'on'>

/** Serialization failure and deadlock: the transaction had no effect and may be repeated. */
const REPEATABLE: readonly string[] = ['40001', '40P01']
const MAX_REPEATS = 10
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,40}$/

/** The tables of one custody system: a pool and the name of the schema. */
export class Database implements Queries {
  readonly schema: string
  private readonly pool: DatabasePool
  /** Whether `close` ends the pool. */
  private readonly isOwner: boolean
  private readonly texts = new Map<string, string>()
  /** Statements sent so far. */
  roundTrips = 0

  constructor(pool: DatabasePool, schema: string, isOwner: boolean) {
    if (!SCHEMA_NAME.test(schema))
      throw new CustodyError(
        'SCHEMA_NAME',
        `invalid schema name ${JSON.stringify(schema)}: use at most 41 lower-case letters, digits and _`,
      )
    this.pool = pool
    this.schema = schema
    this.isOwner = isOwner
  }

  /** Runs one statement in a transaction of its own. */
  async query<R = unknown>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return run<R>(() => this.send(this.pool, text, values))
  }

  /**
   * Runs a transaction at the isolation level `READ COMMITTED`. It is repeated if the server reports a serialization
   * failure or a deadlock, so `work` must have no other effects.
   */
  async transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats++)
      try {
        return await this.session((session) => transactionOn(session, work))
      } catch (error) {
        if (repeats >= MAX_REPEATS || !REPEATABLE.includes(sqlStateOf(error) ?? '')) throw error
      }
  }

  /**
   * Runs work on one connection. The connection is closed afterwards if the work failed, or if `isOwn` is set because
   * the work changes its settings.
   */
  async session<T>(
    work: (session: Session) => Promise<T>,
    { isOwn = false }: { readonly isOwn?: boolean } = {},
  ): Promise<T> {
    const client = await run1(() => this.pool.connect())
    // A broken connection also emits an event, which would end the process without a listener.
    const ignore = () => {}
    client.on('error', ignore)
    let isBroken = true
    try {
      // A connection takes one statement at a time; a heartbeat may come at any moment.
      let last: Promise<unknown> = Promise.resolve()
      const result = await work({
        query: <R>(text: string, values: readonly unknown[] = []) => {
          const next = last.then(() => run<R>(() => this.send(client, text, values)))
          last = next.catch(() => {})
          return next
        },
        on: (event, listener) => client.on(event, listener),
      })
      isBroken = isOwn
      return result
    } catch (error) {
      // A refused statement leaves the connection usable; everything else may not.
      isBroken =
        isOwn || (sqlStateOf(error) === undefined && !(error instanceof AvmError && !isLost(error)))
      throw error
    } finally {
      client.removeListener('error', ignore)
      client.release(isBroken)
    }
  }

  async close(): Promise<void> {
    if (this.isOwner) await this.pool.end()
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
    this.roundTrips++
    return to.query(full, [...values])
  }
}

/**
 * In one round trip. The defaults of the database may be others: under `REPEATABLE READ` a transaction that waited for
 * a lock does not see what was committed meanwhile, and without a synchronous commit a claim may be lost after its bytes
 * were issued. Stronger settings, and `remote_write`, are kept. Compiling a plan takes longer than any of these
 * statements, which hold locks meanwhile.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL jit = off;
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local')`

/** Runs a transaction on a connection. */
export async function transactionOn<T>(
  session: Queries,
  work: (tx: Queries) => Promise<T>,
): Promise<T> {
  await session.query(BEGIN)
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
): Promise<Database> {
  if (typeof database !== 'string') {
    requireFields(database, 'database', ['query', 'connect', 'end'])
    return new Database(database, schema, false)
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
  return new Database(pool, schema, true)
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

async function run<R>(send: () => Promise<DatabaseResult>): Promise<R[]> {
  return (await run1(send)).rows as R[]
}

async function run1<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (cause) {
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

function isLost(error: AvmError): boolean {
  return error.code === 'DATABASE_FAILED'
}
