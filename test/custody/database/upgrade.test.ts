import { describe, expect, it, onTestFinished } from 'vitest'
import { Database, type Queries } from '../../../src/custody/database/database.ts'
import { migrate, requireSchema } from '../../../src/custody/database/migrate.ts'
import { migrations } from '../../../src/custody/database/schema.ts'
import type { Custody } from '../../../src/custody/index.ts'
import { todaysOf } from '../../helpers/todays-cases.ts'
import { newSchema } from '../postgres.ts'
import { outageOf } from '../servers.ts'
import { AVAX, allApplied, balances, payoutsTo, receiver, scene, until } from '../setup.ts'

/** Columns with another name in earlier versions, from the oldest name on; each with the first version that has it. */
const RENAMED: { readonly [column: string]: readonly (readonly [string, number])[] } = {
  'attempts.leg': [
    ['half', 1],
    ['leg', 5],
  ],
  'chain.verified_at': [
    ['synced_at', 1],
    ['confirmed_at', 7],
    ['verified_at', 10],
  ],
}

/** The name that a column has in a version. */
function nameIn(version: number, table: string, column: string): string {
  const names = RENAMED[`${table}.${column}`] ?? []
  return names.findLast(([, first]) => first <= version)?.[0] ?? column
}

/** Columns of the present tables that those of an earlier version have, too, by their present names. */
async function commonColumns(
  queries: Queries,
  present: string,
  earlier: string,
  version: number,
): Promise<Map<string, string[]>> {
  const [all, known] = [await columnsOf(queries, present), await columnsOf(queries, earlier)]
  const common = [...all].map(([table, names]): [string, string[]] => [
    table,
    names.filter((name) => known.get(table)?.includes(nameIn(version, table, name))),
  ])
  return new Map(common.filter(([, names]) => names.length > 0))
}

async function columnsOf(queries: Queries, schema: string): Promise<Map<string, string[]>> {
  const rows = await queries.query<{ table_name: string; columns: string[] }>(
    `SELECT c.table_name, array_agg(c.column_name::text) AS columns
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = $1 AND t.table_type = 'BASE TABLE' AND c.table_name <> 'schema_version' GROUP BY 1`,
    [schema],
  )
  return new Map(rows.map(({ table_name, columns }) => [table_name, columns]))
}

/** Tables of an earlier version with all rows that it can have of a database of the present one. */
async function copyTo(database: Database, version: number): Promise<Database> {
  const { pool } = database as unknown as {
    readonly pool: ConstructorParameters<typeof Database>[0]
  }
  const copy = new Database(pool, newSchema(), false)
  onTestFinished(() => copy.query(`DROP SCHEMA "${copy.schema}" CASCADE`).then(() => {}))
  await copy.transaction(async (tx) => {
    await tx.query(`CREATE SCHEMA "${copy.schema}"`)
    await tx.query('CREATE TABLE @.schema_version (version int NOT NULL)')
    await tx.query('INSERT INTO @.schema_version VALUES ($1)', [version])
    for (const text of migrations.slice(0, version)) await tx.query(text)
    const columns = await commonColumns(tx, database.schema, copy.schema, version)
    await tx.query('SET LOCAL session_replication_role = replica')
    for (const [table, names] of columns) {
      await tx.query(`DELETE FROM @.${table}`)
      await tx.query(
        `INSERT INTO @.${table} (${names.map((name) => nameIn(version, table, name)).join()})
         OVERRIDING SYSTEM VALUE SELECT ${names.join()} FROM "${database.schema}".${table}`,
      )
    }
    // A failed payout: its attempts would be five transactions of another holder of the keys.
    await tx.query(
      `INSERT INTO @.payments (seq, key, digest, status, outcome, address, asset_id, amount, rejections)
       OVERRIDING SYSTEM VALUE SELECT seq + 1, 'failed', digest, 'rejected', 'rejected', address, asset_id, amount, 5 FROM @.payments WHERE key = 'p5'`,
    )
    if (columns.has('events'))
      await tx.query(
        `INSERT INTO @.events (seq, actor, kind, subject, key, new_status) OVERRIDING SYSTEM VALUE
         SELECT (SELECT max(seq) + 1 FROM @.events), session_user, 'payout', seq, key, status FROM @.payments WHERE key = 'failed'`,
      )
    for (const [table, id] of [
      ['payments', 'seq'],
      ['attempts', 'seq'],
      ['drafts', 'id'],
      ['events', 'seq'],
    ] as const)
      if (columns.has(table))
        await tx.query(
          `SELECT setval(pg_get_serial_sequence('@.${table}', '${id}'), (SELECT coalesce(max(${id}), 0) + 1 FROM @.${table}))`,
        )
  })
  return copy
}

