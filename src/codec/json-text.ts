import { requireText } from '../encoding/require.ts'
import { EncodingError } from '../errors.ts'
import type { Json } from './json-value.ts'

/** The recursive functions below reject deeper nesting, which could exhaust the stack. The node's JSON has 9 levels. */
const MAX_DEPTH = 200

/** Longer integers are rejected, because the conversion to BigInt takes quadratic time. */
const MAX_DIGITS = 1000

/**
 * Serializes JSON as the node does: no spaces, members in their order, `bigint` as plain digits, and Go's escapes in
 * strings. A lone surrogate, which represents a byte that is not valid UTF-8, is written as `\ufffd`.
 *
 * @throws EncodingError `ENC_BAD_JSON`
 */
export function stringifyJSON(value: Json): string {
  return write(value, 0)
}

function write(value: Json, depth: number): string {
  if (depth > MAX_DEPTH) throw tooDeep()
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return String(value)
    throw new EncodingError('ENC_BAD_JSON', `number must be finite, is ${value}`)
  }
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`
  if (typeof value !== 'object')
    throw new EncodingError('ENC_BAD_JSON', `not a JSON value: ${typeof value}`)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${quote(key)}:${write(member, depth + 1)}`)
  return `{${members.join(',')}}`
}

/**
 * Besides control characters, the node escapes characters that are unsafe inside HTML or JavaScript. `JSON.stringify`
 * writes a lone surrogate as `\udxxx`, which must be distinguished from an escaped backslash followed by letters.
 */
function quote(text: string): string {
  return JSON.stringify(text).replace(/\\\\|\\ud...|[<>&\u2028\u2029]/g, (found) => {
    if (found === '\\\\') return found
    if (found.length > 1) return '\\ufffd'
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * Parses JSON without losing digits: integers that a `number` cannot represent exactly become `bigint`. Otherwise the
 * result equals that of `JSON.parse`.
 *
 * @throws EncodingError `ENC_BAD_JSON`, or `ENC_INVALID` if `text` is not a string
 */
export function parseJSON(text: string): Json {
  requireText(text, 'JSON')
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw new EncodingError('ENC_BAD_JSON', `invalid JSON: ${(error as Error).message}`)
  }
  return hasUnsafeInteger(value)
    ? restoreIntegers(JSON.parse(markIntegers(text)) as Json, 0)
    : value
}

/** Rounding never moves an integer of 2^53 or more below 2^53, so integers that lost digits are still detected. */
function hasUnsafeInteger(json: Json): boolean {
  const pending: Json[] = [json]
  while (pending.length > 0) {
    const value = pending.pop()!
    if (typeof value === 'number') {
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return true
    } else if (value !== null && typeof value === 'object')
      for (const member of Object.values(value))
        if (typeof member !== 'string') pending.push(member)
  }
  return false
}

/** An escaped quote or backslash, a quote, or a number (also inside strings). */
const TOKEN = /\\["\\]|"|-?[0-9][0-9.eE+-]*/g

/**
 * Rewrites valid JSON so that `JSON.parse` keeps all digits: integers that a `number` cannot represent become strings
 * with the prefix `n`, and other strings, including member names, get the prefix `s`.
 */
function markIntegers(text: string): string {
  let inString = false
  return text.replace(TOKEN, (token) => {
    if (token === '"') {
      inString = !inString
      return inString ? '"s' : '"'
    }
    if (inString || Number.isSafeInteger(Number(token)) || /[.eE]/.test(token)) return token
    if (token.length > MAX_DIGITS)
      throw new EncodingError('ENC_BAD_JSON', `integer has more than ${MAX_DIGITS} digits`)
    return `"n${token}"`
  })
}

/** Removes the prefixes of `markIntegers` and converts its integers to bigints. */
function restoreIntegers(value: Json, depth: number): Json {
  if (depth > MAX_DEPTH) throw tooDeep()
  if (typeof value === 'string')
    return value.startsWith('n') ? BigInt(value.slice(1)) : value.slice(1)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => restoreIntegers(item, depth + 1))
  const members = Object.entries(value).map(([key, member]) => [
    key.slice(1),
    restoreIntegers(member, depth + 1),
  ])
  // Not by assignment: `__proto__` must become an ordinary member.
  return Object.fromEntries(members)
}

function tooDeep(): EncodingError {
  return new EncodingError('ENC_BAD_JSON', `JSON nested deeper than ${MAX_DEPTH} levels`)
}
