import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { type Clock, createNodeClient, systemClock } from '../../src/node/index.ts'
import { createWallet, type Wallet } from '../../src/wallet/index.ts'
import { memoryStore, type Store } from '../../src/wallet/store/index.ts'
import { type Call, errorFor, intercepted, resultFor, silence } from './requests.ts'
import { addressOf, fee, people } from './setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }
const LIMIT = 2_000

// Limits of requests are the machine's timers, so these are replaced instead of the clock alone.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_700_000_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Does not capture `Date.now`, as the system's clock does. */
const clock: Clock = { ...systemClock, now: () => Date.now() }

type Setting = {
  readonly node: DevNode
  /** Which requests get no answer. */
  isSilent: (call: Call) => boolean
  /** Answers a request instead of the node. */
  answer: (call: Call) => Promise<Response> | undefined
  readonly wallet: (store?: Store) => Wallet
}

async function setting(url: string | readonly string[] = 'http://node.test'): Promise<Setting> {
  const node = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
  node.fund(addressOf(me), 3n * fee)
  const fetch = intercepted(
    (to, init) => node.fetch(to, init),
    (call, next, init) => (self.isSilent(call) ? silence(init) : (self.answer(call) ?? next())),
  )
  const client = createNodeClient({ url, fetch, clock })
  const wait = { timeoutMs: LIMIT }
  const self: Setting = {
    node,
    isSilent: () => false,
    answer: () => undefined,
    wallet: (store = memoryStore()) => createWallet({ client, keys: me, clock, store, wait }),
  }
  return self
}

/** How long a call takes by the clock, in steps of 50 ms; its error or value is ignored. */
async function durationOf(work: Promise<unknown>): Promise<number> {
  const start = Date.now()
  let isDone = false
  const done = work.then(
    () => {
      isDone = true
    },
    () => {
      isDone = true
    },
  )
  for (let i = 0; i < 2_000 && !isDone; i++) {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    if (!isDone) await vi.advanceTimersByTimeAsync(50)
  }
  await done
  return Date.now() - start
}

const calls: readonly (readonly [string, (wallet: Wallet) => Promise<unknown>])[] = [
  ['transfer', (wallet) => wallet.transfer(payment, { key: 'a' })],
  ['resume', (wallet) => wallet.resume()],
  ['balances', (wallet) => wallet.balances()],
  ['sweep', (wallet) => wallet.sweep({ to: addressOf(you) })],
  ['prepare', (wallet) => wallet.prepare.transfer(payment)],
]

describe('with servers that never answer', () => {
  for (const url of ['http://a.test', ['http://a.test', 'http://b.test', 'http://c.test']])
    for (const [name, call] of calls)
      it(`${name} returns within the limit: ${[url].flat().length} servers`, async () => {
        const at = await setting(url)
        at.isSilent = () => true
        expect(await durationOf(call(at.wallet()))).toBeLessThanOrEqual(LIMIT + 50)
      })

  for (const method of [
    'avm.issueTx',
    'avm.getTx',
    'avm.getBlockByHeight',
    'avm.getUTXOs',
    'avm.getHeight',
  ])
    it(`a payment returns within the limit if only ${method} is not answered`, async () => {
      const at = await setting()
      at.isSilent = (call) => call.method === method
      expect(await durationOf(at.wallet().transfer(payment))).toBeLessThanOrEqual(LIMIT + 50)
    })

  it('a payment returns within the limit if the servers fall silent once it is issued', async () => {
    const at = await setting()
    let isIssued = false
    at.isSilent = (call) => {
      isIssued ||= call.method === 'avm.issueTx'
      return isIssued
    }
    const store = memoryStore()
    // The limit of the wallet applies if that of the call is undefined.
    const wait = { timeoutMs: undefined }
    const paying = at.wallet(store).transfer(payment, { key: 'a', wait })
    const ended = expect(paying).rejects.toMatchObject({ code: 'TX_PENDING', keys: ['a'] })
    expect(await durationOf(paying)).toBeLessThanOrEqual(LIMIT + 50)
    await ended
  })

  it('a pending payment is resumed within the limit', async () => {
    const at = await setting()
    const store = memoryStore()
    const mine = at.wallet(store)
    expect(await durationOf(mine.transfer(payment, { key: 'a' }))).toBeLessThanOrEqual(LIMIT + 50)
    at.isSilent = () => true
    const resuming = mine.resume()
    expect(await durationOf(resuming)).toBeLessThanOrEqual(LIMIT + 50)
    expect(await resuming).toMatchObject([{ status: 'pending' }])
    const canceling = mine.cancel('a')
    expect(await durationOf(canceling)).toBeLessThanOrEqual(2 * LIMIT + 50)
  })

  it('a call with a short limit does not wait for a concurrent one with a long limit', async () => {
    for (const method of ['info.getNetworkID', 'avm.getHeight', 'avm.getUTXOs']) {
      const at = await setting()
      at.isSilent = (call) => call.method === method
      const mine = at.wallet()
      const long = mine.transfer(payment, { wait: { timeoutMs: 60_000 } })
      long.catch(() => {})
      expect(await durationOf(mine.transfer(payment))).toBeLessThanOrEqual(LIMIT + 50)
      await durationOf(long)
    }
  })
})

describe('with a fee that the node rejects late', () => {
  it('a payment is replaced and returns within the limit', async () => {
    const at = await setting()
    const issued: string[] = []
    let txFee = fee / 2n
    at.answer = (call) => {
      if (call.method === 'avm.getTxFee')
        return Promise.resolve(resultFor(call, { txFee: `${txFee}`, createAssetTxFee: `${fee}` }))
      if (call.method !== 'avm.issueTx' || issued.push(call.txID!) > 1) return undefined
      txFee = fee
      const rejection = 'insufficient funds: provided UTXOs need 500000 more units of asset'
      return clock.sleep(1_500).then(() => errorFor(call, rejection))
    }
    const paying = at.wallet().transfer(payment, { key: 'a' })
    const ended = expect(paying).rejects.toMatchObject({ code: 'TX_PENDING' })
    expect(await durationOf(paying)).toBeLessThanOrEqual(LIMIT + 50)
    await ended
    expect(new Set(issued).size).toBe(2)
  })
})
