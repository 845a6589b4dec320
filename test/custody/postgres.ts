import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { startServer } from '../../scripts/postgres.js'
import { Database, type DatabasePool, type Queries } from '../../src/custody/database/database.ts'
import { migrate } from '../../src/custody/database/migrate.ts'

let known: string | undefined

/** URL of the server that all tests share, which the first caller of all processes starts. */
export async function postgresURL(): Promise<string> {
  known ??= process.env.AVMKIT_POSTGRES_URL ?? (await sharedServer())
  return known
}

async function sharedServer(): Promise<string> {
  const folder = inject('postgresFolder')
  const info = join(folder, 'server.json')
  const isFirst = (() => {
    try {
      mkdirSync(join(folder, 'starting'))
      return true
    } catch {
      return false
    }
  })()
  if (isFirst) {
    const { url, name } = await startServer(folder)
    writeFileSync(`${info}.new`, JSON.stringify({ url, name }))
    renameSync(`${info}.new`, info)
  }
  for (let tries = 0; tries < 1200 && !existsSync(info); tries++) await sleep(50)
  return (JSON.parse(readFileSync(info, 'utf8')) as { url: string }).url
}

/** A pool on the shared server, with own defaults of the sessions, such as `{ jit: 'off' }`. */
export async function newPool(
  max = 8,
  defaults: { readonly [name: string]: string } = {},
): Promise<DatabasePool> {
  const options = Object.entries(defaults).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  )
  const connectionString = await postgresURL()
  const pool = new pg.Pool({ connectionString, max, options: options.join(' ') })
  pool.on('error', () => {})
  return pool
}

let schemas = 0

/** A schema name that no other test uses. */
export function newSchema(): string {
  return `test_${process.pid}_${++schemas}_${Date.now().toString(36)}`
}

const free: Database[] = []

/** A database with empty tables, for one test. Creating tables is slow, so they are emptied and used again. */
export async function newDatabase(): Promise<Database> {
  const database = free.pop() ?? new Database(await newPool(), newSchema(), true)
  await migrate(database)
  onTestFinished(async () => {
    await empty(database)
    free.push(database)
  })
  return database
}

/** Changes rows as a superuser can, without the triggers that guard them. */
export async function withoutTriggers(database: Queries, statement: string): Promise<void> {
  await database.query(
    `SET session_replication_role = replica; ${statement}; SET session_replication_role = origin`,
  )
}

/** Removes all rows. */
export async function empty(database: Queries): Promise<void> {
  // Without the triggers, which keep rows from being removed; so rows that depend on others are removed one by one.
  await database.query(`
    SET session_replication_role = replica;
    DELETE FROM @.webhook_messages; DELETE FROM @.webhooks; DELETE FROM @.tokens; DELETE FROM @.events; DELETE FROM @.limits; DELETE FROM @.audited_txs; DELETE FROM @.unknown_outputs; DELETE FROM @.corrections; DELETE FROM @.attempt_payments; DELETE FROM @.attempt_inputs;
    DELETE FROM @.attempts; DELETE FROM @.moved_inputs; DELETE FROM @.payments; DELETE FROM @.outputs; DELETE FROM @.drafts;
    DELETE FROM @.addresses; DELETE FROM @.accounts; DELETE FROM @.blocks; DELETE FROM @.chain;
    INSERT INTO @.chain DEFAULT VALUES;
    SET session_replication_role = origin`)
}
