import { UsageError } from './errors.ts'

const DATE =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/**
 * Parses Unix seconds or an ISO 8601 date: `2030-01-01`, which means midnight UTC, or `2030-01-01T12:00:00Z`. Only
 * unambiguous text is accepted; `Date.parse` alone treats 2030 as a year on one platform and as seconds on another.
 *
 * @throws UsageError `BAD_VALUE`
 */
export function parseTime(text: string): bigint {
  const seconds = /^[0-9]{9,12}$/.test(text) ? BigInt(text) : secondsOf(text)
  if (seconds !== undefined) return seconds
  throw new UsageError('BAD_VALUE', 'expected a Unix time in seconds or an ISO 8601 date', {
    hint: 'for example 2030-01-01 or 2030-01-01T00:00:00Z',
  })
}

/**
 * Parses a time in the future.
 *
 * @throws UsageError `BAD_VALUE`
 */
export function parseFuture(text: string, now: bigint): bigint {
  const seconds = parseTime(text)
  if (seconds <= now)
    throw new UsageError('BAD_VALUE', 'the time is in the past', {
      hint: 'omit the option to lock nothing',
    })
  return seconds
}

function secondsOf(text: string): bigint | undefined {
  const [, day] = DATE.exec(text) ?? []
  // Date.parse turns the 31st of February into a day of March.
  if (day === undefined || dayOf(Date.parse(day)) !== day) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : BigInt(Math.floor(ms / 1000))
}

function dayOf(ms: number): string {
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 10)
}
