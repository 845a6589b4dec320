import type { AvmError } from '../errors.ts'
import { onAbort } from './abort.ts'
import { MAX_TIMER_MS } from './clock.ts'
import { AbortError, TimeoutError } from './errors.ts'

/**
 * Runs a task until it completes, the signal is aborted or the time is over; `halted` rejects in the latter two
 * cases. Uses the system timer like all request time limits, because a server can be unresponsive under any clock.
 */
export async function within<T>(
  method: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  task: (halted: Promise<never>) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw new AbortError(method, signal.reason)
  let reason: AvmError | undefined
  let halt = (_: AvmError) => {}
  const halted = new Promise<never>((_, reject) => {
    halt = (error) => {
      reason = error
      reject(error)
    }
  })
  halted.catch(() => {})
  const onTime = () =>
    halt(new TimeoutError('RPC_TIMEOUT', `${method}: no answer within ${timeoutMs} ms`, timeoutMs))
  const forget = onAbort(signal, () => halt(new AbortError(method, signal?.reason)))
  const timer = setTimeout(onTime, Math.min(timeoutMs, MAX_TIMER_MS))
  try {
    return await task(halted)
  } catch (error) {
    throw error instanceof AbortError ? (reason ?? error) : error
  } finally {
    clearTimeout(timer)
    forget()
  }
}
