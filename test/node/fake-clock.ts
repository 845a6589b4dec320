import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/node/index.ts'

/** A clock that advances only by `sleep`, and records the durations. */
export type FakeClock = Clock & {
  readonly pauses: number[]
  readonly advance: (ms: number) => void
}

export function fakeClock(): FakeClock {
  let now = 1_700_000_000_000
  const pauses: number[] = []
  return {
    pauses,
    advance: (ms) => {
      now += ms
    },
    now: () => now,
    random: () => 1,
    sleep: async (ms, signal) => {
      await setImmediate()
      signal?.throwIfAborted()
      pauses.push(ms)
      now += ms
    },
  }
}
