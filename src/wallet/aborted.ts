import type { Clock } from '../rpc/clock.ts'
import { AbortError, TimeoutError } from '../rpc/errors.ts'
import type { CallOptions } from '../rpc/http.ts'

/** Waits for shared work until the caller aborts; the work itself continues. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  // After an abort its failure is not awaited, and must not be reported as unhandled.
  work.catch(() => {})
  refuseAborted(signal)
  if (signal === undefined) return work
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new AbortError('wallet', signal.reason))
    signal.addEventListener('abort', stop, { once: true })
  })
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop))
}

/** The same within the time limit of a call: the work may be shared with calls that have more time. */
export async function orLate<T>(
  work: Promise<T>,
  { signal, totalMs }: CallOptions,
  clock: Clock,
): Promise<T> {
  if (totalMs === undefined) return orAborted(work, signal)
  const done = new AbortController()
  const late = new Promise<never>((_, reject) => {
    const isOver = () =>
      reject(new TimeoutError('RPC_TIMEOUT', `wallet: no answer within ${totalMs} ms`, totalMs))
    clock.sleep(totalMs, done.signal).then(isOver, () => {})
  })
  return Promise.race([orAborted(work, signal), late]).finally(() => done.abort(DONE))
}

/** Without a reason, `abort` would create an exception with a stack trace for every call. */
const DONE = 'done'

/** @throws AbortError if the caller has aborted */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortError('wallet', signal.reason)
}
