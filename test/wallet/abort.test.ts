import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import { type Fetch, systemClock } from '../../src/node/index.ts'
import { memoryStore } from '../../src/wallet/store/index.ts'
import { addressOf, balanceOf, fee, people, scene } from './setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** Once switched on, holds requests of a method back until it is opened. */
function gate(method: string) {
  const waiting: (() => void)[] = []
  const self = {
    on: false,
    waiting,
    open: () => {
      self.on = false
      for (const go of waiting.splice(0)) go()
    },
    through:
      (fetch: Fetch): Fetch =>
      async (url, init) => {
        if (self.on && String(init.body).includes(`"${method}"`))
          await new Promise<void>((resolve, reject) => {
            waiting.push(resolve)
            init.signal?.addEventListener('abort', () => reject(new Error('aborted')))
          })
        return fetch(url, init)
      },
  }
  return self
}

async function ticks(count = 50) {
  for (let i = 0; i < count; i++) await setImmediate()
}

/** The state of a promise after some turns of the event loop. */
async function stateOf(work: Promise<unknown>): Promise<unknown> {
  let state: unknown = 'waiting'
  work.then(
    () => {
      state = 'done'
    },
    (error) => {
      state = error.code
    },
  )
  await ticks()
  return state
}

describe('a caller who aborts', () => {
  it('causes no unhandled rejection', async () => {
    let down = false
    const { wallet } = await scene({
      through: (fetch) => async (url, init) => {
        if (down && String(init.body).includes('"avm.getUTXOs"')) throw new TypeError('gone')
        return fetch(url, init)
      },
    })
    const mine = wallet()
    await mine.balances()
    down = true
    const unhandled: unknown[] = []
    const before = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => {
      process.off('unhandledRejection', note)
      for (const listener of before) process.on('unhandledRejection', listener)
    })
    const signal = AbortSignal.abort()
    await expect(mine.transfer(payment, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
    await ticks()
    expect(unhandled).toEqual([])
  })

  it('does not end another call that looks up the same asset', async () => {
    const lookups = gate('avm.getTx')
    const { node, wallet } = await scene({ through: lookups.through })
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 30n * fee)
    const holders = [
      { to: addressOf(me), amount: 30n },
      { to: addressOf(me), amount: 30n },
    ]
    const asset = { name: 'Coupon', symbol: 'CPN', holders }
    const { txID: assetID } = await wallet().createAsset(asset)
    const mine = wallet()
    const controller = new AbortController()
    lookups.on = true
    const one = mine.transfer({ ...payment, assetID }, { signal: controller.signal })
    const ended = expect(one).rejects.toMatchObject({ code: 'ABORTED' })
    const other = mine.transfer({ ...payment, assetID })
    other.catch(() => {})
    await ticks()
    expect(lookups.waiting).toHaveLength(1)
    controller.abort()
    await ended
    lookups.open()
    await other
    expect(await balanceOf(node, you, assetID)).toBe(5n)
  })

  it('does not wait for the UTXOs of a pending payment', async () => {
    const sends = gate('avm.issueTx')
    const { node, wallet } = await scene({ through: sends.through })
    node.fund(addressOf(me), 30n * fee)
    const mine = wallet()
    sends.on = true
    const first = mine.transfer(payment)
    await ticks()
    const controller = new AbortController()
    const second = mine.transfer(payment, { signal: controller.signal })
    expect(await stateOf(second)).toBe('waiting')
    controller.abort()
    expect(await stateOf(second)).toBe('ABORTED')
    sends.open()
    await first
  })

  it('does not wait for a payment with the same key', async () => {
    const sends = gate('avm.issueTx')
    const { node, wallet } = await scene({ through: sends.through })
    node.fund(addressOf(me), 30n * fee)
    const mine = wallet()
    sends.on = true
    const first = mine.transfer(payment, { key: 'a' })
    await ticks()
    const controller = new AbortController()
    const second = mine.transfer(payment, { key: 'a', signal: controller.signal })
    expect(await stateOf(second)).toBe('waiting')
    controller.abort()
    expect(await stateOf(second)).toBe('ABORTED')
    sends.open()
    const { txID } = await first
    expect(await mine.transfer(payment, { key: 'a' })).toEqual({ txID })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('does not wait for a transaction that another call is issuing', async () => {
    const sends = gate('avm.issueTx')
    const { node, wallet } = await scene({ through: sends.through })
    node.fund(addressOf(me), 30n * fee)
    const mine = wallet()
    const signed = await mine.sign(await mine.prepare.transfer(payment))
    if (!signed.complete) throw new Error('incomplete')
    sends.on = true
    const first = mine.submit(signed)
    await ticks()
    const controller = new AbortController()
    const second = mine.submit(signed, { signal: controller.signal })
    const third = mine.resume({ signal: controller.signal })
    expect(await stateOf(second)).toBe('waiting')
    controller.abort()
    expect(await stateOf(second)).toBe('TX_PENDING')
    expect(await stateOf(third)).toBe('done')
    sends.open()
    await first
  })

  it('does not wait for the network context', async () => {
    const details = gate('info.getNetworkID')
    const { node, wallet } = await scene({ through: details.through })
    node.fund(addressOf(me), 30n * fee)
    details.on = true
    const controller = new AbortController()
    // By the virtual clock the time limit would be over at once: nothing else happens.
    const mine = wallet({ clock: systemClock })
    const paying = mine.transfer(payment, { signal: controller.signal })
    expect(await stateOf(paying)).toBe('waiting')
    controller.abort()
    expect(await stateOf(paying)).toBe('ABORTED')
    details.open()
  })

  it('does not end another call that waits for the same blocks', async () => {
    const blocks = gate('avm.getBlockByHeight')
    const { node, wallet } = await scene({ through: blocks.through })
    node.fund(addressOf(me), 30n * fee)
    let laterMs = 0
    const mine = wallet({ clock: { ...systemClock, now: () => Date.now() + laterMs } })
    await mine.balances()
    // So late that a payment reads blocks first.
    laterMs = 10_000
    blocks.on = true
    const running = mine.balances()
    await ticks()
    const controller = new AbortController()
    const one = mine.transfer(payment, { signal: controller.signal })
    await ticks()
    const other = mine.transfer({ ...payment, amount: 7n })
    await ticks()
    blocks.open()
    blocks.on = true
    await running
    await ticks()
    controller.abort()
    expect(await stateOf(one)).toBe('ABORTED')
    blocks.open()
    await other
    expect(await balanceOf(node, you)).toBe(7n)
  })

  it('does not end another resume', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 30n * fee)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(early.transfer(payment)).rejects.toMatchObject({ code: 'TX_PENDING' })
    const mine = wallet({ store })
    const controller = new AbortController()
    const one = mine.resume({ signal: controller.signal })
    const other = mine.resume()
    await ticks()
    controller.abort()
    expect(await one).toMatchObject([{ status: 'pending', error: { cause: { code: 'ABORTED' } } }])
    node.produceBlock()
    expect(await other).toMatchObject([{ status: 'accepted' }])
  })
})
