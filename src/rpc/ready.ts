import { AvmError } from '../errors.ts'
import { type Clock, sleepFor } from './clock.ts'
import { AbortError, HttpError, TimeoutError } from './errors.ts'
import type { CallOptions } from './http.ts'
import type { infoMethods } from './info.ts'
import type { BoundTable } from './method.ts'

/** How long to wait for a node. */
export type ReadyOptions = {
  readonly signal?: AbortSignal | undefined
  /** 60 000 unless told. */
  readonly timeoutMs?: number | undefined
  /** Between two questions, 500 unless told. */
  readonly pollMs?: number | undefined
}

/**
 * Waits until a node has bootstrapped a chain. Not by its health, which stays bad for up to half a minute
 * after the chains answer.
 */
export async function waitUntilReady(
  info: Pick<BoundTable<typeof infoMethods>, 'isBootstrapped'>,
  chain: string,
  clock: Clock,
  { signal, timeoutMs = 60_000, pollMs = 500 }: ReadyOptions = {},
): Promise<void> {
  const deadline = clock.now() + timeoutMs
  let failure: AvmError | undefined
  for (;;) {
    try {
      if (await info.isBootstrapped({ chain }, { signal })) return
    } catch (error) {
      // A node that is starting refuses connections, and does not know its chains yet.
      if (error instanceof AbortError || !(error instanceof AvmError)) throw error
      failure = error
    }
    if (clock.now() + pollMs > deadline)
      throw new TimeoutError(
        'NODE_TIMEOUT',
        `expected chain ${chain} to be bootstrapped within ${timeoutMs} ms, it is not`,
        timeoutMs,
        { cause: failure },
      )
    await sleepFor(clock, pollMs, 'waitUntilReady', signal)
  }
}

/**
 * Rethrows the error of a call to a chain. Where the route is missing, the node is asked whether it is still
 * bootstrapping: until its P-Chain is ready, it answers for its other chains as for a mistyped path.
 */
export async function explainMissing(
  error: unknown,
  info: Pick<BoundTable<typeof infoMethods>, 'isBootstrapped'>,
  chain: string,
  options: CallOptions | undefined,
): Promise<never> {
  if (!(error instanceof HttpError) || error.status !== 404) throw error
  const ready = await info.isBootstrapped({ chain }, options).catch(() => true)
  if (ready) throw error
  const { method, endpoint, status } = error
  throw new HttpError('HTTP_BOOTSTRAPPING', 'expected the chain, the node is bootstrapping', {
    method,
    endpoint,
    status,
    cause: error,
    hint: 'waitUntilReady waits for it',
  })
}
