import { UsageError } from './errors.ts'

const DATE =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/**
 * Reads a time to come, in unix seconds: these themselves, or ISO 8601 (`2030-01-01`, which begins at midnight
 * UTC, or `2030-01-01T12:00:00Z`). Nothing is guessed: `Date.parse` alone takes 2030 for a second of 1970
 * in one place and for a year in another.
 */
export function parseFuture(text: string, now: bigint): bigint {
  const seconds = /^[0-9]{9,12}$/.test(text) ? BigInt(text) : secondsOf(text)
  if (seconds === undefined)
    throw new UsageError('BAD_VALUE', 'expected a time as unix seconds or a date of ISO 8601', {
      hint: 'for example 2030-01-01 or 2030-01-01T00:00:00Z',
    })
  if (seconds <= now)
    throw new UsageError('BAD_VALUE', 'expected a time to come, found one that has passed', {
      hint: 'leave the option out to lock nothing',
    })
  return seconds
}

function secondsOf(text: string): bigint | undefined {
  const [, day] = DATE.exec(text) ?? []
  // The 31st of February would be read as one of March.
  if (day === undefined || dayOf(Date.parse(day)) !== day) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : BigInt(Math.floor(ms / 1000))
}

function dayOf(ms: number): string {
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 10)
}
