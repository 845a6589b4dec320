import { requireFields } from '../encoding/require.ts'
import { CustodyError } from './errors.ts'

/** Names of all members of an object, so that a new member that is not listed does not compile. */
export type MembersOf<T> = { readonly [name in keyof Required<T>]: true }

/**
 * Rejects values that are not objects, and members that have no meaning: a misspelled `assetID` would pay the native
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
export function optionsOf<T extends object>(
  given: T | undefined,
  members: MembersOf<T>,
): T | Partial<T> {
  if (given !== undefined) requireMembers(given, 'argument', members)
  return given ?? {}
}

/** Rejects values that are not valid dates: the database reads the number 20301231 as a day. */
export function requireTime(value: unknown, what: string): asserts value is Date {
  if (Object.prototype.toString.call(value) !== '[object Date]' || Number.isNaN(Number(value)))
    throw new CustodyError('BAD_ARGUMENT', `${what} must be a valid Date, is ${typeof value}`)
}
