import type { HttpResponse } from './send.ts'

/** Rate-limit headers of the last answer. Units are those of the server. */
export type RateLimit = {
  /** Such as `8000;w=60`. Not parsed, because the format is not standardized. */
  readonly policy?: string | undefined
  /** Requests or units per period. */
  readonly limit?: number | undefined
  /** What is left of the limit in this period. */
  readonly remaining?: number | undefined
  /** Seconds until the period ends. */
  readonly resetSeconds?: number | undefined
  /** Seconds to wait before the next request. */
  readonly retryAfterSeconds?: number | undefined
}

/** Reads the rate-limit headers; undefined if there are none. Never throws. */
export function readRateLimit(
  headers: HttpResponse['headers'],
  now: number,
): RateLimit | undefined {
  const policy = headers.get('ratelimit-policy')
  const limit = leadingNumber(headers.get('ratelimit-limit'))
  const remaining = leadingNumber(headers.get('ratelimit-remaining'))
  const resetSeconds = secondsFrom(leadingNumber(headers.get('ratelimit-reset')), now)
  const retryAfterSeconds = readRetryAfter(headers.get('retry-after'), now)
  const found = Object.entries({
    policy: policy ?? undefined,
    limit,
    remaining,
    resetSeconds,
    retryAfterSeconds,
  }).filter(([, value]) => value !== undefined)
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** Delay requested by `retry-after` or else `ratelimit-reset`, in milliseconds. */
export function requestedDelayMs(limit: RateLimit | undefined): number | undefined {
  const seconds = limit?.retryAfterSeconds ?? limit?.resetSeconds
  return seconds === undefined ? undefined : seconds * 1000
}

/** Parses the first number of a list such as `8000, 8000;w=60`. */
function leadingNumber(text: string | null): number | undefined {
  const digits = text === null ? null : /^\s*([0-9]{1,15}(?:\.[0-9]+)?)\s*(?:[,;]|$)/.exec(text)
  return digits === null ? undefined : Number(digits[1])
}

/** Parses seconds or an HTTP date. */
function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  const seconds = secondsFrom(leadingNumber(text), now)
  if (seconds !== undefined) return seconds
  // The platform accepts dates that are not HTTP dates.
  const date = /^[A-Z][a-z]+, .* GMT$/.test(text.trim()) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000)
}

/** Converts a header to a duration in seconds: some servers send a Unix time instead. */
function secondsFrom(number: number | undefined, now: number): number | undefined {
  if (number === undefined || number < 1_000_000_000) return number
  return Math.max(0, number - now / 1000)
}
