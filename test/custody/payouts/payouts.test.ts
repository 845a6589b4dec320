import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseAddress } from '../../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { AvmError } from '../../../src/core/base/errors.ts'
import { blockID, hashToSign } from '../../../src/core/chain/x/ids.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import { nobleBackend } from '../../../src/core/crypto/secp256k1.ts'
import { applyBlock } from '../../../src/custody/chain/apply-block.ts'
import { lockChain, readChain } from '../../../src/custody/database/chain-row.ts'
import { channelsOf } from '../../../src/custody/database/channels.ts'
import { loadClaims, recordClaim } from '../../../src/custody/database/claim-rows.ts'
import { databaseStore } from '../../../src/custody/database/store.ts'
import { type Policy, postgresStore, serveOperations } from '../../../src/custody/index.ts'
import { PayoutIssuer } from '../../../src/custody/payouts/issuer.ts'
import { requestPayouts } from '../../../src/custody/payouts/payout-requests.ts'
import type { Fetch } from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { variantOf } from '../../../src/wallet/recovery/variant.ts'
import { collect } from '../../wallet/store/samples.ts'
import {
  AVAX,
  addUTXOs,
  allPayouts,
  balances,
  FEE,
  keysOf,
  payerOf,
  receiver,
  type Scene,
  scene,
  sweepSynced,
  textOf,
  until,
} from '../setup.ts'

const requests = (count: number, amount = AVAX, prefix = 'p') =>
  Array.from({ length: count }, (_, i) => ({ key: `${prefix}${i}`, to: receiver(i), amount }))

async function balance({ client }: Scene, address: string): Promise<bigint> {
  return (await client.avm.getBalance({ address, assetID: 'AVAX' })).balance
}

/** Sees transactions before the node does; returns what to answer instead, if anything. */
const onIssue =
  (see: (bytes: Uint8Array) => Response | undefined) =>
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const body = String(init.body)
    if (!body.includes('avm.issueTx')) return fetch(url, init)
    const { params } = JSON.parse(body) as { params: { tx: string } }
    return see(checkedHex.decode(params.tx)) ?? fetch(url, init)
  }

describe('custody', () => {
  it('throws an AvmError for invalid arguments', async () => {
    const { open } = await scene()
    const custody = await open()
    const methods = {
      ...custody,
      followDeposits: (query: never) => custody.followDeposits(query).next(),
    }
    const untyped: string[] = []
    for (const [name, method] of Object.entries(methods) as [string, (arg: unknown) => unknown][])
      for (const value of [null, 1.5, 'x', {}, [], [null], new Uint8Array(7), -1n, { keys: 'x' }]) {
        const isEndless = name === 'work' || name === 'followDeposits'
        if (name === 'close' || (isEndless && value !== null)) continue
        try {
          await method(value)
        } catch (error) {
          if (!(error instanceof AvmError)) untyped.push(`${name}(${String(value)}): ${error}`)
        }
      }
    expect(untyped).toEqual([])
    for (const call of [custody.cancel, custody.hold, custody.release])
      await expect(call('p0' as never)).rejects.toMatchObject({ code: 'ENC_INVALID' })
    await expect(custody.rescan(undefined as never)).rejects.toMatchObject({
      code: 'MISSING_OPTION',
    })
  })
})

