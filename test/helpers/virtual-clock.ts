import type { Clock } from '../../src/node/index.ts'

/**
 * A clock for tests that never waits. Time moves to the earliest sleeper, and only when the event loop had nothing
 * else to do for several turns, so any number of concurrent sleepers wake in the order of their due times.
 */
export type VirtualClock = Clock & {
  /** Every duration that was slept, in the order of the calls. */
  readonly sleeps: readonly number[]
  /** Changes what `now` returns, as setting the clock of a machine does; sleepers are not affected. */
  readonly advance: (ms: number) => void
  /** Milliseconds since the clock was made, without what `advance` added. */
  readonly slept: () => number
}

/** Options of a clock. */
export type VirtualClockOptions = {
  /** @defaultValue 1_700_000_000_000 */
  readonly startMs?: number
  /** @defaultValue a function that returns 1 */
  readonly random?: () => number
  /**
   * Turns of the event loop without a new or an aborted sleeper after which it counts as idle. A request to the
   * development node takes none; tests that delay answers by turns need more.
   *
   * @defaultValue 5
   */
  readonly idleTurns?: number
}

type Sleeper = { readonly due: number; readonly wake: () => void }

/** Creates a clock. */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { startMs = 1_700_000_000_000, random = () => 1, idleTurns = 5 } = options
  const sleeps: number[] = []
  const sleepers = new Set<Sleeper>()
  let passed = 0
  let shift = 0
  let quietTurns = 0
  let isRunning = false

  const turn = () => {
    if (sleepers.size === 0) {
      isRunning = false
      return
    }
    setImmediate(turn)
    if (++quietTurns < idleTurns) return
    quietTurns = 0
    // Sets keep the order of insertion, so equal due times wake in the order of the calls.
    const next = [...sleepers].reduce((a, b) => (b.due < a.due ? b : a))
    sleepers.delete(next)
    passed = Math.max(passed, next.due)
    next.wake()
  }

  return {
    sleeps,
    advance: (ms) => {
      shift += ms
    },
    slept: () => passed,
    now: () => startMs + passed + shift,
    random,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason)
          return
        }
        const stop = () => {
          sleepers.delete(sleeper)
          quietTurns = 0
          reject(signal?.reason)
        }
        const sleeper: Sleeper = {
          due: passed + Math.max(0, ms),
          wake: () => {
            signal?.removeEventListener('abort', stop)
            resolve()
          },
        }
        sleeps.push(ms)
        sleepers.add(sleeper)
        quietTurns = 0
        signal?.addEventListener('abort', stop, { once: true })
        if (isRunning) return
        isRunning = true
        setImmediate(turn)
      }),
  }
}
