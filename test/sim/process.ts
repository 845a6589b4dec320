import type { Clock, Fetch } from '../../src/node/index.ts'
import type { Attempt, Store } from '../../src/wallet/store/index.ts'
import { type Random, seededRandom } from './random.ts'
import type { Time } from './virtual-time.ts'

/** How a process lives and dies. */
export type ProcessOptions = {
  readonly time: Time
  readonly random: Random
  /** Probability of a crash before and after every operation. */
  readonly crashChance: () => number
  readonly onCrash: () => void
}

/**
 * A process that can crash at every request, store operation and timer: from then on none of them returns, and
 * whatever waits for them never continues.
 */
export class SimulatedProcess {
  alive = true
  /** Resolves when the process may go on, if it is suspended. */
  private suspended: Promise<void> | undefined
  /** Milliseconds by which its clock is ahead. */
  private clockShift = 0
  private readonly options: ProcessOptions

  constructor(options: ProcessOptions) {
    this.options = options
  }

  crash(): void {
    if (!this.alive) return
    this.alive = false
    this.options.onCrash()
  }

  /** Sets the clock of the process forward or back, so that it is ahead by `ms`. Timers are not affected. */
  setClock(ms: number): void {
    this.clockShift = ms
  }

  /** The process ends by itself. */
  exit(): void {
    this.alive = false
  }

  /** Stops the process until a promise resolves; what it waits for happens meanwhile. */
  suspend(until: Promise<void>): void {
    this.suspended = until
    void until.then(() => {
      if (this.suspended === until) this.suspended = undefined
    })
  }

  clock(): Clock {
    const clock = this.options.time.clock()
    return {
      ...clock,
      now: () => clock.now() + this.clockShift,
      sleep: async (ms, signal) => this.whileAlive(() => clock.sleep(ms, signal)),
    }
  }

  fetch(fetch: Fetch): Fetch {
    return (url, init) => this.run(() => fetch(url, init))
  }

  /** @param after - called after every operation */
  store(store: Store, after: () => void): Store {
    const op = <T>(work: () => Promise<T>) => this.run(() => work().finally(after))
    return {
      bind: (binding) => op(() => store.bind(binding)),
      claim: (claim) => op(() => store.claim(claim)),
      assertOwned: () => op(() => store.assertOwned()),
      recordAcceptance: (acceptance) => op(() => store.recordAcceptance(acceptance)),
      cancel: (key) => op(() => store.cancel(key)),
      payments: (keys) => op(() => store.payments(keys)),
      list: () => store.list(),
      attempts: async function* (key) {
        yield* await op(async () => {
          const attempts: Attempt[] = []
          for await (const attempt of store.attempts(key)) attempts.push(attempt)
          return attempts
        })
      },
    }
  }

  /** Runs an operation; the process may crash before it or after it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { random, crashChance, time } = this.options
    if (random.chance(crashChance())) this.crash()
    while (this.suspended !== undefined) await this.suspended
    if (!this.alive || !time.countOperation()) return never()
    const result = this.whileAlive(work)
    if (random.chance(crashChance()))
      // The operation has an effect, its result does not arrive.
      result
        .catch(() => {})
        .finally(() => {
          // Crashes are faults, too: they stop with the others.
          if (crashChance() > 0) this.crash()
        })
    return result
  }

  private async whileAlive<T>(work: () => Promise<T>): Promise<T> {
    if (!this.alive) return never()
    try {
      const result = await work()
      while (this.suspended !== undefined) await this.suspended
      return this.alive ? result : await never()
    } catch (error) {
      if (!this.alive) return never()
      throw error
    }
  }
}

/** A process that never crashes. */
export function idleProcess(time: Time): SimulatedProcess {
  return new SimulatedProcess({
    time,
    random: seededRandom(1),
    crashChance: () => 0,
    onCrash: () => {},
  })
}

function never(): Promise<never> {
  return new Promise(() => {})
}
