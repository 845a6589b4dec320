import { describe, expect, it } from 'vitest'
import { DepositFeed } from '../../../src/custody/service/deposit-feed.ts'
import { AVAX, receiver, scene } from '../setup.ts'

/** Longer than any test may take. */
const LONG_MS = 2 ** 30

async function feedOf() {
  const { node, open, work } = await scene()
  const custody = await open()
  work(custody)
  await custody.watch([receiver(1)])
  const feed = new DepositFeed(custody)
  let after = 0n
  const wait = (waitMs: number, signal: AbortSignal, reader = 'reader') =>
    feed.read({ read: () => custody.deposits({ after }), after, waitMs, reader, signal })
  const deposit = () => node.fund(receiver(1), AVAX)
  const goOn = (cursor: bigint) => {
    after = cursor
  }
  return { wait, deposit, goOn }
}

describe('requests that wait for deposits', () => {
  it('are all woken by one, again and again', async () => {
    const { wait, deposit, goOn } = await feedOf()
    const { signal } = new AbortController()
    for (const cursor of [1n, 2n]) {
      const waiting = Array.from({ length: 5 }, () => wait(LONG_MS, signal))
      deposit()
      for (const found of await Promise.all(waiting)) expect(found).toMatchObject([{ cursor }])
      goOn(cursor)
    }
    expect(await wait(0, signal)).toEqual([])
    expect(await wait(20, signal)).toEqual([])
  })

  it('are limited per reader while they wait', async () => {
    const { wait, deposit } = await feedOf()
    for (let round = 0; round < 2; round++) {
      const stop = new AbortController()
      const waiting = Array.from({ length: 65 }, () => wait(LONG_MS, stop.signal))
      await expect(Promise.all(waiting)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
      const other = wait(LONG_MS, stop.signal, 'other')
      stop.abort()
      const ended = await Promise.allSettled([...waiting, other])
      expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1)
      expect(ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))).toEqual([])
    }
    const { signal } = new AbortController()
    const last = wait(LONG_MS, signal)
    deposit()
    expect(await last).toHaveLength(1)
  })
})
