import { requireDurations } from '../encoding/require.ts'
import { onAbort } from './abort.ts'
import { MAX_TIMER_MS } from './clock.ts'
import { AbortError, TimeoutError } from './errors.ts'
import type { CallOptions } from './http.ts'

/** Options of a call whose requests are shared with other calls. They end only the waiting of this call. */
export type SharedCallOptions = Pick<CallOptions, 'signal' | 'totalMs'>

/**
 * Waits for work that is shared with other calls.
 *
 * @param work - starts it or returns that of an earlier call; not called if the signal is already aborted
 * @throws AbortError, TimeoutError `RPC_TIMEOUT`
 */
export async function waitForShared<T>(
  work: () => Promise<T>,
  method: string,
  { signal, totalMs }: SharedCallOptions,
): Promise<T> {
  requireDurations({ totalMs }, ['totalMs'])
  if (signal?.aborted) throw new AbortError(method, signal.reason)
  let stopWaiting = () => {}
  const stopped = new Promise<never>((_, reject) => {
    const forget = onAbort(signal, () => reject(new AbortError(method, signal?.reason)))
    const expire = (ms: number) =>
      reject(new TimeoutError('RPC_TIMEOUT', `${method}: no answer within ${ms} ms`, ms))
    const timer =
      totalMs === undefined
        ? undefined
        : setTimeout(expire, Math.min(totalMs, MAX_TIMER_MS), totalMs)
    stopWaiting = () => {
      forget()
      clearTimeout(timer)
    }
  })
  return Promise.race([work(), stopped]).finally(stopWaiting)
}
