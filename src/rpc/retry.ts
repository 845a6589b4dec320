/** How reads are repeated. Writes never are. */
export type RetryOptions = {
  /** Rounds after the first; in each, every endpoint is tried once. 3 unless told. */
  readonly retries?: number | undefined
  /** First pause, 250 unless told; it doubles from round to round, and half of it is left to chance. */
  readonly firstDelayMs?: number | undefined
  /** Longest pause of our own choosing, 8 000 unless told. */
  readonly maxDelayMs?: number | undefined
  /** A call gives up rather than wait beyond this, whoever asks for the pause. 60 000 unless told. */
  readonly maxTotalMs?: number | undefined
}

/** The same with nothing left open. */
export type RetryPolicy = { readonly [Name in keyof RetryOptions]-?: number }

/** Fills in what was left out. */
export function retryPolicy(options: RetryOptions = {}): RetryPolicy {
  return {
    retries: options.retries ?? 3,
    firstDelayMs: options.firstDelayMs ?? 250,
    maxDelayMs: options.maxDelayMs ?? 8_000,
    maxTotalMs: options.maxTotalMs ?? 60_000,
  }
}

/** The pause before a round: exponential, between half and the whole of it. */
export function backoff(policy: RetryPolicy, round: number, random: number): number {
  const whole = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** round)
  return whole * (0.5 + random / 2)
}
