import { EncodingError } from '../errors.ts'
import type { Json } from './json-value.ts'

/** Deeper nesting is refused, so that no text can exhaust the stack. The node's own JSON has 9 levels. */
const MAX_DEPTH = 200

/** Longer integers are refused: reading one costs the square of its length. */
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
 * Writes JSON as the node does: no spaces, members in the order they have, `bigint` as bare digits, and in
 * strings the node's escapes. A lone surrogate, which stands for a byte that is no UTF-8, is `\ufffd`.
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
    throw new EncodingError('ENC_BAD_JSON', `expected a finite number, found ${value}`)
  }
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`
  if (typeof value !== 'object')
    throw new EncodingError('ENC_BAD_JSON', `expected a JSON value, found ${typeof value}`)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${quote(key)}:${write(member, depth + 1)}`)
  return `{${members.join(',')}}`
}

function quote(text: string): string {
  let quoted = '"'
  // By code points, so that whole pairs of surrogates stay as they are.
  for (const letter of text) {
    const short = SHORT_ESCAPES[letter]
    if (short !== undefined) quoted += short
    else if (letter >= '\ud800' && letter <= '\udfff' && letter.length === 1) quoted += '\\ufffd'
    else if (isEscaped(letter)) quoted += `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
    else quoted += letter
  }
  return `${quoted}"`
}

/** Beside control characters the node escapes what would not be safe inside HTML or JavaScript. */
function isEscaped(letter: string): boolean {
  return letter < ' ' || '<>&\u2028\u2029'.includes(letter)
}

/**
 * Reads JSON without losing a digit: integers that a `number` cannot hold exactly become `bigint`.
 * Everything else is as with `JSON.parse`, which does the work where there are none.
 */
export function parseJSON(text: string): Json {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw new EncodingError('ENC_BAD_JSON', `expected JSON: ${(error as Error).message}`)
  }
  return holdsBigInteger(value) ? new Parser(text).whole() : value
}

/** Rounding never brings an integer of 2^53 or more below 2^53, so those that lost digits still show. */
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

  /** The next character that is not white space, without taking it; empty at the end. */
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
    // Not by assignment: `__proto__` must become a member like any other.
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
    return new EncodingError('ENC_BAD_JSON', `expected ${expected} near position ${this.at}`)
  }
}

function tooDeep(): EncodingError {
  return new EncodingError('ENC_BAD_JSON', `expected at most ${MAX_DEPTH} levels of nesting`)
}
