import { AbortError } from '../rpc/errors.ts'

/** Waits for work, or no longer than the caller wants; the work itself goes on. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  // Nobody else may be there to hear of its failure, when the caller has left.
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

/** Throws for a caller who has given up. */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortError('wallet', signal.reason)
}