describe('values that the database would misread or refuse', () => {
  it('are refused before anything happens', async () => {
    const { node, hot, database, open } = await scene()
    node.fund(hot, 10n * AVAX)
    const custody = await open()
    const request = { key: 'p', to: receiver(1), amount: 1n }
    const bad = { name: 'ArgumentError', code: 'ENC_INVALID' }
    for (const notBefore of [
      Date.now() + 3_600_000,
      20301231,
      'tomorrow',
      '2030-01-01',
      {},
      new Date('x'),
      new Date(-8.64e15),
    ])
      await expect(
        custody.requestPayouts([{ ...request, notBefore: notBefore as never }]),
      ).rejects.toMatchObject(bad)
    for (const limits of [
      { maxBatch: 0 },
      { maxBatch: -1 },
      { maxBatch: Number.NaN },
      { maxBatch: 2.5 },
      { draftMs: 0 },
      { draftMs: 'x' as never },
      { leaderMs: Number.NaN },
      { resendMs: Number.POSITIVE_INFINITY },
      { spareUTXOs: -5 },
    ])
      await expect(open({ limits })).rejects.toMatchObject(bad)
    await open({ limits: { maxBatch: 1, spareUTXOs: 0, draftMs: undefined as never } })
    await expect(open({ limits: null as never })).rejects.toMatchObject({ code: 'ENC_INVALID' })
    const address = receiver(2)
    const nul = { address, reference: 'x\u0000' }
    await expect(custody.watch([nul])).rejects.toMatchObject(bad)
    for (const reference of [17, ['a', 'b'], {}])
      await expect(
        custody.watch([{ address, reference: reference as never }]),
      ).rejects.toMatchObject({ code: 'ENC_INVALID' })
    for (const call of [
      custody.watch([address], null as never),
      custody.watchXpub('x', null as never),
    ])
      await expect(call).rejects.toMatchObject({ code: 'ENC_INVALID' })
    for (const query of [{ limit: -1 }, { limit: 1.5 }, { limit: 2_000_000 }])
      await expect(custody.payouts(query)).rejects.toMatchObject(bad)
    for (const position of [2n ** 63n, 2n ** 70n, -1n]) {
      await expect(custody.deposits({ after: position })).rejects.toMatchObject(bad)
      await expect(custody.rescan(position)).rejects.toMatchObject(bad)
      await expect(custody.dropRequest(position)).rejects.toMatchObject(bad)
    }
    expect(await custody.payouts()).toEqual([])
    expect(await database.query('SELECT FROM @.addresses WHERE watched')).toEqual([])
  })

  it('are refused by type, whatever is passed', async () => {
    const { open, database } = await scene()
    const custody = await open()
    const store = databaseStore(database)
    const mute = {
      toString: () => {
        throw new Error('no text')
      },
    }
    const untyped: unknown[] = []
    const bad = [null, 1n, Symbol('x'), 'text', {}, mute, () => {}]
    const check = async (name: string, value: unknown, call: () => unknown) => {
      try {
        await call()
        untyped.push(`${name}: ${typeof value} was accepted`)
      } catch (error) {
        const isTyped = error instanceof AvmError && error.code !== 'DATABASE_FAILED'
        if (!isTyped) untyped.push(`${name}: ${error}`)
      }
    }
    for (const value of bad) {
      const wrong = value as never
      for (const name of ['hot', 'assets', 'accounts', 'signers', 'sweeps', 'client', 'quorum'])
        await check(name, value, async () => (await open({ [name]: wrong })).audit())
      if (typeof value !== 'string') {
        if (value !== null) await check('schema', value, () => open({ schema: wrong }))
        await check('key', value, () => store.cancel(wrong))
        await check('attempts', value, () => collect(store.attempts(wrong)))
      }
      await check('signal', value, () => custody.work({ signal: wrong }))
      await check('status', value, () => custody.payouts({ status: wrong }))
      await check('fresh', value, () => custody.watch([receiver(1)], { fresh: wrong }))
      await check('gap', value, () => custody.watchXpub('x', { gap: wrong }))
      await check('port', value, () => serveOperations(custody, { port: wrong }))
      await check('binding', value, () => store.bind(wrong))
      await check('acceptance', value, () => store.recordAcceptance(wrong))
      await check('claim', value, () => store.claim(wrong))
      await check('payments', value, () => store.payments(wrong))
      await check('height', value, () => custody.audit({ height: value === 1n ? 99n : wrong }))
      for (const name of ['limit', 'after'])
        await check(name, value, () => custody.deposits({ [name]: value === 1n ? -1n : wrong }))
      for (const name of ['amount', 'priority']) {
        const request = { key: 'p', to: receiver(1), amount: 1n }
        const value2 = value === 1n ? Number.NaN : wrong
        await check(name, value, () => custody.requestPayouts([{ ...request, [name]: value2 }]))
      }
    }
    expect(untyped).toEqual([])
  })

  it('are refused as reasons and cursors', async () => {
    const { open } = await scene()
    const custody = await open()
    const notBefore = new Date(Date.now() + 3_600_000)
    await custody.requestPayouts(requests(3).map((one) => ({ ...one, notBefore })))
    for (const reason of [5, { a: 1 }, null])
      await expect(custody.hold(['p0'], reason as never)).rejects.toMatchObject({
        code: 'ENC_INVALID',
      })
    await custody.hold(['p0'], 'a\u0000b')
    expect(await custody.payouts({ keys: ['p0'] })).toMatchObject([{ held: true, note: 'ab' }])
    expect((await custody.payouts({ after: 'p1' })).map(({ key }) => key)).toEqual(['p2'])
    await expect(custody.payouts({ after: 'none' })).rejects.toMatchObject({
      code: 'PAYOUT_UNKNOWN',
      keys: ['none'],
    })
  })
})

describe('unknown members', () => {
  it('of payouts, options and queries are refused by name before anything happens', async () => {
    const { node, hot, database, open } = await scene()
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    const request = { key: 'p', to: receiver(1), amount: AVAX }
    const calls: [string, () => Promise<unknown>][] = [
      ['assetId', () => custody.requestPayouts([{ ...request, assetId: 'x' } as never])],
      ['notbefore', () => custody.requestPayouts([{ ...request, notbefore: 1 } as never])],
      ['Fresh', () => custody.watch([receiver(2)], { Fresh: true } as never)],
      ['ref', () => custody.watch([{ address: receiver(2), ref: 'u' } as never])],
      ['gapLimit', () => custody.watchXpub('xpub', { gapLimit: 5 } as never)],
      ['from', () => custody.deposits({ from: 5n } as never)],
      ['from', () => custody.followDeposits({ from: 5n } as never).next()],
      ['key', () => custody.payouts({ key: 'p' } as never)],
      ['atHeight', () => custody.audit({ atHeight: 1n } as never)],
      ['abort', () => custody.work({ abort: new AbortController().signal } as never)],
      ['polcy', () => open({ polcy: () => ({ action: 'hold' }) } as never)],
      ['batch', () => open({ limits: { batch: 1 } as never })],
      ['maxfee', () => open({ signing: { maxfee: 1n } as never })],
      ['name', () => postgresStore('postgres://localhost/x', { name: 'y' } as never)],
    ]
    for (const [name, call] of calls)
      await expect(call(), name).rejects.toMatchObject({
        name: 'ArgumentError',
        code: 'UNKNOWN_OPTION',
        path: expect.stringMatching(new RegExp(`(^|\\.)${name}$`)),
      })
    expect(await custody.payouts()).toEqual([])
    expect(await database.query('SELECT FROM @.addresses WHERE watched')).toEqual([])
  })
})

