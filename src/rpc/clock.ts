import { AbortError } from './errors.ts'

/** Time and chance, as the client uses them; tests and simulations bring their own. */
export type Clock = {
  /** Milliseconds since 1970, as `Date.now` gives them. */
  readonly now: () => number
  /** Ends early, with a rejection, when the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to 1, for jitter. */
  readonly random: () => number
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(new AbortError('waiting', signal?.reason))
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, ms)
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    }),
  random: Math.random,
}

/** Milliseconds since it was made. A clock that is set back does not make anybody wait longer. */
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

/** Sleeps; whatever a clock rejects with when the signal fires, the caller's abort comes out. */
export async function sleepFor(
  clock: Clock,
  ms: number,
  method: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (cause) {
    throw new AbortError(method, signal?.reason ?? cause)
  }
}
