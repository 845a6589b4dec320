/** What a server last said about how much may be asked of it. Units are the server's own. */
export type RateLimit = {
  /** Such as `8000;w=60`: not taken apart, since its form is not settled. */
  readonly policy?: string | undefined
  readonly limit?: number | undefined
  readonly remaining?: number | undefined
  /** Seconds until the period ends. */
  readonly resetSeconds?: number | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Reads the rate-limit headers of an answer; undefined where there are none. Never fails. */
export function readRateLimit(headers: Headers, now: number): RateLimit | undefined {
  const policy = headers.get('ratelimit-policy')
  const limit = leadingNumber(headers.get('ratelimit-limit'))
  const remaining = leadingNumber(headers.get('ratelimit-remaining'))
  const resetSeconds = secondsFrom(leadingNumber(headers.get('ratelimit-reset')), now)
  const retryAfterSeconds = readRetryAfter(headers.get('retry-after'), now)
  const found: RateLimit = {
    ...(policy === null ? {} : { policy }),
    limit,
    remaining,
    resetSeconds,
    retryAfterSeconds,
  }
  return Object.keys(found).length === 0 ? undefined : found
}

/** How long the server asks to wait, by `retry-after` or else `ratelimit-reset`. */
export function waitAsked(limit: RateLimit | undefined): number | undefined {
  const seconds = limit?.retryAfterSeconds ?? limit?.resetSeconds
  return seconds === undefined ? undefined : seconds * 1000
}

/** Lists are allowed (`8000, 8000;w=60`): the first number counts. */
function leadingNumber(text: string | null): number | undefined {
  const digits = text === null ? null : /^\s*([0-9]{1,15}(?:\.[0-9]+)?)\s*(?:[,;]|$)/.exec(text)
  return digits === null ? undefined : Number(digits[1])
}

/** Seconds, or a date. */
function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  const seconds = secondsFrom(leadingNumber(text), now)
  if (seconds !== undefined) return seconds
  // What else the platform takes for a date is not one of HTTP.
  const date = /^[A-Z][a-z]+, .* GMT$/.test(text.trim()) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000)
}

/** Some send the time itself where they should send how long it is until then. */
function secondsFrom(number: number | undefined, now: number): number | undefined {
  if (number === undefined || number < 1_000_000_000) return number
  return Math.max(0, number - now / 1000)
}
