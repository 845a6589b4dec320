import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { addressOf, balanceOf, fee, people, produceBlocks, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }
const pending = { code: 'TX_PENDING' }

describe('resume', () => {
  it('continues the others if a submitted transaction has a signature that no key can have made', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    const { draft } = await mine.prepare.transfer(payment)
    const { signedTx } = requireSigned(signDraft(draft, me))
    const signatures = [new Uint8Array(65)]
    const credentials = signedTx.credentials.map((each) => ({ ...each, signatures }) as typeof each)
    await expect(mine.submit({ ...signedTx, credentials }, { key: 'bad' })).rejects.toMatchObject(
      pending,
    )
    await expect(mine.transfer(payment, { key: 'good' })).rejects.toMatchObject(pending)
    produceBlocks(node)
    const resumed = await wallet({ store, wait: { timeoutMs: 500 } }).resume()
    expect(resumed.map(({ keys, status }) => [keys[0], status])).toEqual(
      expect.arrayContaining([
        ['bad', 'pending'],
        ['good', 'accepted'],
      ]),
    )
  })

  it('names the keys of each payment', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 500 } })
    const outputs = [payment, payment]
    await expect(early.transfer({ outputs }, { keys: ['a', 'b'] })).rejects.toMatchObject(pending)
    node.produceBlock()
    const [resumed] = await wallet({ store }).resume()
    expect(resumed).toMatchObject({ status: 'accepted', keys: ['a', 'b'] })
  })

  it('brings many payments to their end while another call pays one of them', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    for (let i = 0; i < 40; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 100 } })
    const keys = Array.from({ length: 40 }, (_, i) => `p${i}`)
    await Promise.allSettled(keys.map((key) => early.transfer(payment, { key })))
    produceBlocks(node)
    const mine = wallet({ store })
    const [resumed] = await Promise.all([mine.resume(), mine.transfer(payment, { key: 'p39' })])
    expect(resumed.every(({ status }) => status === 'accepted')).toBe(true)
    expect((await mine.payments(keys)).every(({ status }) => status === 'accepted')).toBe(true)
    expect(await balanceOf(node, you)).toBe(200n)
  })

  it('reports payments that stay pending, and why', async () => {
    let isDown = false
    const { node, wallet } = await scene({
      blocks: 'manual',
      intercept: ({ method }, next) => {
        if (isDown && method === 'avm.issueTx') throw new TypeError('fetch failed')
        return next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    isDown = true
    expect(await mine.resume()).toMatchObject([
      {
        status: 'pending',
        keys: ['a'],
        error: { code: 'TX_PENDING', cause: { code: 'HTTP_UNREACHABLE' } },
      },
    ])
  })

  it('shares its time limit among payments that stay pending', async () => {
    const { node, wallet, clock } = await scene({ blocks: 'manual' })
    for (let i = 0; i < 40; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const brief = wallet({ store, wait: { timeoutMs: 500 } })
    const keys = Array.from({ length: 40 }, (_, i) => `${i}`)
    await Promise.allSettled(keys.map((key) => brief.transfer(payment, { key })))
    const start = clock.now()
    const resumed = await wallet({ store }).resume({ wait: { timeoutMs: 60_000 } })
    expect(resumed).toHaveLength(40)
    expect(clock.now() - start).toBeLessThan(90_000)
  })

  it('finds the payment although the caller changed what a wallet returned', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    const error = await mine.transfer(payment, { key: 'a' }).catch((reason) => reason)
    const [record] = await mine.payments(['a'])
    const [resumed] = await mine.resume()
    for (const bytes of [error.txID, record!.txID!, record!.digest!, resumed!.txID]) bytes.fill(7)
    for (const { address } of await mine.addresses()) address.fill(7)
    produceBlocks(node)
    expect(await mine.resume({ wait: { timeoutMs: 60_000 } })).toMatchObject([
      { status: 'accepted' },
    ])
    const { txID } = await mine.transfer(payment, { key: 'a' })
    txID.fill(7)
    expect((await mine.payments(['a']))[0]!.txID).not.toEqual(txID)
    expect(await mine.balances()).toMatchObject([{ spendable: 2n * fee - 5n }])
  })

  it('works again after an unexpected error while blocks were followed', async () => {
    const { node, wallet, clock } = await scene()
    node.fund(addressOf(me), 9n * fee)
    let isBroken = true
    const mine = wallet({
      clock: {
        ...clock,
        sleep: async (ms, signal) => {
          if (isBroken) throw new Error('no timers')
          return clock.sleep(ms, signal)
        },
      },
    })
    await mine.transfer(payment, { key: 'a' }).catch(() => {})
    isBroken = false
    await mine.transfer(payment, { key: 'a' })
    await mine.transfer(payment, { key: 'b' })
    expect(await balanceOf(node, you)).toBe(10n)
  })

  it('finds acceptance in blocks that were made while no process ran', async () => {
    const { node, wallet, client } = await scene({
      blocks: 'manual',
      // The node does not answer getTx, so only blocks can tell.
      intercept: ({ method }, next) => {
        if (method === 'avm.getTx') throw new TypeError('fetch failed')
        return next()
      },
    })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(early.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    node.produceBlock()
    // Far more blocks than the margin of the initial walk.
    for (let i = 0; i < 30; i++) node.fund(addressOf(you), 1n)
    expect(await client.avm.getHeight({})).toBeGreaterThan(30n)
    expect(await wallet({ store }).resume()).toMatchObject([{ status: 'accepted' }])
  })

  it('issues what a process claimed and did not issue before it ended', async () => {
    let isDead = false
    const { node, wallet } = await scene({
      intercept: (_, next) => {
        if (isDead) throw new TypeError('fetch failed')
        return next()
      },
    })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const inner = memoryStore()
    const store = {
      ...inner,
      claim: async (claim: Parameters<typeof inner.claim>[0]) => {
        await inner.claim(claim)
        isDead = true
      },
    }
    const options = { key: 'a', wait: { timeoutMs: 1_000 } }
    const failure = await wallet({ store })
      .transfer(payment, options)
      .catch((error) => error)
    expect(failure).toMatchObject(pending)
    expect(await balanceOf(node, you)).toBe(0n)
    isDead = false
    const [resumed] = await wallet({ store: inner }).resume()
    expect(hex.encode(resumed!.txID)).toBe(hex.encode(failure.txID))
    expect(await balanceOf(node, you)).toBe(5n)
  })
})
