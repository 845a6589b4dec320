import {
  signal as abortSignal,
  argument,
  type Check,
  capability,
  msFrom,
  optional,
} from '../core/base/argument.ts'
import { AbortError } from './errors.ts'
import { onAbort } from './transport/abort.ts'

/** Source of time and randomness of the client. Tests and simulations provide their own. */
export type Clock = {
  /** Milliseconds since the Unix epoch, as `Date.now`. */
  readonly now: () => number
  /** Resolves after `ms` milliseconds; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** A number from 0 (inclusive) to 1 (exclusive), as `Math.random`, for jitter. */
  readonly random: () => number
}

/** Describes a clock. */
export const clock: Check<Clock> = capability<Clock>('a clock', 'now', 'sleep', 'random')

/** A duration that may be negative: what is left of a time limit, so that the call times out. */
export const anyMs: Check<number> = msFrom(Number.NEGATIVE_INFINITY)

/** The longest delay of `setTimeout`, about 25 days. Longer ones are treated as 1 ms. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/** The system clock. Sleeps for at most 2^31 - 1 ms. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: (givenMs, givenSignal) =>
    new Promise((resolve, reject) => {
      const ms = argument('sleep', givenMs, anyMs, 'ms')
      const signal = argument('sleep', givenSignal, optional(abortSignal), 'signal')
      const stop = () => {
        clearTimeout(timer)
        reject(new AbortError('waiting', signal?.reason))
      }
      const forget = onAbort(signal, stop)
      const timer = setTimeout(
        () => {
          forget()
          resolve()
        },
        Math.min(ms, MAX_TIMER_MS),
      )
      if (signal?.aborted) stop()
    }),
  random: Math.random,
}

/**
 * Calls back after a time, unless the returned function is called before. With the system clock this is a timer alone:
 * a sleep that is ended by a signal rejects with an error and its stack trace, which is much for every statement.
 */
export function callAfter(clock: Clock, ms: number, callback: () => void): () => void {
  if (clock === systemClock) {
    const timer = setTimeout(callback, Math.min(ms, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  }
  const done = new AbortController()
  const unlessEnded = () => {
    if (!done.signal.aborted) callback()
  }
  // A clock that fails ends the wait: nothing else would.
  clock.sleep(ms, done.signal).then(unlessEnded, unlessEnded)
  return () => done.abort(DONE)
}

/** Without a reason, `abort` would create an exception with a stack trace for every call. */
const DONE = 'done'

/** Returns a function that gives the milliseconds since this call. If the clock is set back, no time has passed. */
export function stopwatch(clock: Clock): () => number {
  let last = clock.now()
  let passed = 0
  return () => {
    const now = clock.now()
    passed += Math.max(0, now - last)
    last = now
    return passed
  }
}

/** Returns a function that gives the milliseconds that remain of a duration from this call on; at most 0 at its end. */
export function countdown(clock: Clock, ms: number): () => number {
  const passed = stopwatch(clock)
  return () => ms - passed()
}

/** A sleep that may end early. */
export type Pause = { readonly over: Promise<void>; readonly end: () => void }

/** Sleeps until the time is over or `end` is called. */
export function pauseFor(clock: Clock, ms: number): Pause {
  let end = () => {}
  const over = new Promise<void>((resolve) => {
    const cancel = callAfter(clock, ms, resolve)
    end = () => {
      cancel()
      resolve()
    }
  })
  return { over, end }
}

/** Sleeps. If the signal is aborted, throws an AbortError whatever the clock rejects with. */
export async function sleepFor(
  clock: Clock,
  ms: number,
  method: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (cause) {
    throw signal?.aborted ? new AbortError(method, signal.reason) : cause
  }
}
