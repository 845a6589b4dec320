import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/node/index.ts'
import type { Random } from './random.ts'

type Event = { readonly due: number; readonly order: number; readonly run: () => void }

/** What nodes, networks and processes need of time. */
export type Time = Pick<VirtualTime, 'now' | 'after' | 'sleep' | 'clock' | 'countOperation'>

/** When the simulated world begins, in milliseconds since 1970. */
export const START = 1_700_000_000_000

/**
 * More events than a run has, also at one instant: after so many, a loop in the code under test does not end. Most runs
 * have less than 10,000, and 20 at one instant. A payment may stay pending because the bytes of a transaction before it are
 * lost; then wallets ask for it until the end, with more than 100,000.
 */
const MAX_EVENTS = 400_000
const MAX_EVENTS_AT_ONCE = 1_000

/** More operations of processes than follow each other without an event, which are about 50. */
const MAX_OPERATIONS = 2_000

/**
 * Virtual time. Events run in the order of their times, and time stands still while code runs, so a run depends on
 * nothing but the seed.
 */
export class VirtualTime {
  now: number = START
  private readonly random: Random
  private readonly events: Event[] = []
  private scheduled = 0
  /** Operations of a real database in progress: time stands still until they end. */
  private outside = 0
  /** Operations of processes since the last event. */
  private operations = 0

  constructor(random: Random) {
    this.random = random
  }

  /** Runs something later; what is returned prevents it. */
  after(ms: number, run: () => void): () => void {
    const event = { due: this.now + Math.max(0, ms), order: this.scheduled++, run }
    push(this.events, event)
    return () => {
      const at = this.events.indexOf(event)
      if (at >= 0) this.events.splice(at, 1)
    }
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = () => {
        cancel()
        reject(signal?.reason)
      }
      const cancel = this.after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  /**
   * Runs work in which also timers of the platform follow this time: request timeouts use them. Otherwise a slow
   * machine would change a run.
   */
  async withTimers<T>(work: () => Promise<T>): Promise<T> {
    const { setTimeout, clearTimeout } = globalThis
    globalThis.setTimeout = ((run: () => void, ms = 0) => {
      const cancel = this.after(ms, run)
      return { cancel, unref: () => {} }
    }) as unknown as typeof setTimeout
    globalThis.clearTimeout = ((timer?: { cancel?: () => void }) =>
      timer?.cancel?.()) as unknown as typeof clearTimeout
    try {
      return await work()
    } finally {
      globalThis.setTimeout = setTimeout
      globalThis.clearTimeout = clearTimeout
    }
  }

  /** A clock for the code under test. */
  clock(): Clock {
    return {
      now: () => this.now,
      sleep: (ms, signal) => this.sleep(ms, signal),
      random: () => this.random.next(),
    }
  }

  /** Lets time wait for work outside of the simulation. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.outside++
    try {
      return await work
    } finally {
      this.outside--
    }
  }

  /**
   * Counts an operation of a process. Returns false if so many followed each other without an event that they have no
   * end: then the process must not continue, because events never get their turn.
   */
  countOperation(): boolean {
    return ++this.operations <= MAX_OPERATIONS
  }

  /**
   * Runs events until a condition holds, nothing is left to happen, or a time is reached.
   *
   * @throws Error if there is no end of events
   */
  async run(isOver: () => boolean, until: number): Promise<void> {
    let count = 0
    let atOnce = 0
    await this.settled()
    while (!isOver()) {
      const event = this.events[0]
      if (event === undefined || event.due > until) return
      this.events.shift()
      atOnce = event.due > this.now ? 0 : atOnce + 1
      if (++count > MAX_EVENTS || atOnce > MAX_EVENTS_AT_ONCE)
        throw new Error(`endless: ${count} events, ${atOnce} of them at ${this.now - START} ms`)
      this.now = Math.max(this.now, event.due)
      this.operations = 0
      event.run()
      await this.settled()
      if (this.operations > MAX_OPERATIONS)
        throw new Error(`endless: ${this.operations} operations at ${this.now - START} ms`)
    }
  }

  /**
   * Runs events until work has ended that may wait for some.
   *
   * @throws Error if it does not end in time
   */
  async until<T>(work: Promise<T>, maxMs: number): Promise<T> {
    let hasEnded = false
    const end = () => {
      hasEnded = true
    }
    work.then(end, end)
    await this.run(() => hasEnded, this.now + maxMs)
    if (!hasEnded) throw new Error(`no end in ${maxMs} ms`)
    return work
  }

  /** Lets all promises settle that do not wait for an event. No simulated component uses a real timer. */
  private async settled(): Promise<void> {
    do {
      await setImmediate()
      await setImmediate()
    } while (this.outside > 0)
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order)
}

/** A list sorted by time; short enough that a heap would gain nothing. */
function push(events: Event[], event: Event): void {
  let at = events.length
  while (at > 0 && isBefore(event, events[at - 1]!)) at--
  events.splice(at, 0, event)
}
