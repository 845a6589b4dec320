import { CustodyError } from '../errors.ts'
import { leaderLock } from './chain-row.ts'
import type { Database, Queries } from './database.ts'
import { migrations } from './schema.ts'

/**
 * Creates or upgrades the tables. Safe to run from several processes at the same time: they wait for each other.
 *
 * @throws CustodyError `SCHEMA_NEWER` if a newer version of this library has upgraded them, `WORKERS_RUNNING` if the
 * tables have to be upgraded while a worker follows the chain
 */
export async function migrate(database: Database): Promise<void> {
  const { schema } = database
  const work = async (tx: Queries) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `avmkit migrate ${schema}`,
    ])
    // Only if it is missing: a role without the right to create schemas may upgrade one.
    const [exists] = await tx.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
    if (exists === undefined) await tx.query(`CREATE SCHEMA "${schema}"`)
    await tx.query('CREATE TABLE IF NOT EXISTS @.schema_version (version int NOT NULL)')
    const version = (await readSchemaVersion(tx)) ?? 0
    if (version > migrations.length) throw newerSchema(version)
    if (version > 0 && version < migrations.length) await requireNoLeader(tx, schema)
    for (const text of migrations.slice(version)) await tx.query(text)
    await tx.query('DELETE FROM @.schema_version')
    await tx.query('INSERT INTO @.schema_version VALUES ($1)', [migrations.length])
  }
  await database.transaction(work, { isUnlimited: true })
}

/**
 * Keeps workers from following the chain until the migration ends, and refuses it while one does.
 *
 * @throws CustodyError `WORKERS_RUNNING`
 */
async function requireNoLeader(tx: Queries, schema: string): Promise<void> {
  const [lock] = await tx.query<{ held: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS held',
    [leaderLock(schema)],
  )
  if (lock!.held) return
  throw new CustodyError('WORKERS_RUNNING', 'a worker of an earlier version is running', {
    hint: 'stop all workers, then migrate; nothing was changed',
  })
}

/**
 * Checks that the tables are those of this version.
 *
 * @throws CustodyError `SCHEMA_MISSING`, `SCHEMA_OLD`, `SCHEMA_NEWER`
 */
export async function requireSchema(database: Database): Promise<void> {
  const [found] = await database.query<{ name: string | null }>('SELECT to_regclass($1) AS name', [
    `"${database.schema}".schema_version`,
  ])
  const version = found?.name === null ? undefined : await readSchemaVersion(database)
  if (version === undefined)
    throw new CustodyError('SCHEMA_MISSING', `the schema ${database.schema} has no tables`, {
      hint: 'call custody.migrate() or run: avmkit custody init',
    })
  if (version > migrations.length) throw newerSchema(version)
  if (version < migrations.length)
    throw new CustodyError(
      'SCHEMA_OLD',
      `the schema ${database.schema} has version ${version}, expected ${migrations.length}`,
      { hint: 'stop all workers, then call custody.migrate()' },
    )
}

async function readSchemaVersion(queries: Queries): Promise<number | undefined> {
  const [row] = await queries.query<{ version: number }>('SELECT version FROM @.schema_version')
  return row?.version
}

function newerSchema(version: number): CustodyError {
  return new CustodyError(
    'SCHEMA_NEWER',
    `the schema has version ${version}, this library supports ${migrations.length}`,
    { hint: 'upgrade avmkit; nothing was changed' },
  )
}
