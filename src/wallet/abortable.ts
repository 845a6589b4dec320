import { AvmError } from '../errors.ts'
import { onAbort } from '../rpc/abort.ts'
import type { Clock } from '../rpc/clock.ts'
import { AbortError, TimeoutError } from '../rpc/errors.ts'
import type { CallOptions } from '../rpc/http.ts'

/**
 * Waits for work that is shared with other calls. If the caller aborts, only the waiting ends.
 *
 * @throws AbortError
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  // After an abort nobody awaits the work, so its failure must not be reported as unhandled.
  work.catch(() => {})
  throwIfAborted(signal)
  if (signal === undefined) return work
  let forget = () => {}
  const aborted = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(new AbortError('wallet', signal.reason)))
  })
  return Promise.race([work, aborted]).finally(forget)
}

/**
 * Like {@link abortable}, with the time limit of the call: the shared work itself may have a longer one.
 *
 * @throws AbortError, TimeoutError
 */
export async function withTimeout<T>(
  work: Promise<T>,
  { signal, totalMs }: CallOptions,
  clock: Clock,
): Promise<T> {
  if (totalMs === undefined || signal?.aborted) return abortable(work, signal)
  // Usually an earlier call has completed the work, so that no timer is needed.
  const finished = await Promise.race<T | typeof UNFINISHED>([work, UNFINISHED])
  if (finished !== UNFINISHED) return finished
  const done = new AbortController()
  const timeout = new Promise<never>((_, reject) => {
    const expire = () =>
      reject(new TimeoutError('RPC_TIMEOUT', `wallet: no answer within ${totalMs} ms`, totalMs))
    clock.sleep(totalMs, done.signal).then(expire, () => {})
  })
  return Promise.race([abortable(work, signal), timeout]).finally(() => done.abort(DONE))
}

const UNFINISHED: unique symbol = Symbol('unfinished')

/** Without a reason, `abort` would create an exception with a stack trace for every call. */
const DONE = 'done'

/** @throws AbortError if the caller has aborted */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortError('wallet', signal.reason)
}

/** For requests to servers or the store that are repeated later. */
export function ignoreAvmError(error: unknown): undefined {
  if (!(error instanceof AvmError)) throw error
}
