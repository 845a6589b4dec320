import { argument } from '../base/argument.ts'
import { ArgumentError } from '../base/errors.ts'
import { requireText } from '../base/require.ts'
import type { Json } from './json-value.ts'

/** The recursive functions below reject deeper nesting, which could exhaust the stack. The node's JSON has 9 levels. */
const MAX_DEPTH = 200

/** Longer integers are rejected, because the conversion to BigInt takes quadratic time. */
const MAX_DIGITS = 1000

/**
 * Serializes JSON as the node does: no spaces, members in their order, `bigint` as plain digits, and Go's escapes in
 * strings. A lone surrogate, which represents a byte that is not valid UTF-8, is written as `\ufffd`.
 *
 * @throws ArgumentError `ENC_BAD_JSON`
 */
export function stringifyJSON(value: Json): string {
  return argument('stringifyJSON', value, () => writeJSON(value, 0))
}

function writeJSON(value: Json, depth: number): string {
  if (depth > MAX_DEPTH) throw tooDeep()
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return String(value)
    throw new ArgumentError('ENC_BAD_JSON', `number must be finite, is ${value}`)
  }
  // Not `map`, which skips holes.
  if (Array.isArray(value))
    return `[${Array.from(value, (item) => writeJSON(item, depth + 1)).join()}]`
  if (typeof value !== 'object')
    throw new ArgumentError('ENC_BAD_JSON', `not a JSON value: ${typeof value}`)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${quote(key)}:${writeJSON(member, depth + 1)}`)
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
 * @throws ArgumentError `ENC_BAD_JSON`, or `ENC_INVALID` if `text` is not a string
 */
export function parseJSON(text: string): Json {
  requireText(text, 'JSON')
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw new ArgumentError('ENC_BAD_JSON', `invalid JSON: ${(error as Error).message}`)
  }
  if (!hasUnsafeInteger(value)) return value
  // Not guessable, so that no string of the text begins with it.
  const mark = String(Math.random())
  return restoreIntegers(JSON.parse(markIntegers(text, mark)) as Json, mark, 0)
}

/** Rounding never moves an integer of 2^53 or more below 2^53, so integers that lost digits are still detected. */
function hasUnsafeInteger(json: Json): boolean {
  // One level of nesting after the other, because recursion could exhaust the stack.
  let level: Json[] = [json]
  for (let depth = 0; level.length > 0; depth++) {
    const inner: Json[] = []
    for (const value of level) {
      if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return true
      if (value === null || typeof value !== 'object') continue
      const members = Object.values(value)
      if (depth === MAX_DEPTH && members.length > 0) throw tooDeep()
      for (const member of members) if (typeof member !== 'string') inner.push(member)
    }
    level = inner
  }
  return false
}

/**
 * Rewrites valid JSON so that `JSON.parse` keeps all digits: integers that a `number` cannot represent become strings
 * that begin with `mark`.
 */
function markIntegers(text: string, mark: string): string {
  // The beginning of a number, or part of a string, that is long enough. Its end is searched for without a regular
  // expression: an unlimited repetition exhausts the stack after some megabytes.
  const beginning = /-?[0-9][0-9.eE+-]{14}/g
  let inString = false
  let quote = nextQuote(text, 0)
  let marked = ''
  let done = 0
  for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
    const { index } = found
    let end = beginning.lastIndex
    while (NUMBER_CHARACTERS.includes(text.charAt(end)) && end < text.length) end++
    beginning.lastIndex = end
    for (; quote < index; quote = nextQuote(text, quote + 1)) inString = !inString
    if (inString) continue
    const token = text.slice(index, end)
    if (/[.eE]/.test(token)) continue
    if (token.length > MAX_DIGITS)
      throw new ArgumentError('ENC_BAD_JSON', `integer has more than ${MAX_DIGITS} digits`)
    if (Number.isSafeInteger(Number(token))) continue
    marked += `${text.slice(done, index)}"${mark}${token}"`
    done = end
  }
  return marked + text.slice(done)
}

const NUMBER_CHARACTERS = '0123456789.eE+-'

/** Position of the next quote that begins or ends a string: it is after an even number of backslashes. */
function nextQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text[before - 1] === '\\') before--
    if ((at - before) % 2 === 0) return at
  }
  return Number.POSITIVE_INFINITY
}

/** Converts the integers of `markIntegers` to bigints. */
function restoreIntegers(value: Json, mark: string, depth: number): Json {
  if (depth > MAX_DEPTH) throw tooDeep()
  if (typeof value === 'string' && value.startsWith(mark)) return BigInt(value.slice(mark.length))
  if (value === null || typeof value !== 'object') return value
  const members = value as { [key: string | number]: Json }
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const restored = restoreIntegers(members[key]!, mark, depth + 1)
    // Even `__proto__` is an ordinary member here, because `JSON.parse` has defined it.
    if (typeof restored === 'bigint') members[key] = restored
  }
  return value
}

function tooDeep(): ArgumentError {
  return new ArgumentError('ENC_BAD_JSON', `JSON nested deeper than ${MAX_DEPTH} levels`)
}
