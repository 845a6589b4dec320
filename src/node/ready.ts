import { type Check, msFrom, object, optional, signal } from '../core/base/argument.ts'
import { AvmError } from '../core/base/errors.ts'
import { anyMs, type Clock, countdown, sleepFor } from './clock.ts'
import { AbortError, HttpError, TimeoutError } from './errors.ts'
import type { CallOptions } from './http.ts'
import type { infoMethods } from './methods/info.ts'
import type { BoundTable } from './methods/method.ts'

/** Options of `waitUntilReady`. */
export type ReadyOptions = {
  /** Aborts the call with an AbortError. */
  readonly signal?: AbortSignal | undefined
  /**
   * In milliseconds.
   *
   * @defaultValue 60000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Delay between requests in milliseconds.
   *
   * @defaultValue 500
   */
  readonly pollMs?: number | undefined
}

/** Describes `ReadyOptions`. Pauses below 1 ms would send requests without end. */
export const readyOptions: Check<ReadyOptions> = object<ReadyOptions>({
  signal: optional(signal),
  timeoutMs: optional(anyMs),
  pollMs: optional(msFrom(1)),
})

/**
 * Waits until a node has bootstrapped a chain. Does not use the health API, which reports failures for up to 30 s
 * after the chains are ready.
 *
 * @throws TimeoutError `NODE_TIMEOUT`, AbortError
 */
export async function waitUntilReady(
  info: Pick<BoundTable<typeof infoMethods>, 'isBootstrapped'>,
  chain: string,
  clock: Clock,
  { signal, timeoutMs = 60_000, pollMs = 500 }: ReadyOptions,
): Promise<void> {
  const left = countdown(clock, timeoutMs)
  let failure: AvmError | undefined
  for (;;) {
    try {
      const call = { signal, totalMs: Math.max(1, left()) }
      if (await info.isBootstrapped({ chain }, call)) return
    } catch (error) {
      // A starting node refuses connections and does not know its chains yet.
      if (error instanceof AbortError || !(error instanceof AvmError)) throw error
      failure = error
    }
    if (pollMs > left())
      throw new TimeoutError(
        'NODE_TIMEOUT',
        `chain ${chain} not bootstrapped within ${timeoutMs} ms`,
        timeoutMs,
        { cause: failure },
      )
    await sleepFor(clock, pollMs, 'waitUntilReady', signal)
  }
}

/**
 * Rethrows the error of a call to a chain. If the route is missing, asks the node whether it is bootstrapping: until
 * its P-Chain is ready, it answers requests to other chains with 404.
 */
export async function explainMissingRoute(
  error: unknown,
  info: Pick<BoundTable<typeof infoMethods>, 'isBootstrapped'>,
  chain: string,
  options: CallOptions | undefined,
): Promise<never> {
  if (!(error instanceof HttpError) || error.status !== 404) throw error
  const ready = await info.isBootstrapped({ chain }, options).catch(() => true)
  if (ready) throw error
  const { method, endpoint, status } = error
  throw new HttpError('HTTP_BOOTSTRAPPING', 'the node is bootstrapping the chain', {
    method,
    endpoint,
    status,
    cause: error,
    hint: 'call waitUntilReady first',
  })
}
