import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAddress } from '../../../src/core/base/encoding/address.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import type { NetworkContext } from '../../../src/core/chain/networks.ts'
import { Database } from '../../../src/custody/database/database.ts'
import { migrate } from '../../../src/custody/database/migrate.ts'
import { migrations } from '../../../src/custody/database/schema.ts'
import { keyColumn, keyOf } from '../../../src/custody/database/values.ts'
import { newPool, newSchema } from '../postgres.ts'
import { AVAX, receiver, scene, textOf, until } from '../setup.ts'

const address = new Uint8Array(20).fill(9)
const assetID = new Uint8Array(32).fill(3)

/** Columns of a row that a requester inserts without this library. */
type Row = {
  readonly key: string
  readonly digest: Uint8Array
  readonly address: Uint8Array | null
  readonly asset_id: Uint8Array | null
  readonly amount: string | null
  readonly memo: Uint8Array
}

const valid: Row = {
  key: 'k',
  digest: new Uint8Array(32).fill(7),
  address,
  asset_id: assetID,
  amount: '1000000000',
  memo: new Uint8Array(),
}

/** Rows that the constraints refuse. */
const invalid: readonly [string, Partial<Row>][] = [
  ['a key whose backslash is not doubled', { key: 'w\\1' }],
  ['a key that ends with a single backslash', { key: 'w\\\\\\' }],
  ['an empty key', { key: '' }],
  ['a key of 257 characters', { key: 'k'.repeat(257) }],
  ['a key of 257 backslashes', { key: '\\'.repeat(514) }],
  ['an address of 3 bytes', { address: new Uint8Array(3) }],
  ['an asset ID of 31 bytes', { asset_id: new Uint8Array(31) }],
  ['the amount 0', { amount: '0' }],
  ['a negative amount', { amount: '-5' }],
  ['an amount of 2^64', { amount: '18446744073709551616' }],
  ['an amount that is no number', { amount: 'NaN' }],
  ['a memo of 257 bytes', { memo: new Uint8Array(257) }],
  ['no address', { address: null }],
  ['no asset', { asset_id: null }],
  ['no amount', { amount: null }],
]

function insert(database: Database, given: Partial<Row>, status = 'queued'): Promise<unknown> {
  const row = { ...valid, ...given }
  return database.query(
    `INSERT INTO @.payments (key, digest, status, address, asset_id, amount, memo, priority)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 5)`,
    [row.key, row.digest, status, row.address, row.asset_id, row.amount, row.memo],
  )
}

/** The digest of 1 AVAX with the memo 0102, by the description in docs/custody.md. */
function documentedDigest({ networkID, chainID, assetID }: NetworkContext, to: string): Uint8Array {
  const output = [
    hex.encode(assetID),
    '00000007',
    AVAX.toString(16).padStart(16, '0'),
    '0'.repeat(16),
    '00000001',
    '00000001',
    hex.encode(parseAddress(to).address),
  ].join('')
  const text = `["avmkit payment",${networkID},"${hex.encode(chainID)}","transfer","${output}","memo 0102"]`
  return sha256(new TextEncoder().encode(text))
}

