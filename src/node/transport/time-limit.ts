import type { AvmError } from '../../core/base/errors.ts'
import { type Clock, callAfter, systemClock } from '../clock.ts'
import { AbortError, TimeoutError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import { onAbort } from './abort.ts'

/** When a wait ends. */
export type Limits = Pick<CallOptions, 'signal' | 'totalMs'>

const UNFINISHED: unique symbol = Symbol('unfinished')

/**
 * Runs a task. When the signal is aborted or the time is over, `halted` rejects, and the task has to end.
 *
 * @param what - names the task in errors
 * @param clock - measures the time. The default, the system timer, is right for everything that is outside of the
 * process: a server can be unresponsive under any clock, and under a simulated one every answer would come too late.
 * Time limits that the caller of a wallet sets are in the time of the wallet's clock.
 * @throws AbortError, TimeoutError `RPC_TIMEOUT`
 */
export async function runWithin<T>(
  what: string,
  { signal, totalMs = Number.POSITIVE_INFINITY }: Limits,
  task: (halted: Promise<never>) => Promise<T>,
  clock: Clock = systemClock,
): Promise<T> {
  throwIfAborted(what, signal)
  let reason: AvmError | undefined
  let halt = (_: AvmError) => {}
  const halted = new Promise<never>((_, reject) => {
    halt = (error) => {
      reason = error
      reject(error)
    }
  })
  halted.catch(() => {})
  const forget = onAbort(signal, () => halt(new AbortError(what, signal?.reason)))
  const expire = () =>
    halt(new TimeoutError('RPC_TIMEOUT', `${what}: no answer within ${totalMs} ms`, totalMs))
  const stopTimer = Number.isFinite(totalMs) ? callAfter(clock, totalMs, expire) : () => {}
  try {
    return await task(halted)
  } catch (error) {
    throw error instanceof AbortError ? (reason ?? error) : error
  } finally {
    stopTimer()
    forget()
  }
}

/**
 * Waits for work that continues without the caller, for example because other calls share it: when the signal is
 * aborted or the time is over, only the waiting ends.
 *
 * @param what - names the work in errors
 * @param clock - as for {@link runWithin}
 * @throws AbortError, TimeoutError `RPC_TIMEOUT`
 */
export async function waitFor<T>(
  what: string,
  work: Promise<T>,
  limits: Limits,
  clock?: Clock,
): Promise<T> {
  // After an abort nobody awaits the work, so its failure must not be reported as unhandled.
  work.catch(() => {})
  throwIfAborted(what, limits.signal)
  // Usually an earlier call has completed the work, so that no timer is needed.
  const finished = await Promise.race<T | typeof UNFINISHED>([work, UNFINISHED])
  if (finished !== UNFINISHED) return finished
  return runWithin(what, limits, (halted) => Promise.race([work, halted]), clock)
}

/** @throws AbortError if the signal is aborted */
export function throwIfAborted(what: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortError(what, signal.reason)
}
