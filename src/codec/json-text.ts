import { EncodingError } from '../errors.ts'
import type { Json } from './json-value.ts'

/** Deeper nesting is rejected, so that no input can exhaust the stack. The node's own JSON has 9 levels. */
const MAX_DEPTH = 200

/** Longer integers are rejected, because parsing takes quadratic time. */
const MAX_DIGITS = 1000

const SHORT_ESCAPES: { readonly [letter: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

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

function quote(text: string): string {
  let quoted = '"'
  // Iterates over code points, so that surrogate pairs stay unchanged.
  for (const letter of text) {
    const short = SHORT_ESCAPES[letter]
    if (short !== undefined) quoted += short
    else if (letter >= '\ud800' && letter <= '\udfff' && letter.length === 1) quoted += '\\ufffd'
    else if (isEscaped(letter)) quoted += `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
    else quoted += letter
  }
  return `${quoted}"`
}

/** Besides control characters, the node escapes characters that are unsafe inside HTML or JavaScript. */
function isEscaped(letter: string): boolean {
  return letter < ' ' || '<>&\u2028\u2029'.includes(letter)
}

/**
 * Parses JSON without losing digits: integers that a `number` cannot represent exactly become `bigint`. Otherwise the
 * result equals that of `JSON.parse`.
 *
 * @throws EncodingError `ENC_BAD_JSON`
 */
export function parseJSON(text: string): Json {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw new EncodingError('ENC_BAD_JSON', `invalid JSON: ${(error as Error).message}`)
  }
  return holdsBigInteger(value) ? new Parser(text).whole() : value
}

/** Rounding never moves an integer of 2^53 or more below 2^53, so integers that lost digits are still detected. */
function holdsBigInteger(json: Json): boolean {
  const left: Json[] = [json]
  while (left.length > 0) {
    const value = left.pop()!
    if (typeof value === 'number') {
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return true
    } else if (value !== null && typeof value === 'object')
      for (const member of Object.values(value)) if (typeof member !== 'string') left.push(member)
  }
  return false
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y

class Parser {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  whole(): Json {
    const value = this.value(0)
    if (this.peek() !== '') throw this.bad('the end')
    return value
  }

  /** Returns the next character that is not white space, without consuming it; empty at the end. */
  private peek(): string {
    while (' \t\n\r'.includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at++
    return this.text.charAt(this.at)
  }

  private takes(mark: string): boolean {
    if (this.peek() !== mark) return false
    this.at++
    return true
  }

  private expect(mark: string): void {
    if (!this.takes(mark)) throw this.bad(`"${mark}"`)
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found !== null) this.at = pattern.lastIndex
    return found
  }

  private value(depth: number): Json {
    if (depth > MAX_DEPTH) throw tooDeep()
    const mark = this.peek()
    if (mark === '"') return this.string()
    if (mark === '[') return this.array(depth)
    if (mark === '{') return this.object(depth)
    const word = this.match(WORD)
    if (word !== null) return JSON.parse(word[0]) as null | boolean
    const number = this.match(NUMBER)
    if (number === null) throw this.bad('a JSON value')
    const value = Number(number[0])
    if (Number.isSafeInteger(value) || (number[1] ?? number[2]) !== undefined) return value
    if (number[0].length > MAX_DIGITS) throw this.bad(`an integer of at most ${MAX_DIGITS} digits`)
    return BigInt(number[0])
  }

  private array(depth: number): Json {
    const items: Json[] = []
    this.expect('[')
    if (this.takes(']')) return items
    do items.push(this.value(depth + 1))
    while (this.takes(','))
    this.expect(']')
    return items
  }

  private object(depth: number): Json {
    const members: [string, Json][] = []
    this.expect('{')
    if (this.takes('}')) return {}
    do {
      if (this.peek() !== '"') throw this.bad('a quoted member name')
      const key = this.string()
      this.expect(':')
      members.push([key, this.value(depth + 1)])
    } while (this.takes(','))
    this.expect('}')
    // Not by assignment: `__proto__` must become an ordinary member.
    return Object.fromEntries(members)
  }

  private string(): string {
    const start = this.at
    let end = start + 1
    for (;;) {
      const code = this.text.charCodeAt(end)
      if (Number.isNaN(code)) throw this.bad('a closing quote')
      if (code === 34) break
      end += code === 92 ? 2 : 1
    }
    this.at = end + 1
    try {
      return JSON.parse(this.text.slice(start, this.at)) as string
    } catch {
      throw this.bad('a string with valid escapes')
    }
  }

  private bad(expected: string): EncodingError {
    return new EncodingError(
      'ENC_BAD_JSON',
      `invalid JSON: expected ${expected} near position ${this.at}`,
    )
  }
}

function tooDeep(): EncodingError {
  return new EncodingError('ENC_BAD_JSON', `JSON nested deeper than ${MAX_DEPTH} levels`)
}