describe('requestPayouts', () => {
  it('queues all or nothing, and the same key only with the same content', async () => {
    const { open } = await scene()
    const custody = await open()
    await custody.requestPayouts(requests(3))
    const other = [...requests(5).slice(3), { key: 'p1', to: receiver(1), amount: 2n }]
    await expect(custody.requestPayouts(other)).rejects.toMatchObject({
      code: 'KEY_CONFLICT',
      keys: ['p1'],
      conflicts: [
        { key: 'p1', recorded: expect.any(Uint8Array), requested: expect.any(Uint8Array) },
      ],
      message: `key "p1" belongs to another payment: recorded is 1 AVAX to ${receiver(1)}, requested is 0.000000002 AVAX to ${receiver(1)}`,
    })
    expect((await custody.payouts()).map(({ key }) => key)).toEqual(['p0', 'p1', 'p2'])
    const twice = [requests(1)[0]!, requests(1)[0]!]
    await expect(custody.requestPayouts(twice)).rejects.toMatchObject({ code: 'KEYS_REPEATED' })
    for (const bad of [
      { key: '', to: receiver(1), amount: 1n },
      { key: 'auto-1', to: receiver(1), amount: 1n },
      { key: 'x', to: receiver(1), amount: 0n },
      { key: 'x', to: 'X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t', amount: 1n },
      { key: 'x', to: receiver(1), amount: 1n, memo: 'x'.repeat(257) },
      { key: 'x', to: receiver(1), amount: 1n, priority: 0.5 },
    ])
      await expect(custody.requestPayouts([...requests(5), bad])).rejects.toHaveProperty('code')
    expect(await custody.payouts()).toHaveLength(3)
  })

  it('uses arguments as they were when the method was called', async () => {
    const { open } = await scene()
    const custody = await open()
    const to = Buffer.from(parseAddress(receiver(1)).address)
    const list = [{ key: 'a', to, amount: AVAX }]
    const requested = custody.requestPayouts(list)
    to.fill(7)
    list.push({ key: 'b', to, amount: AVAX })
    expect(await requested).toEqual({ added: 1, known: 0 })
    expect(await custody.payouts()).toMatchObject([{ key: 'a', to: receiver(1) }])
    await custody.requestPayouts([{ key: 'b', to: receiver(2), amount: AVAX }])
    const keys = ['a']
    const canceled = custody.cancel(keys)
    keys[0] = 'b'
    await canceled
    expect(await custody.payouts({ status: 'canceled' })).toMatchObject([{ key: 'a' }])
  })

  it('refuses a key that a wallet with the same tables has used', async () => {
    const { node, client, keys, database, hot, open } = await scene()
    node.fund(hot, 10n * AVAX)
    const custody = await open()
    const wallet = createWallet({ client, keys, store: databaseStore(database) })
    await wallet.transfer({ to: receiver(0), amount: AVAX }, { key: 'p0' })
    await expect(custody.requestPayouts(requests(2))).rejects.toMatchObject({
      code: 'KEY_CONFLICT',
      keys: ['p0'],
    })
    expect(await custody.payouts()).toEqual([])
  })

  it('lets one of two concurrent requests with different content win', async () => {
    const { open } = await scene()
    const custody = await open()
    const results = await Promise.allSettled(
      [1n, 2n, 3n, 4n].map((amount) =>
        custody.requestPayouts([{ key: 'k', to: receiver(1), amount }]),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await custody.payouts()).toHaveLength(1)
  })
})

describe('payouts', () => {
  it('wait for funds with the missing amount, and go on when they arrive', async () => {
    const { node, hot, open, work } = await scene()
    node.fund(hot, 3n * AVAX)
    const custody = await open()
    await custody.requestPayouts(requests(5))
    work(custody)
    await allPayouts(custody, 'paid', ['p0', 'p1'])
    const [waiting] = await until('missing', async () => {
      const list = await custody.payouts({ keys: ['p2'] })
      // At first the fee of a transaction of its own is not among it.
      return list[0]!.missing?.amount === 2n * FEE && list
    })
    expect(waiting).toMatchObject({ status: 'queued' })
    expect((await custody.status()).missing).toHaveLength(1)
    node.fund(hot, 10n * AVAX)
    await allPayouts(custody, 'paid')
    expect((await custody.payouts({ keys: ['p2'] }))[0]!.missing).toBeUndefined()
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('that cannot be funded are passed over by smaller ones after some time', async () => {
    const world = await scene()
    const { node, hot, open, work, database } = world
    node.fund(hot, 10n * AVAX)
    const custody = await open({ limits: { passOverMs: 600_000 } })
    await custody.requestPayouts([
      { key: 'large', to: receiver(1), amount: 1_000n * AVAX },
      { key: 'larger', to: receiver(2), amount: 2_000n * AVAX },
      { key: 'small', to: receiver(3), amount: AVAX },
    ])
    work(custody)
    await until('missing', async () => (await custody.payouts())[0]!.missing)
    const { now } = await custody.status()
    await until('time', async () => (await custody.status()).now.getTime() > now.getTime() + 2_000)
    expect((await custody.payouts()).map(({ status }) => status)).toEqual([
      'queued',
      'queued',
      'queued',
    ])
    // As if the time had passed.
    await database.query(`UPDATE @.payments SET missing_since = now() - interval '11 minutes'`)
    await allPayouts(custody, 'paid', ['small'])
    const [large, larger] = await custody.payouts()
    expect(large).toMatchObject({
      status: 'queued',
      note: expect.stringMatching(/^waits for funds/),
    })
    expect(larger).toMatchObject({ status: 'queued' })
    node.fund(hot, 5_000n * AVAX)
    await allPayouts(custody, 'paid')
    expect(await balances(world, 1, 2, 3)).toEqual([1_000n * AVAX, 2_000n * AVAX, AVAX])
  })

  it('that cannot be funded are passed over, also if they are more than a transaction takes', async () => {
    const { node, hot, open, work, database } = await scene()
    node.fund(hot, 10n * AVAX)
    const custody = await open({ limits: { maxBatch: 2, passOverMs: 600_000 } })
    await custody.requestPayouts([
      ...Array.from({ length: 7 }, (_, i) => {
        return { key: `large ${i}`, to: receiver(i), amount: 1_000n * AVAX }
      }),
      { key: 'small', to: receiver(8), amount: AVAX },
    ])
    work(custody)
    await until('missing', async () => (await custody.payouts())[0]!.missing)
    await database.query(
      `UPDATE @.payments SET missing_since = now() - interval '11 minutes' WHERE missing IS NOT NULL`,
    )
    await allPayouts(custody, 'paid', ['small'])
    expect(await custody.payouts({ status: 'queued' })).toHaveLength(7)
  })

  it('of other assets are not kept back by one that is short', async () => {
    const world = await scene()
    const { node, client, keys, hot, open, work } = world
    node.fund(hot, 10n * AVAX)
    const issuer = createWallet({ client, keys })
    const { txID: assetID } = await issuer.createAsset({
      name: 'Token',
      symbol: 'TOK',
      holders: [{ to: hot, amount: 100n }],
    })
    const custody = await open({ assets: [assetID], limits: { maxBatch: 2 } })
    await custody.requestPayouts([
      ...requests(3, 1000n * AVAX),
      { key: 'token', to: receiver(9), amount: 40n, assetID },
    ])
    work(custody)
    await allPayouts(custody, 'paid', ['token'])
    expect((await custody.payouts({ keys: ['p0'] }))[0]).toMatchObject({ status: 'queued' })
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('of an asset that no transaction can spend are held, and others of the same transaction are paid', async () => {
    const { node, client, database, keys, hot, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const wallet = createWallet({ client, keys })
    const { txID: assetID } = await wallet.createAsset({
      name: 'Picture',
      symbol: 'PIC',
      nftMinters: [{ groupID: 0, to: hot }],
    })
    const custody = await open()
    await addUTXOs(database, [1], { assetID, address: keys.addresses[0]!, amount: 10n })
    await custody.requestPayouts([
      { key: 'p0', to: receiver(0), amount: AVAX },
      { key: 'picture', to: receiver(1), amount: 1n, assetID },
      { key: 'p1', to: receiver(2), amount: AVAX },
    ])
    work(custody)
    await allPayouts(custody, 'paid', ['p0', 'p1'])
    expect(await custody.payouts({ keys: ['picture'] })).toMatchObject([{ held: true }])
  })

  it('of an asset with more than 2^64 − 1 units are made by several transactions, or held', async () => {
    const world = await scene()
    const { node, client, database, hot, open, work } = world
    const issuer = keysOf(9)
    for (let i = 0; i < 4; i++) node.fund(hot, 10n * AVAX)
    node.fund(issuer.addresses[0]!, 10n * AVAX)
    const half = 2n ** 63n
    const { txID: assetID } = await createWallet({ client, keys: issuer }).createAsset({
      name: 'Huge',
      symbol: 'HUGE',
      holders: [1, 2].map(() => ({ to: hot, amount: half + 10n })),
    })
    // Two UTXOs that cannot be inputs of one transaction.
    const sweeps = [{ type: 'consolidate', above: 1, assetID } as const]
    const custody = await open({ assets: [assetID], sweeps })
    const stop = work(custody)
    await until('funds', async () => (await custody.status()).reserves.length === 2)
    expect(await sweepSynced(custody)).toBe(0)
    await custody.requestPayouts([
      { key: 'more', to: receiver(1), amount: 2n * half - 1n, assetID },
      { key: 'first', to: receiver(2), amount: half, assetID },
      { key: 'second', to: receiver(3), amount: half + 5n, assetID },
      { key: 'avax', to: receiver(4), amount: AVAX },
    ])
    const isPaid = async () =>
      (await custody.payouts({ status: 'paid' })).map(({ key }) => key).length === 3
    await until('paid', isPaid)
    await stop()
    expect(await custody.payouts({ keys: ['more'] })).toMatchObject([
      { held: true, note: expect.stringMatching(/^cannot be paid: .*2\^64/) },
    ])
    expect(await database.query(`SELECT FROM @.attempts WHERE purpose = 'sweep'`)).toEqual([])
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('follow priority and time, and have one memo per transaction', async () => {
    const seen: string[][] = []
    const world = await scene({
      through: onIssue((bytes) => {
        const { unsignedTx } = decodeTx(bytes)
        const memo = new TextDecoder().decode(unsignedTx.memo)
        seen.push([memo, ...unsignedTx.outputs.map(({ output }) => String(output.amount / AVAX))])
        return undefined
      }),
    })
    const { node, hot, open, work } = world
    node.fund(hot, 1000n * AVAX)
    const custody = await open({ limits: { spareUTXOs: 0 } })
    const at = (n: number) => ({ to: receiver(n), amount: BigInt(n) * AVAX })
    await custody.requestPayouts([
      { key: 'low', ...at(1), memo: 'low' },
      { key: 'late', ...at(2), notBefore: new Date(Date.now() + 3_600_000) },
      { key: 'high', ...at(3), memo: 'high', priority: 10 },
      { key: 'held', ...at(4) },
    ])
    await custody.hold(['held'], 'ask first')
    work(custody)
    await allPayouts(custody, 'paid', ['low', 'high'])
    expect(seen.map(([memo]) => memo)).toEqual(['high', 'low'])
    expect(await custody.payouts({ keys: ['late', 'held'] })).toMatchObject([
      { status: 'queued', held: false },
      { status: 'queued', held: true, note: 'ask first' },
    ])
    await custody.cancel(['late'])
    await custody.release(['held'])
    await allPayouts(custody, 'paid', ['held'])
    await allPayouts(custody, 'canceled', ['late'])
    await expect(custody.hold(['held'])).rejects.toMatchObject({ code: 'PAYOUT_STATUS' })
    await expect(custody.cancel(['none'])).rejects.toMatchObject({ code: 'PAYOUT_UNKNOWN' })
  })

  it('follow the clock of the database, whatever the clock of a worker shows', async () => {
    onTestFinished(() => void vi.useRealTimers())
    for (const years of [-10, 10]) {
      const { node, database, hot, open, work, events } = await scene()
      node.fund(hot, 100n * AVAX)
      const [row] = await database.query<{ now: Date }>('SELECT now()')
      const time = row!.now.getTime()
      vi.useFakeTimers({ toFake: ['Date'], now: time + years * 31_536_000_000 })
      const custody = await open()
      await custody.requestPayouts([
        { ...requests(1)[0]!, notBefore: new Date(time - 1000) },
        { key: 'late', to: receiver(1), amount: AVAX, notBefore: new Date(time + 3_600_000) },
      ])
      const stop = work(custody)
      await allPayouts(custody, 'paid', ['p0'])
      expect(await custody.payouts({ keys: ['late'] })).toMatchObject([{ status: 'queued' }])
      const server = await serveOperations(custody)
      const text = await (await fetch(`${server.url}/metrics`)).text()
      await server.close()
      const age = Number(/^avmkit_custody_oldest_queued_seconds (.*)$/m.exec(text)![1])
      expect(age).toBeGreaterThan(0)
      expect(age).toBeLessThan(3600)
      await stop()
      expect(events.map(({ event }) => event)).not.toContain('payout.expired')
      vi.useRealTimers()
    }
  })

  it('are limited by a policy, also across workers', async () => {
    const { node, hot, open, work } = await scene()
    for (let i = 0; i < 4; i++) node.fund(hot, 100n * AVAX)
    const limit = 3n * AVAX
    const policy: Policy = async (payout, { paidTo }) =>
      (await paidTo(new Date(Date.now() - 3_600_000))) + payout.amount > limit
        ? { action: 'hold', reason: 'limit' }
        : { action: 'pay' }
    const workers = await Promise.all(
      [1, 2, 3].map(() => open({ policy, limits: { maxBatch: 1 } })),
    )
    await workers[0]!.requestPayouts(
      Array.from({ length: 8 }, (_, i) => ({ key: `p${i}`, to: receiver(1), amount: AVAX })),
    )
    for (const worker of workers) work(worker)
    const list = await until('all decided', async () => {
      const found = await workers[0]!.payouts()
      return found.every(({ status, held }) => status === 'paid' || held) && found
    })
    expect(list.filter(({ status }) => status === 'paid')).toHaveLength(3)
    expect(list.filter(({ note }) => note === 'limit')).toHaveLength(5)
  })

  it('that a policy holds are made once they are released, without asking it again', async () => {
    const { node, hot, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const asked: string[] = []
    const policy: Policy = ({ key }) => {
      asked.push(key)
      return { action: 'hold', reason: 'a person decides' }
    }
    const custody = await open({ policy })
    const keys = ['p0', 'p1']
    await custody.requestPayouts(requests(2))
    // Held by somebody else: its release does not replace the decision of the policy.
    await custody.hold(['p1'])
    work(custody)
    const held = async () => (await custody.payouts({ keys })).every((one) => one.held)
    await until('held', held)
    await custody.release(keys)
    await until('paid', async () => (await custody.payouts({ keys: ['p0'] }))[0]!.status === 'paid')
    await until('asked', async () => (await custody.payouts({ keys: ['p1'] }))[0]!.held)
    expect(asked).toEqual(['p0', 'p1'])
  })

  it('are not blocked by a NUL character in the reason of a policy or the message of a node', async () => {
    const body = { code: -32000, message: 'bad\u0000tx' }
    let refusals = 2
    const { node, hot, database, open, work } = await scene({
      through: onIssue(() =>
        refusals-- > 0 ? Response.json({ jsonrpc: '2.0', id: null, error: body }) : undefined,
      ),
    })
    node.fund(hot, 10n * AVAX)
    const policy: Policy = ({ key }) =>
      key === 'a\u0000' ? { action: 'hold', reason: `refused ${key}` } : { action: 'pay' }
    const custody = await open({ policy, limits: { resendMs: 100 } })
    await custody.requestPayouts(
      ['a\u0000', 'b'].map((key, i) => ({ key, to: receiver(i), amount: AVAX })),
    )
    work(custody)
    await until('the error is stored', async () => {
      const [row] = await database.query<{ error: string }>(
        'SELECT last_error AS error FROM @.attempts',
      )
      return row?.error?.includes('badtx')
    })
    expect(await custody.payouts({ keys: ['a\u0000'] })).toMatchObject([
      { held: true, note: 'refused a' },
    ])
    await until('paid', async () => (await custody.payouts({ status: 'paid' })).length === 1)
  })

  it('are made without asking again, if a policy has held them and they were released', async () => {
    const { node, hot, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const asked: string[] = []
    const custody = await open({
      policy: ({ key }) => {
        asked.push(key)
        return { action: 'hold', reason: 'ask a person' }
      },
    })
    await custody.requestPayouts(requests(2))
    await custody.hold(['p1'], 'by a person')
    work(custody)
    await until('held', async () => (await custody.payouts()).every(({ held }) => held))
    await custody.release(['p0', 'p1'])
    await allPayouts(custody, 'paid', ['p0'])
    await until('asked', async () => (await custody.payouts({ keys: ['p1'] }))[0]!.held)
    expect(asked).toEqual(['p0', 'p1'])
  })

  it('are decided at once after others that a policy holds or delays', async () => {
    const { database, settings } = await scene()
    const own = await settings({
      limits: { maxBatch: 1 },
      policy: ({ key }) =>
        key === 'p0'
          ? { action: 'hold', reason: 'x' }
          : { action: 'delay', reason: 'x', until: new Date(0) },
    })
    await requestPayouts(database, own.context, requests(2))
    const payer = payerOf(own)
    const steps = [await payer.step(), await payer.step(), await payer.step()]
    expect(steps).toEqual(['decided', 'decided', 'nothing'])
  })

  it('return to the queue if the decision of a policy is none', async () => {
    const { database, settings } = await scene()
    const bad = [
      [undefined, 'MISSING_OPTION'],
      [{ action: 'Hold', reason: 'x' }, 'ENC_INVALID'],
      [{ action: 'hold' }, 'MISSING_OPTION'],
      [{ action: 'delay', reason: 'x', until: Number.NaN }, 'ENC_INVALID'],
      [{ action: 'pay', untl: new Date() }, 'UNKNOWN_OPTION'],
    ]
    for (const [decision, code] of bad) {
      const own = await settings({ policy: () => decision as never })
      await requestPayouts(database, own.context, requests(1))
      const step = payerOf(own).step()
      await expect(step).rejects.toMatchObject({ name: 'ArgumentError', code })
    }
    expect(await database.query('SELECT status, draft, note FROM @.payments')).toEqual([
      { status: 'queued', draft: null, note: null },
    ])
  })

  it('count for the policy of a later worker from the moment they were taken', async () => {
    const { node, hot, open, work } = await scene()
    for (let i = 0; i < 4; i++) node.fund(hot, 100n * AVAX)
    let release = () => {}
    const isReserved = new Promise<void>((resolve) => {
      release = resolve
    })
    let decided = () => {}
    const isDecided = new Promise<void>((resolve) => {
      decided = resolve
    })
    const limits = { maxBatch: 1 }
    let hasTaken = false
    const first = await open({
      limits,
      policy: async () => {
        // Another worker takes the second payout while this one is asked about the first.
        if (!hasTaken) work(second)
        hasTaken = true
        await until('the second worker asks', () => isAsked)
        return { action: 'pay' }
      },
      log: async ({ event }) => {
        if (event !== 'payout.reserved') return
        release()
        await isDecided
      },
    })
    let isAsked = false
    const second = await open({
      limits,
      policy: async (_, { paidTo }) => {
        isAsked = true
        await isReserved
        const paid = await paidTo(new Date(Date.now() - 3_600_000))
        decided()
        return paid > 0n ? { action: 'hold', reason: 'limit' } : { action: 'pay' }
      },
    })
    await first.requestPayouts([1, 2].map((n) => ({ key: `p${n}`, to: receiver(1), amount: AVAX })))
    work(first)
    await allPayouts(first, 'paid', ['p1'])
    const held = await until('held', async () => {
      const [payout] = await first.payouts({ keys: ['p2'] })
      return payout!.status !== 'pending' && payout
    })
    expect(held).toMatchObject({ status: 'queued', held: true, note: 'limit' })
  })

  it('are canceled after their claim by spending an input back; others are paid again', async () => {
    const unwanted = hex.encode(addressBytes(receiver(1)))
    const world = await scene({
      // Whatever pays the second receiver gets lost.
      through: onIssue((bytes) =>
        hex.encode(bytes).includes(unwanted) ? new Response('no', { status: 503 }) : undefined,
      ),
    })
    const { node, hot, open, work } = world
    node.fund(hot, 100n * AVAX)
    const custody = await open({ limits: { resendMs: 100 } })
    await custody.requestPayouts(requests(2))
    work(custody)
    const [lost] = await allPayouts(custody, 'pending', ['p0', 'p1'])
    await custody.cancel(['p1'])
    await allPayouts(custody, 'canceled', ['p1'])
    const [paid] = await allPayouts(custody, 'paid', ['p0'])
    expect(paid!.txID).not.toEqual(lost!.txID)
    expect(await balance(world, receiver(0))).toBe(AVAX)
    expect(await balance(world, receiver(1))).toBe(0n)
    expect(await custody.audit()).toMatchObject({ balanced: true })
    // A canceled payout stays canceled.
    await custody.requestPayouts(requests(2))
    expect(await custody.payouts({ keys: ['p1'] })).toMatchObject([{ status: 'canceled' }])
  })

  it('are canceled although an earlier one cannot be', async () => {
    const { node, hot, database, open, work } = await scene({
      // Payouts are lost; a cancellation pays nobody but the hot wallet.
      through: onIssue((bytes) =>
        [0, 1].some((n) => hex.encode(bytes).includes(hex.encode(addressBytes(receiver(n)))))
          ? new Response('no', { status: 503 })
          : undefined,
      ),
    })
    for (let i = 0; i < 2; i++) node.fund(hot, 100n * AVAX)
    const custody = await open({ limits: { resendMs: 100, maxBatch: 1 } })
    await custody.requestPayouts(requests(2))
    work(custody)
    await allPayouts(custody, 'pending', ['p0', 'p1'])
    // As if a block had spent its input, and had not been followed to the end yet.
    await database.query(
      `UPDATE @.outputs SET spent_tx = decode(repeat('ab', 32), 'hex') WHERE (tx_id, output_index) IN (
         SELECT i.tx_id, i.output_index FROM @.attempt_inputs i
         JOIN @.attempt_payments ap ON ap.attempt = i.attempt JOIN @.payments p ON p.seq = ap.payment
         WHERE p.key = $1)`,
      ['p0'],
    )
    await custody.cancel(['p0', 'p1'])
    await allPayouts(custody, 'canceled', ['p1'])
    expect(await custody.payouts({ keys: ['p0'] })).toMatchObject([{ status: 'pending' }])
  })

  it('are continued by another worker with the same bytes', async () => {
    const issued = new Set<string>()
    let fails = true
    const { node, hot, open, work } = await scene({
      through: onIssue((bytes) => {
        issued.add(hex.encode(bytes))
        return fails ? new Response('no', { status: 503 }) : undefined
      }),
    })
    node.fund(hot, 100n * AVAX)
    const limits = { resendMs: 1_000 }
    const [first, second] = [await open({ limits }), await open({ limits })]
    await first.requestPayouts(requests(3))
    const keys = requests(3).map(({ key }) => key)
    const stop = work(first)
    await allPayouts(first, 'pending', keys)
    await stop()
    fails = false
    work(second)
    await allPayouts(second, 'paid', keys)
    expect(issued.size).toBe(1)
  })

  it('are issued again once all blocks were read since, or the longest pause has passed', async () => {
    const issued: string[] = []
    const { node, hot, database, open, settings, work } = await scene({
      through: onIssue((bytes) => {
        issued.push(hex.encode(bytes))
        return new Response('no', { status: 503 })
      }),
    })
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    await custody.requestPayouts(requests(1))
    const stop = work(custody)
    await allPayouts(custody, 'pending', ['p0'])
    await stop()
    const own = await settings()
    const issuedAgain = async (issuedAgo: number, readAgo: number) => {
      await database.query(
        `UPDATE @.attempts SET next_issue = now(), issued_at = now() - $1 * interval '1 second'`,
        [issuedAgo],
      )
      await database.query(`UPDATE @.chain SET read_at = now() - $1 * interval '1 second'`, [
        readAgo,
      ])
      const before = issued.length
      await new PayoutIssuer(own).issueDue(new AbortController().signal)
      return issued.length - before
    }
    expect(await issuedAgain(30, 40)).toBe(0)
    expect(await issuedAgain(40, 30)).toBe(1)
    expect(await issuedAgain(70, 80)).toBe(1)
  })

  it('are left to other workers by one whose servers do not answer', async () => {
    let asked = 0
    let answers = false
    const { node, hot, database, open, settings, work } = await scene({
      through: onIssue(() => {
        asked++
        if (answers) return undefined
        return new Response('no', { status: 503 })
      }),
    })
    node.fund(hot, 100n * AVAX)
    const limits = { resendMs: 60_000 }
    const custody = await open({ limits })
    await custody.requestPayouts(requests(1))
    const stop = work(custody)
    await allPayouts(custody, 'pending', ['p0'])
    await stop()
    const own = await settings({ limits })
    const issueDue = async (issuer: PayoutIssuer) => {
      await database.query(
        `UPDATE @.attempts SET next_issue = now(), issued_at = now() - interval '70 seconds'`,
      )
      const before = asked
      await issuer.issueDue(new AbortController().signal)
      return asked - before
    }
    const one = new PayoutIssuer(own)
    expect(await issueDue(one)).toBe(1)
    const [row] = await database.query<{ soon: boolean }>(
      `SELECT next_issue < now() + interval '10 seconds' AS soon FROM @.attempts`,
    )
    expect(row!.soon).toBe(true)
    expect(await issueDue(one)).toBe(0)
    expect(await issueDue(new PayoutIssuer(own))).toBe(1)
    answers = true
    const [attempt] = await database.query<{ tx_id: Uint8Array; bytes: Uint8Array }>(
      'SELECT tx_id, bytes FROM @.attempts',
    )
    await one.issue({ txID: attempt!.tx_id, bytes: new Uint8Array(attempt!.bytes), issued: 0 })
    expect(await issueDue(one)).toBe(1)
  })

  it('are signed again with the same inputs if every server refuses and remembers', async () => {
    const issued: Uint8Array[] = []
    const { node, hot, open, work } = await scene({
      through: onIssue((bytes) => {
        issued.push(bytes)
        if (issued.length > 2) return undefined
        const error = { code: -32000, message: 'failed to verify transfer: invalid signature' }
        return Response.json({ jsonrpc: '2.0', id: null, error })
      }),
    })
    node.fund(hot, 100n * AVAX)
    node.fund(hot, 100n * AVAX)
    const custody = await open({ limits: { resendMs: 100 } })
    await custody.requestPayouts(requests(2))
    work(custody)
    await allPayouts(custody, 'paid', ['p0', 'p1'])
    expect(new Set(issued.map(hex.encode)).size).toBeGreaterThan(1)
    const inputs = issued.map((bytes) =>
      decodeTx(bytes).unsignedTx.inputs.map(({ txID }) => hex.encode(txID)),
    )
    for (const list of inputs) expect(list).toEqual(inputs[0])
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('are made again after another holder of the keys spent an input, and only then', async () => {
    let isLost = true
    const world = await scene({
      through: onIssue((bytes) => {
        const pays = hex.encode(bytes).includes(hex.encode(addressBytes(receiver(0))))
        return isLost && pays ? new Response('no', { status: 503 }) : undefined
      }),
    })
    const { node, client, keys, hot, open, work } = world
    node.fund(hot, 100n * AVAX)
    const custody = await open({ limits: { resendMs: 100 } })
    await custody.requestPayouts(requests(1))
    const stop = work(custody)
    const [pending] = await allPayouts(custody, 'pending', ['p0'])
    const other = createWallet({ client, keys })
    const { txID } = await other.transfer({ to: receiver(77), amount: 1n })
    isLost = false
    const [paid] = await allPayouts(custody, 'paid', ['p0'])
    expect(paid!.txID).not.toEqual(pending!.txID)
    expect(await balance(world, receiver(0))).toBe(AVAX)
    // Funds were spent without a claim, until an operator knows why.
    expect(await custody.audit()).toMatchObject({
      balanced: false,
      faults: [{ kind: 'payment', txID }],
    })
    await custody.attribute([{ txID }])
    expect(await custody.audit()).toMatchObject({ balanced: true, faults: [] })
    await stop()
    const rejected = world.events.filter(({ event }) => event === 'attempt.rejected')
    expect(rejected).toMatchObject([{ level: 'warn', details: { transactions: 1 } }])
  })

  it('stay pending if a server invents a transaction that spends their input', async () => {
    const { node, client, database, hot, open, work } = await scene({
      through: onIssue(() => new Response('no', { status: 503 })),
    })
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    await custody.requestPayouts(requests(1))
    const stop = work(custody)
    await allPayouts(custody, 'pending', ['p0'])
    await stop()
    const [row] = await database.query<{ bytes: Uint8Array }>('SELECT bytes FROM @.attempts')
    const { unsignedTx } = decodeTx(new Uint8Array(row!.bytes))
    const forged = { ...unsignedTx, memo: new Uint8Array([1]) }
    const thief = keysOf(99)
    const signature = thief.sign(thief.addresses[0]!, hashToSign(forged))
    const credential = { type: 'secp256k1fx.Credential' as const, signatures: [signature] }
    const [tip] = await client.blockReader({ from: 1n }).read()
    const block = {
      ...tip!.block,
      parentID: tip!.blockID,
      height: 2n,
      txs: [{ unsignedTx: forged, credentials: forged.inputs.map(() => credential) }],
    }
    const chain = await readChain(database)
    const options = {
      epoch: chain.epoch,
      assets: [],
      backend: nobleBackend,
      channels: channelsOf(database.schema),
    }
    const applying = database.transaction((tx) =>
      applyBlock(tx, { block, blockID: blockID(block) }, options),
    )
    await expect(applying).rejects.toMatchObject({ code: 'BLOCK_FORGED' })
    expect(await custody.payouts()).toMatchObject([{ status: 'pending' }])
    expect(await readChain(database)).toMatchObject({ nextHeight: 2n })
  })

  it('wait while blocks are read again, whose outputs later blocks have spent', async () => {
    let end = Number.POSITIVE_INFINITY
    const world = await scene({
      through: (fetch) => async (url, init) => {
        const { method, params } = JSON.parse(String(init.body))
        return method === 'avm.getBlockByHeight' && Number(params.height) >= end
          ? new Response('no', { status: 503 })
          : fetch(url, init)
      },
    })
    const { node, client, keys, database, hot, open, work } = world
    node.fund(hot, 500n * AVAX)
    const spent = Number(await client.avm.getHeight()) + 1
    await createWallet({ client, keys }).sendAll({ to: receiver(99) })
    node.fund(hot, 30n * AVAX)
    // These blocks are too far below the tip to be read by a new system.
    for (let i = 0; i < 12; i++) node.fund(receiver(50), AVAX)
    const custody = await open({ limits: { resendMs: 100 } })
    work(custody)
    const hasFree = (amount: bigint) => async () =>
      (await custody.status()).reserves.some(({ free }) => free >= amount)
    await until('funds', hasFree(30n * AVAX))
    await until('synced', async () => (await custody.status()).syncedSecondsAgo !== undefined)
    end = spent
    await custody.rescan(1n)
    await until('the spent output', hasFree(500n * AVAX))
    await custody.requestPayouts(requests(1))
    await sleep(1_500)
    expect(await custody.payouts()).toMatchObject([{ status: 'queued' }])
    end = Number.POSITIVE_INFINITY
    await allPayouts(custody, 'paid', ['p0'])
    expect(
      await database.query('SELECT rejections FROM @.payments WHERE key = $1', ['p0']),
    ).toEqual([{ rejections: 0 }])
  })

  it('are made while the cancellation of another one has to wait', async () => {
    const { node, keys, hot, database, open, work } = await scene({
      through: (fetch) => async (url, init) =>
        String(init.body).includes('avm.issueTx')
          ? new Response('no', { status: 503 })
          : fetch(url, init),
    })
    node.fund(hot, 100n * AVAX)
    const custody = await open({ limits: { spareUTXOs: 0 } })
    await custody.requestPayouts(requests(2))
    const stop = work(custody)
    await allPayouts(custody, 'pending', ['p0', 'p1'])
    await stop()
    // As a renewal whose fee left room for the first payout only.
    await database.transaction(async (tx) => {
      await lockChain(tx)
      const { claims } = await loadClaims(tx, { keys: ['p0'] })
      const { digest, attempts } = claims.payments.get('p0')!
      const bytes = variantOf(decodeTx(attempts[0]!.bytes), keys, nobleBackend)!
      const payments = [{ key: 'p0', digest }]
      const notes = { purpose: 'payout', fee: FEE, resendMs: 1e6 }
      await recordClaim(tx, { kind: 'payment', payments, bytes, fromHeight: 1n }, notes)
    })
    await custody.cancel(['p1'])
    node.fund(hot, 50n * AVAX)
    await custody.requestPayouts([{ key: 'next', to: receiver(3), amount: AVAX }])
    work(custody)
    await allPayouts(custody, 'pending', ['next'])
    expect(await custody.payouts({ keys: ['p1'] })).toMatchObject([{ status: 'pending' }])
  })

  it('are held if a transaction without a claim may have made them', async () => {
    // As after a backup was restored that is older than the payment.
    const world = await scene()
    const { node, client, keys, hot, open, work } = world
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    await custody.requestPayouts(requests(2))
    await custody.hold(['p0', 'p1'])
    const stop = work(custody)
    await until('funds', async () => (await custody.status()).reserves.length > 0)
    await stop()
    await createWallet({ client, keys }).transfer({ to: receiver(0), amount: AVAX })
    await custody.release(['p0', 'p1'])
    work(await open())
    await allPayouts(custody, 'paid', ['p1'])
    const [held] = await custody.payouts({ keys: ['p0'] })
    expect(held).toMatchObject({ status: 'queued', held: true })
    expect(held!.note).toMatch(/^may have been paid by /)
    expect(await balance(world, receiver(0))).toBe(AVAX)
  })

  it('are not held because others spend an output of theirs and of the hot wallet', async () => {
    const world = await scene()
    const { node, client, keys, hot, open, work } = world
    const other = keysOf(66)
    for (const address of [hot, textOf(other.addresses[0]!)]) node.fund(address, 100n * AVAX)
    const wallet = createWallet({ client, keys: other })
    const to = [...other.addresses, ...keys.addresses]
    const shared = await wallet.transfer({ to, threshold: 1, amount: 60n * AVAX })
    const { unsignedTx } = await client.avm.getTx({ txID: shared.txID })
    const index = unsignedTx.outputs.findIndex(({ output }) => output.addresses.length > 1)
    const custody = await open()
    await custody.requestPayouts(requests(1).map((one) => ({ ...one, notBefore: new Date(8e12) })))
    work(custody)
    await until('the shared output', async () => (await custody.status()).reserves[0]?.utxos === 2)
    const pinned = [{ txID: shared.txID, outputIndex: index }]
    await wallet.transfer({ to: receiver(0), amount: AVAX, choose: { pinned } })
    await until('applied', async () => (await custody.status()).reserves[0]?.utxos === 1)
    expect(await custody.payouts()).toMatchObject([{ status: 'queued', held: false }])
  })
})

function addressBytes(text: string): Uint8Array {
  return parseAddress(text).address
}
