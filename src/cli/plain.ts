import { stringifyJSON } from '../codec/json-text.ts'
import type { Json } from '../codec/json-value.ts'
import { escapedJSON } from '../sign/text.ts'

/** Converts a value to JSON: `bigint` to a decimal string, which no parser rounds; undefined members are omitted. */
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
 * One line of JSON. Characters that a terminal would hide or interpret are written as `\uXXXX`, which means the same to
 * a JSON parser.
 */
export function jsonLine(value: unknown): string {
  return escapedJSON(stringifyJSON(plain(value)))
}
