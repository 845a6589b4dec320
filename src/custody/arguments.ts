import { requireBigint, requireFields, requireText } from '../core/base/require.ts'
import { CustodyError } from './errors.ts'

/** Names of all members of an object, so that a new member that is not listed does not compile. */
export type MembersOf<T> = { readonly [name in keyof Required<T>]: true }

/**
 * Rejects values that are not objects, and objects with unknown members: a misspelled `assetID` would pay the native
 * asset, a misspelled `policy` would pay without asking.
 *
 * @throws CustodyError `BAD_ARGUMENT` for an unknown member
 */
export function requireMembers<T extends object>(
  value: T,
  what: string,
  members: MembersOf<T>,
): void {
  requireFields(value, what, [])
  for (const name of Object.keys(value))
    if (!Object.hasOwn(members, name))
      throw new CustodyError(
        'BAD_ARGUMENT',
        `${what} has an unknown member ${JSON.stringify(name)}`,
        {
          hint: `known: ${Object.keys(members).join(', ')}`,
        },
      )
}

/** Options or a query, which may be omitted. Rejects unknown members. */
export function checkedOptions<T extends object>(
  given: T | undefined,
  members: MembersOf<T>,
): T | Partial<T> {
  if (given !== undefined) requireMembers(given, 'argument', members)
  return given ?? {}
}

/**
 * Rejects values that are not valid dates from 1970 on: the database reads the number 20301231 as a day, and has no
 * dates before 4713 BC.
 */
export function requireTime(value: unknown, what: string): asserts value is Date {
  const isDate = Object.prototype.toString.call(value) === '[object Date]'
  if (!isDate || !(Number(value) >= 0))
    throw new CustodyError('BAD_ARGUMENT', `${what} must be a valid Date, is ${typeof value}`)
}

/** Rejects values that are not integers in a range. */
export function requireInteger(value: unknown, what: string, min: number, max: number): void {
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max)
    throw new CustodyError(
      'BAD_ARGUMENT',
      `${what}: expected an integer from ${min} to ${max}, got ${shown(value)}`,
    )
}

/** An invalid value for a message: a number as it is, otherwise the type, since not every value has a text. */
export function shown(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : typeof value
}

/** Rejects values that are not an AbortSignal, also one of another realm: the work could not be stopped. */
export function requireSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw new CustodyError('BAD_ARGUMENT', `signal must be an AbortSignal, is ${typeof signal}`)
}

/** Rejects values that are not bigints from 0 to 2^63 − 1, the range of non-negative values of a `bigint` column. */
export function requirePosition(value: unknown, what: string): void {
  requireBigint(value, what)
  if ((value as bigint) < 0n || (value as bigint) >= 2n ** 63n)
    throw new CustodyError('BAD_ARGUMENT', `${what}: expected 0 to 2^63 - 1, got ${value}`)
}

/** Returns the caller's name for a user as a column. Rejects texts that the database cannot store. */
export function referenceColumn(reference: string | null | undefined): string | null {
  if (reference === undefined || reference === null) return null
  requireText(reference, 'reference')
  if (reference.includes('\u0000'))
    throw new CustodyError('BAD_ARGUMENT', 'reference contains a NUL character')
  return reference
}
