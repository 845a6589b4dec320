import { ArgumentError } from '../../core/base/errors.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import type { Json } from '../../core/codec/json-value.ts'
import { escapedJSON } from '../../core/sign/text.ts'

/** Deeper values, which only a hostile server sends, would exhaust the stack. */
const MAX_DEPTH = 200

/**
 * Converts a value to JSON: `bigint` to a decimal string, which no parser rounds; undefined members are omitted.
 *
 * @throws ArgumentError `ENC_BAD_JSON` if it is nested too deeply
 */
export function plain(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH)
    throw new ArgumentError('ENC_BAD_JSON', `JSON nested deeper than ${MAX_DEPTH} levels`)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1))
  if (value === null || typeof value !== 'object') return value as Json
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, plain(member, depth + 1)]),
  )
}

/**
 * One line of JSON. Characters that a terminal would hide or interpret are written as `\uXXXX`, which means the same to
 * a JSON parser.
 */
export function jsonLine(value: unknown): string {
  return escapedJSON(stringifyJSON(plain(value)))
}

/** Indented JSON for people, with the same characters escaped. */
export function jsonText(value: unknown): string {
  // Line breaks within strings are already escaped, so each line is escaped without its indentation.
  return JSON.stringify(plain(value), null, 2).replace(/\S[^\n]*/g, (line) => escapedJSON(line))
}
