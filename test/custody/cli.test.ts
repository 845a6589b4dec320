import { describe, expect, it, onTestFinished } from 'vitest'
import { HDAccount, seedFromMnemonic } from '../../src/crypto/hd.ts'
import { formatID } from '../../src/encoding/index.ts'
import { cli as avmkit, devNode, secretFile } from '../cli/shell.ts'
import { newPool, newSchema, postgresURL } from './postgres.ts'
import { AVAX, keysOf, receiver, textOf, until } from './setup.ts'

const HOT_KEY = '01'.repeat(32)
const hot = textOf(keysOf(1).addresses[0]!)
const customer = textOf(keysOf(50).addresses[0]!)

/** A node, a schema without tables, and the program with these keys. */
async function system(key: string) {
  const node = await devNode()
  const schema = newSchema()
  const pool = await newPool(1)
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA "${schema}" CASCADE`)
    await pool.end()
  })
  const env = { AVMKIT_DATABASE: await postgresURL(), AVMKIT_KEY: key }
  const custody = (args: readonly string[], signal?: AbortSignal) =>
    avmkit(['custody', ...args, '--schema', schema], {
      node,
      env,
      ...(signal === undefined ? {} : { signal }),
    })
  const cli = (...args: string[]) => custody([...args, '--json'])
  return { node, custody, cli }
}

describe('avmkit custody', () => {
  it('runs a system from the first table to a balanced audit', async () => {
    const { node, custody, cli } = await system(HOT_KEY)
    const refused = await cli('status')
    expect(refused.error()).toMatchObject({ code: 'SCHEMA_MISSING' })
    expect((await cli('init')).code).toBe(0)
    node.fund(hot, 100n * AVAX)
    expect((await cli('watch', customer, '--reference', 'user 7')).json()).toEqual({ watched: 1 })
    const bad = secretFile(
      `key,address,amount,asset\na,${receiver(1)},1.5\nb,X-fuji1bad,1\nc,${receiver(2)},0\nd,${receiver(2)}\n`,
    )
    const failure = await cli('pay', bad)
    expect(failure.code).toBe(1)
    expect(failure.error().code).toBe('CSV_INVALID')
    for (const line of [3, 4, 5]) expect(failure.error().message).toContain(`line ${line}:`)
    expect((await cli('payouts')).json()).toEqual({ payouts: [] })
    const good = secretFile(
      `key,address,amount,asset\n"a, quoted",${receiver(1)},1.5,\nb,${receiver(2)},2,AVAX\nc,${customer},3\n`,
    )
    expect((await cli('pay', good)).json()).toEqual({ added: 3, known: 0 })
    expect((await cli('pay', good)).json()).toEqual({ added: 0, known: 3 })
    expect((await cli('hold', 'b')).code).toBe(0)
    const controller = new AbortController()
    const working = custody(['work', '--metrics-port', '0'], controller.signal)
    await until('paid', async () => {
      const { payouts } = (await cli('payouts', '--status', 'paid')).json<{ payouts: unknown[] }>()
      return payouts.length === 2
    })
    expect((await cli('cancel', 'b')).code).toBe(0)
    const listed = await cli('deposits', '--after', '0')
    expect(listed.json()).toMatchObject({
      deposits: [{ cursor: '1', address: customer, reference: 'user 7', kind: 'plain' }],
    })
    const audit = await cli('audit')
    expect([audit.code, audit.json()]).toEqual([0, expect.objectContaining({ balanced: true })])
    expect((await cli('status')).json()).toMatchObject({
      payouts: { queued: 0, paid: 2, canceled: 1 },
    })
    const people = await custody(['status'])
    expect(people.out).toContain('hot wallet')
    controller.abort()
    expect((await working).err).toContain('/metrics')
  })

  it('collects deposits to addresses of an xpub with its mnemonic', async () => {
    const words =
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    const account = new HDAccount(seedFromMnemonic(words)).watch
    const deposit = textOf(account.address({ change: 0, index: 2 }))
    const { node, custody, cli } = await system(`${HOT_KEY}\n${words}`)
    expect((await cli('init')).code).toBe(0)
    const watched = await cli('watch', '--xpub', account.extendedPublicKey, '--gap-limit', '5')
    expect(watched.json()).toEqual({ watched: 0, xpub: account.extendedPublicKey })
    const again = await custody(['watch', customer, '--xpub', account.extendedPublicKey])
    expect(again.out).toBe('watching 1 address and the addresses of an xpub\n')
    const fresh = await cli('watch', '--xpub', account.extendedPublicKey, '--fresh')
    expect([fresh.code, fresh.error().code]).toEqual([2, 'BAD_VALUE'])
    node.fund(deposit, 10n * AVAX)
    const rules = secretFile('[{"type":"collect","above":"1"}]')
    const controller = new AbortController()
    const working = custody(['work', '--rules', rules, '--hot', hot], controller.signal)
    await until('collected', async () => {
      const { reserves } = (await cli('status')).json<{ reserves: { wallet: string }[] }>()
      return reserves.length === 1 && reserves[0]!.wallet === 'hot'
    })
    controller.abort()
    await working
    const found = await cli('deposits')
    expect(found.json()).toMatchObject({ deposits: [{ address: deposit, kind: 'plain' }] })
    expect((await cli('audit')).json()).toMatchObject({ balanced: true })
  })

  it('names the UTXOs that an audit misses as all other output does', async () => {
    const { node, cli } = await system(HOT_KEY)
    expect((await cli('init')).code).toBe(0)
    const txID = node.fund(customer, AVAX)
    expect((await cli('watch', customer, '--fresh')).code).toBe(0)
    const audit = await cli('audit')
    expect([audit.code, audit.json()]).toEqual([
      1,
      expect.objectContaining({
        balanced: false,
        missing: [expect.objectContaining({ txID: formatID(txID), outputIndex: 0 })],
      }),
    ])
  })

  it('refuses a password among the arguments and a missing database', async () => {
    const node = await devNode()
    const url = 'postgres://me:secret@localhost/x'
    const told = await avmkit(['custody', 'status', '--database', url, '--json'], { node })
    expect([told.code, told.error().code]).toEqual([2, 'KEY_IN_ARGUMENT'])
    expect(told.err).not.toContain('secret')
    const missing = await avmkit(['custody', 'status', '--json'], { node })
    expect([missing.code, missing.error().code]).toEqual([2, 'MISSING_OPTION'])
  })
})
