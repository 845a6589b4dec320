import { type Json, stringifyJSON } from '../codec/index.ts'
import { escapedJSON } from '../sign/text.ts'

/**
 * A value as programs read it: `bigint` becomes a decimal text, since most JSON readers round it, and what
 * is undefined is left out.
 */
export function plain(value: unknown): Json {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value as Json
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, plain(member)]),
  )
}

/**
 * One line of JSON for programs. Characters that a terminal would hide or obey are written as `\uXXXX`: the output
 * often ends up on a terminal, and to a JSON reader it means the same.
 */
export function jsonLine(value: unknown): string {
  return escapedJSON(stringifyJSON(plain(value)))
}