describe('a row of the queue', () => {
  it('is refused by the database if it is not a valid payout', async () => {
    const { database } = await scene()
    for (const [what, row] of invalid)
      await expect(insert(database, row), what).rejects.toMatchObject({ cause: { code: '23514' } })
    await insert(database, valid)
    await insert(database, { key: 'w\\\\1\\0' })
  })

  it('is accepted with every key that requestPayouts takes', async () => {
    const { open } = await scene()
    const custody = await open()
    const keys = ['\\', '\\0', '\u0000', '\\\u0000', '\\\\0\n', 'w\\1', '.', '\u{1f600}']
    const long = ['\\', '\u0000', 'k', '\u00e9'].map((character) => character.repeat(256))
    const requests = [...keys, ...long].map((key) => ({ key, to: receiver(1), amount: 1n }))
    await custody.requestPayouts(requests)
    expect((await custody.payouts()).map(({ key }) => key)).toEqual([...keys, ...long])
    expect(new Set([...keys, ...long].map(keyColumn)).size).toBe(12)
    expect(keyOf('w\\1')).not.toBe('w1')
  })

  it('is held by workers if it is invalid or its digest differs, and does not block others', async () => {
    const { node, client, database, hot, open, work, events } = await scene()
    node.fund(hot, 100n * AVAX)
    const custody = await open({ limits: { maxBatch: 4 } })
    await custody.requestPayouts([{ key: 'w1', to: receiver(1), amount: 5n * AVAX }])
    const [honest] = await database.query<Row>('SELECT digest, asset_id FROM @.payments')
    // As on a server without the constraints.
    await database.query(
      'ALTER TABLE @.payments DROP CONSTRAINT payments_key, DROP CONSTRAINT payments_content',
    )
    onTestFinished(async () => void (await database.query(migrations[1]!)))
    const { digest, asset_id } = honest!
    for (const [i, [, row]] of invalid.entries())
      await insert(database, { asset_id, digest, key: `bad ${i}`, ...row })
    await insert(database, { asset_id, key: 'other digest' })
    await insert(database, {
      asset_id,
      key: 'by hand',
      address: parseAddress(receiver(3)).address,
      memo: new Uint8Array([1, 2]),
      digest: documentedDigest(await client.context(), receiver(3)),
    })
    await insert(database, { asset_id, digest, key: 'copied digest', amount: `${AVAX}` })
    work(custody)
    await custody.requestPayouts([{ key: 'good', to: receiver(2), amount: AVAX }])
    await until('paid', async () => {
      const list = await custody.payouts({ keys: ['w1', 'by hand', 'good'] })
      return list.every(({ status }) => status === 'paid')
    })
    const rest = await database.query<{ status: string; note: string }>(
      `SELECT DISTINCT status, note FROM @.payments WHERE key NOT IN ('w1', 'by hand', 'good')`,
    )
    expect(new Set(rest.map(({ status }) => status))).toEqual(new Set(['held']))
    expect(rest.every(({ note }) => note.startsWith('invalid payout: '))).toBe(true)
    const received = async (to: string) =>
      (await client.avm.getBalance({ address: to, assetID: 'AVAX' })).balance
    expect(await received(receiver(1))).toBe(5n * AVAX)
    expect(await received(textOf(address))).toBe(0n)
    expect(events.some(({ event }) => event === 'payout.held')).toBe(true)
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('cannot be released if it is invalid', async () => {
    const { database, open } = await scene()
    const custody = await open()
    await insert(database, { amount: '0' }, 'held')
    await expect(custody.release(['k'])).rejects.toMatchObject({
      code: 'PAYOUT_STATUS',
      keys: ['k'],
    })
    expect(await database.query('SELECT status FROM @.payments')).toEqual([{ status: 'held' }])
  })

  it('from before the constraints is kept, and held if it is invalid', async () => {
    const database = new Database(await newPool(2), newSchema(), true)
    onTestFinished(async () => {
      await database.query(`DROP SCHEMA "${database.schema}" CASCADE`)
      await database.close()
    })
    await database.query(`CREATE SCHEMA "${database.schema}"`)
    await database.query('CREATE TABLE @.schema_version (version int NOT NULL)')
    await database.query(migrations[0]!)
    await database.query('INSERT INTO @.schema_version VALUES (1)')
    for (const [i, [, row]] of invalid.entries())
      await insert(database, { key: `bad ${i}`, ...row })
    for (const status of ['queued', 'held', 'pending', 'accepted', 'rejected', 'canceled']) {
      await insert(database, { key: `good ${status}` }, status)
      await insert(database, { key: `odd ${status}`, amount: '0' }, status)
    }
    await migrate(database)
    const rows = await database.query<{ key: string; status: string; note: string | null }>(
      'SELECT key, status, note FROM @.payments ORDER BY seq',
    )
    expect(rows).toHaveLength(invalid.length + 12)
    for (const { key, status, note } of rows)
      if (/^(good|odd) /.test(key) && key !== 'odd queued')
        expect({ status, note }).toEqual({ status: key.split(' ')[1], note: null })
      else
        expect({ status, note }).toEqual({
          status: 'held',
          note: expect.stringMatching(/^invalid payout/),
        })
    const change = (status: string) =>
      database.query(`UPDATE @.payments SET status = '${status}' WHERE status = 'held'`)
    await expect(change('queued')).rejects.toMatchObject({ cause: { code: '23514' } })
    await change('canceled')
  })
})
