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
    const pool = await newPool(1)
    onTestFinished(() => pool.end())
    const store = await postgresStore(pool, { schema: newSchema() })
    await expect(store.bind(binding)).rejects.toMatchObject({ code: 'SCHEMA_MISSING' })
    const away = await postgresStore('postgres://nobody@127.0.0.1:1/none')
    await expect(away.bind(binding)).rejects.toMatchObject({ code: 'DATABASE_FAILED' })
    await away.close()
  })
})