/** All rows of these columns as JSON. Columns have their present names, in whatever version the tables are. */
async function rowsOf(
  database: Database,
  version: number,
  columns: ReadonlyMap<string, readonly string[]>,
): Promise<{ [table: string]: string[] }> {
  const found: { [table: string]: string[] } = {}
  for (const [table, names] of columns) {
    const list = names.map((name) => `${nameIn(version, table, name)} AS ${name}`).join()
    const rows = await database.query<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM (SELECT ${list} FROM @.${table}) AS t ORDER BY 1`,
    )
    found[table] = rows.map(({ row }) => row)
  }
  return found
}

/** Deposits and payouts in all states, by a worker whose last transaction reaches no server until the outage ends. */
async function filled() {
  const outage = outageOf('issueTx')
  outage.isAway = false
  const world = await scene({ through: outage.through })
  const { node, open, work, hot } = world
  for (let i = 0; i < 4; i++) node.fund(hot, 100n * AVAX)
  const custody = await open()
  await custody.watch([{ address: receiver(20), reference: 'user 20' }], { fresh: true })
  const stop = work(custody)
  await allApplied(custody)
  for (const n of [1n, 2n]) node.fund(receiver(20), n * AVAX)
  await custody.requestPayouts(payoutsTo(0, 1, 2, 3, 4, 5).slice(0, 2))
  const statuses = async (...keys: string[]) =>
    (await custody.payouts({ keys })).map(({ status }) => status)
  await until('paid', async () => (await statuses('p0', 'p1')).every((one) => one === 'paid'))
  await until('deposits', async () => (await custody.deposits()).length === 2)
  outage.isAway = true
  await custody.requestPayouts(payoutsTo(0, 1, 2, 3, 4, 5).slice(2, 3))
  await until('pending', async () => (await statuses('p2'))[0] === 'pending')
  await stop()
  await custody.requestPayouts(payoutsTo(0, 1, 2, 3, 4, 5).slice(3))
  await custody.hold(['p3'], 'ask first')
  await custody.cancel(['p4'])
  return { ...world, outage, custody }
}

const shown = async (custody: Custody) =>
  (await custody.payouts()).map(({ key, status, held, txID, amount, to }) => {
    return { key, status, held, txID, amount, to }
  })

describe('an upgrade from version', () => {
  it.each(todaysOf(migrations.slice(1).map((_, i) => i + 1)))(
    '%i keeps all rows, and work goes on',
    async (version) => {
      const world = await filled()
      const { database, custody, outage, open, work } = world
      const before = { payouts: await shown(custody), deposits: await custody.deposits() }
      expect(before.payouts.map(({ status }) => status)).toEqual([
        'paid',
        'paid',
        'pending',
        'queued',
        'canceled',
        'queued',
      ])
      const copy = await copyTo(database, version)
      await expect(requireSchema(copy)).rejects.toMatchObject({ code: 'SCHEMA_OLD' })
      const columns = await commonColumns(copy, database.schema, copy.schema, version)
      const old = await rowsOf(copy, version, columns)
      await migrate(copy)
      await requireSchema(copy)
      const now = await rowsOf(copy, migrations.length, columns)
      for (const [table, rows] of Object.entries(old))
        expect([table, now[table]]).toEqual([
          table,
          table === 'events' ? expect.arrayContaining(rows) : rows,
        ])
      const upgraded = await open({ schema: copy.schema })
      const [failed] = await upgraded.payouts({ keys: ['failed'] })
      expect(failed).toMatchObject({ status: 'failed' })
      expect((await shown(upgraded)).filter(({ key }) => key !== 'failed')).toEqual(before.payouts)
      expect(await upgraded.deposits()).toEqual(before.deposits)
      // The last event of each payout has its status.
      expect(
        await copy.query(`SELECT key FROM @.payments p WHERE status IS DISTINCT FROM
          (SELECT new_status FROM @.events e WHERE kind = 'payout' AND subject = p.seq ORDER BY e.seq DESC LIMIT 1)`),
      ).toEqual([])
      outage.isAway = false
      work(upgraded)
      await until('all paid', async () => (await upgraded.payouts({ status: 'paid' })).length === 4)
      expect(await balances(world, 0, 1, 2, 3, 4, 5)).toEqual([AVAX, AVAX, AVAX, 0n, 0n, AVAX])
      expect(await upgraded.payouts({ keys: ['p3'] })).toMatchObject([{ held: true }])
      await upgraded.cancel(['p3'])
      expect(await upgraded.audit()).toMatchObject({ balanced: true, faults: [] })
    },
  )
})
