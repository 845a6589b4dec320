import { type Check, integerFrom, object, optional } from '../../core/base/argument.ts'
import { anyMs } from '../clock.ts'

/** How failed reads are retried. Writes are never retried. */
export type RetryOptions = {
  /**
   * Number of rounds after the first; each tries every server once.
   *
   * @defaultValue 3
   */
  readonly retries?: number | undefined
  /**
   * First delay in milliseconds. It doubles with each round; half of it is random.
   *
   * @defaultValue 250
   */
  readonly firstDelayMs?: number | undefined
  /**
   * Maximum delay in milliseconds, except when a server asks for a longer one.
   *
   * @defaultValue 8000
   */
  readonly maxDelayMs?: number | undefined
  /**
   * Time limit of a call in milliseconds, including delays that a server asks for.
   *
   * @defaultValue 60000
   */
  readonly maxTotalMs?: number | undefined
}

/** Describes `RetryOptions`. */
export const retryOptions: Check<RetryOptions> = object<RetryOptions>({
  retries: optional(integerFrom(0)),
  firstDelayMs: optional(anyMs),
  maxDelayMs: optional(anyMs),
  maxTotalMs: optional(anyMs),
})

/** Retry options with all defaults applied. */
export type RetryPolicy = { readonly [Name in keyof RetryOptions]-?: number }

/** Applies the defaults. */
export function retryPolicy(options?: RetryOptions): RetryPolicy {
  return {
    retries: options?.retries ?? 3,
    firstDelayMs: options?.firstDelayMs ?? 250,
    maxDelayMs: options?.maxDelayMs ?? 8_000,
    maxTotalMs: options?.maxTotalMs ?? 60_000,
  }
}

/**
 * The delay before the next round in milliseconds: exponential, with jitter between half and all of it.
 *
 * @param round - 0 for the first retry
 * @param random - from 0 to 1
 */
export function backoff(policy: RetryPolicy, round: number, random: number): number {
  const whole = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** round)
  return whole * (0.5 + random / 2)
}
