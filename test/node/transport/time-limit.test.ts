import { describe, expect, it, vi } from 'vitest'
import type { Clock } from '../../../src/node/clock.ts'
import { runWithin, waitFor } from '../../../src/node/transport/time-limit.ts'

const never = new Promise<never>(() => {})

/** A clock whose sleeps end when `tick` is called. */
function manualClock(): {
  readonly clock: Clock
  readonly tick: () => void
  readonly sleeps: () => number
} {
  const ends: (() => void)[] = []
  const sleep = () => new Promise<void>((resolve) => ends.push(resolve))
  return {
    clock: { now: () => 0, sleep, random: () => 0 },
    tick: () => {
      for (const end of ends) end()
    },
    sleeps: () => ends.length,
  }
}

describe('waitFor', () => {
  it('returns the result of the work, or throws its error', async () => {
    expect(await waitFor('it', Promise.resolve(1), { totalMs: 1_000 })).toBe(1)
    const failing = Promise.reject(new Error('no'))
    await expect(waitFor('it', failing, { totalMs: 1_000 })).rejects.toThrow('no')
  })

  it('ends when the time limit is reached', async () => {
    const waiting = waitFor('it', never, { totalMs: 5 })
    await expect(waiting).rejects.toMatchObject({ code: 'RPC_TIMEOUT', timeoutMs: 5 })
  })

  it('measures the time by the clock of the caller', async () => {
    const { clock, tick, sleeps } = manualClock()
    const waiting = waitFor('it', never, { totalMs: 3_600_000 }, clock)
    await vi.waitUntil(() => sleeps() > 0)
    tick()
    await expect(waiting).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
  })

  it('accepts time limits that are longer than a timer can be, and infinite ones', async () => {
    for (const totalMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
      const later = new Promise((resolve) => setTimeout(() => resolve(1), 20))
      expect(await waitFor('it', later, { totalMs })).toBe(1)
    }
  })

  it('starts no timer for work that has ended', async () => {
    const { clock, sleeps } = manualClock()
    await waitFor('it', Promise.resolve(), { totalMs: 1 }, clock)
    expect(sleeps()).toBe(0)
  })

  it('ends when the signal is aborted, before or during the wait', async () => {
    const controller = new AbortController()
    const waiting = waitFor('it', never, { signal: controller.signal })
    setTimeout(() => controller.abort(), 5)
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED', method: 'it' })
    const late = waitFor('it', Promise.reject(new Error('unseen')), { signal: controller.signal })
    await expect(late).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('runWithin', () => {
  it('tells the task to end, and reports why', async () => {
    let halted: Promise<never> = never
    const running = runWithin('it', { totalMs: 5 }, (halting) => {
      halted = halting
      return halting
    })
    await expect(running).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
    await expect(halted).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
  })

  it('returns the result of a task that completes after it was told to end', async () => {
    const task = (halted: Promise<never>) => halted.catch(() => 'done')
    expect(await runWithin('it', { totalMs: 5 }, task)).toBe('done')
  })
})
