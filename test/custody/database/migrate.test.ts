import { describe, expect, it, onTestFinished } from 'vitest'
import { Database } from '../../../src/custody/database/database.ts'
import { migrate, requireSchema } from '../../../src/custody/database/migrate.ts'
import { migrations } from '../../../src/custody/database/schema.ts'
import { databaseStore } from '../../../src/custody/database/store.ts'
import { postgresStore } from '../../../src/custody/index.ts'
import { binding } from '../../wallet/store/samples.ts'
import { newDatabase, newPool, newSchema } from '../postgres.ts'
import { receiver, scene } from '../setup.ts'

describe('migrate', () => {
  it('can run in several processes at the same time', async () => {
    const pool = await newPool(8)
    const database = new Database(pool, newSchema(), true)
    onTestFinished(async () => {
      await database.query(`DROP SCHEMA "${database.schema}" CASCADE`)
      await database.close()
    })
    await expect(requireSchema(database)).rejects.toMatchObject({ code: 'SCHEMA_MISSING' })
    await Promise.all(Array.from({ length: 6 }, () => migrate(database)))
    await migrate(database)
    await requireSchema(database)
    expect(await database.query('SELECT FROM @.chain')).toHaveLength(1)
  })

  it('refuses a newer schema and changes nothing', async () => {
    const database = await newDatabase()
    onTestFinished(async () => {
      await database.query('UPDATE @.schema_version SET version = $1', [migrations.length])
    })
    await database.query('UPDATE @.schema_version SET version = 99')
    await expect(migrate(database)).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
    await expect(requireSchema(database)).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
    await database.query('UPDATE @.schema_version SET version = 0')
    await expect(requireSchema(database)).rejects.toMatchObject({ code: 'SCHEMA_OLD' })
  })

  it('is required by every call', async () => {
    const { open, database } = await scene()
    const custody = await open()
    onTestFinished(async () => {
      await database.query('UPDATE @.schema_version SET version = $1', [migrations.length])
    })
    await database.query('UPDATE @.schema_version SET version = 99')
    for (const call of [custody.payouts, custody.status, () => custody.hold(['a'])])
      for (let i = 0; i < 2; i++)
        await expect(call()).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
  })

  it('upgrades tables with rows, and gives each store an ID that stays', async () => {
    const pool = await newPool(2)
    const database = new Database(pool, newSchema(), true)
    onTestFinished(async () => {
      await database.query(`DROP SCHEMA "${database.schema}" CASCADE`)
      await database.close()
    })
    await database.query(`CREATE SCHEMA "${database.schema}"`)
    await database.query('CREATE TABLE @.schema_version (version int NOT NULL)')
    await database.query('INSERT INTO @.schema_version VALUES (5)')
    for (const text of migrations.slice(0, 5)) await database.query(text)
    await database.query(
      `INSERT INTO @.attempts (tx_id, kind, purpose, bytes, from_height) VALUES ('a', 'payment', 'payout', 'b', 1)`,
    )
    await migrate(database)
    await requireSchema(database)
    const store = databaseStore(database)
    const first = await store.bind(binding)
    expect(first).toMatchObject({ blocks: [], ended: [] })
    expect(first!.id).toHaveLength(32)
    expect((await store.bind(binding))!.id).toEqual(first!.id)
    const other = await databaseStore(await newDatabase()).bind(binding)
    expect(other!.id).not.toEqual(first!.id)
  })

  it('takes only plain names of schemas', async () => {
    const pool = await newPool(1)
    onTestFinished(() => pool.end())
    for (const name of ['', 'A', 'a"b', 'a b', 'x'.repeat(42), '1a'])
      expect(() => new Database(pool, name, false)).toThrow(
        expect.objectContaining({ code: 'SCHEMA_NAME' }),
      )
  })
})

describe('postgresStore', () => {
  it('knows the blocks that wallets and the follower have applied', async () => {
    const database = await newDatabase()
    const store = databaseStore(database)
    const block = (height: bigint, firm = false) => {
      return { height, blockID: new Uint8Array(32).fill(Number(height)), firm }
    }
    await store.bind({ ...binding, block: block(5n) })
    await store.bind({ ...binding, block: block(7n) })
    expect((await store.bind(binding))!.blocks).toEqual([block(5n), block(7n)])
    await database.query('UPDATE @.chain SET next_height = 10, last_block = $1', [
      block(9n).blockID,
    ])
    // The follower has applied later ones.
    await store.bind({ ...binding, block: block(8n) })
    expect((await store.bind(binding))!.blocks).toEqual([block(5n), block(7n), block(9n, true)])
  })

  it('leaves payouts readable if it binds the tables before a custody system does', async () => {
    const { client, database, open } = await scene()
    const { networkID, chainID } = await client.context()
    await databaseStore(database).bind({ networkID, chainID })
    const custody = await open()
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: 1n }])
    expect(await custody.payouts()).toMatchObject([{ key: 'p', to: receiver(1) }])
  })

  it('has nothing to cancel while a payout is in the queue, or after it was canceled there', async () => {
    const { database, open } = await scene()
    const custody = await open()
    const store = databaseStore(database)
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: 1n }])
    await store.cancel('p')
    expect(await custody.payouts()).toMatchObject([{ status: 'queued' }])
    await custody.cancel(['p'])
    await store.cancel('p')
    expect(await custody.payouts()).toMatchObject([{ status: 'canceled' }])
  })

  it('reports a missing schema and a database that cannot be reached', async () => {
    const pool = await newPool(3)
    onTestFinished(() => pool.end())
    const store = await postgresStore(pool, { schema: newSchema() })
    await expect(store.bind(binding)).rejects.toMatchObject({ code: 'SCHEMA_MISSING' })
    const away = await postgresStore('postgres://nobody@127.0.0.1:1/none')
    await expect(away.bind(binding)).rejects.toMatchObject({ code: 'DATABASE_FAILED' })
    await away.close()
  })
})
