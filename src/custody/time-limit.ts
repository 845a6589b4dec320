import { TimeoutError } from '../rpc/errors.ts'

/**
 * Waits for a promise, but not longer than a time limit; after that its result is ignored.
 *
 * @param what - names the promise in the error
 * @throws TimeoutError `RPC_TIMEOUT`
 */
export async function within<T>(
  ms: number,
  what: string,
  running: Promise<T>,
  onTimeout?: (error: Error) => void,
): Promise<T> {
  if (!Number.isFinite(ms)) return running
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new TimeoutError('RPC_TIMEOUT', `${what}: no answer within ${ms} ms`, ms)
      onTimeout?.(error)
      reject(error)
    }, ms)
  })
  try {
    return await Promise.race([running, timeout])
  } finally {
    clearTimeout(timer)
  }
}
