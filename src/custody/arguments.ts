import { bigintFrom, type Check, date, invalid, text } from '../core/base/argument.ts'

// Values that the database can store.

/** A valid date from 1970 on: the database has no dates before 4713 BC. */
export const time: Check<Date> = (value, at) => {
  const copy = date(value, at)
  if (copy.getTime() < 0) throw invalid(value, at, 'a Date from 1970 on')
  return copy
}

/** A non-negative value of a `bigint` column. */
export const position: Check<bigint> = bigintFrom(0n, 2n ** 63n - 1n)

/** The caller's name for a user or an account. */
export const reference: Check<string> = (value, at) => {
  const name = text(value, at)
  if (name.includes('\u0000')) throw invalid(value, at, 'a string without NUL characters')
  return name
}
