import { goQuoteChar } from './text.ts'

/**
 * A JSON value as Go's decoder sees it. `raw` is its source text, from which numbers and IDs are read exactly. `text`
 * is the content of a string, `items` are those of an array and `members` those of an object; otherwise they are empty.
 */
export type GoValue = {
  readonly kind: 'null' | 'bool' | 'number' | 'string' | 'array' | 'object'
  readonly raw: string
  readonly text: string
  readonly items: readonly GoValue[]
  readonly members: readonly (readonly [string, GoValue])[]
}

/** Invalid JSON, with the error text of Go's `encoding/json`. */
export class GoSyntaxError extends Error {}

/** Go's nesting limit. */
const GO_MAX_DEPTH = 10_000

const LITERALS: { readonly [first: string]: string } = { t: 'true', f: 'false', n: 'null' }
const ESCAPES: { readonly [letter: string]: string } = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Parses the first JSON value of a text and ignores the rest. */
export function parseFirst(text: string): GoValue {
  return new Scanner(text).first()
}

/** Returns the JSON text of a value without white space, with Go's escapes. */
export function compactJSON({ raw }: GoValue): string {
  let isInString = false
  let out = ''
  for (let i = 0; i < raw.length; i++) {
    const letter = raw[i]!
    if (isInString && letter === '\\') {
      out += letter + raw[++i]!
      continue
    }
    if (letter === '"') isInString = !isInString
    if (!isInString && ' \t\r\n'.includes(letter)) continue
    out += '<>&\u2028\u2029'.includes(letter)
      ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
      : letter
  }
  return out
}

/** Returns all members with a name, ignoring case, in order: in Go, later ones are decoded over earlier ones. */
export function membersOf(value: GoValue, name: string): GoValue[] {
  return value.members.filter(([key]) => isNamed(key, name)).map(([, item]) => item)
}

/**
 * Returns the last member with a name, for values that Go keeps as raw JSON; there `null` replaces an earlier value.
 */
export function lastMember(value: GoValue, name: string): GoValue | undefined {
  const found = membersOf(value, name).at(-1)
  return found?.kind === 'null' ? undefined : found
}

/** Whether Go matches a member with this name. */
export function isNamed(key: string, name: string): boolean {
  return folded(key) === folded(name)
}

/** Go folds case by Unicode, where two characters beyond ASCII fold to ASCII letters. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll('\u017f', 's').replaceAll('\u212a', 'k')
}

/** An array or object that is not closed yet. Kept in a list, because the call stack is too small for 10,000 levels. */
type Open = {
  readonly kind: 'array' | 'object'
  readonly start: number
  readonly items: GoValue[]
  readonly members: [string, GoValue][]
  key: string
}

class Scanner {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  first(): GoValue {
    if (this.peek() === '') throw new GoSyntaxError('EOF')
    const open: Open[] = []
    for (;;) {
      let value = this.scalarOrOpen(open)
      // A value is complete: add it to the enclosing container, which may complete that in turn.
      while (value !== undefined) {
        const enclosing = open.at(-1)
        if (enclosing === undefined) return value
        value = this.continue(enclosing, value, open)
      }
    }
  }

  /** Returns a scalar or an empty container; for a container with content returns undefined and opens it. */
  private scalarOrOpen(open: Open[]): GoValue | undefined {
    const start = this.skipSpace()
    const letter = this.text[start] ?? ''
    if (letter === '"') return this.string()
    if (letter === '-' || isDigit(letter)) return this.number()
    const literal = LITERALS[letter]
    if (literal !== undefined) return this.literal(literal)
    if (letter !== '[' && letter !== '{') throw this.unexpected('looking for beginning of value')
    if (open.length >= GO_MAX_DEPTH) throw this.unexpected('exceeded max depth')
    this.at++
    const kind = letter === '[' ? 'array' : 'object'
    const level: Open = { kind, start, items: [], members: [], key: '' }
    if (this.peek() === (kind === 'array' ? ']' : '}')) {
      this.at++
      return this.closed(level)
    }
    if (kind === 'object') this.key(level, 'looking for beginning of object key string')
    open.push(level)
    return undefined
  }

  /** Adds a value to its container. Returns the container if that is complete, else undefined. */
  private continue(level: Open, value: GoValue, open: Open[]): GoValue | undefined {
    if (level.kind === 'array') level.items.push(value)
    else level.members.push([level.key, value])
    const letter = this.peek()
    if (letter === ',') {
      this.at++
      if (level.kind === 'object') this.key(level, 'looking for beginning of object key string')
      return undefined
    }
    if (letter === (level.kind === 'array' ? ']' : '}')) {
      this.at++
      open.pop()
      return this.closed(level)
    }
    throw this.unexpected(
      level.kind === 'array' ? 'after array element' : 'after object key:value pair',
    )
  }

  private key(level: Open, context: string): void {
    if (this.peek() !== '"') throw this.unexpected(context)
    level.key = this.string().text
    if (this.peek() !== ':') throw this.unexpected('after object key')
    this.at++
  }

  private closed({ kind, start, items, members }: Open): GoValue {
    return { kind, raw: this.text.slice(start, this.at), text: '', items, members }
  }

  private scalar(kind: GoValue['kind'], start: number, text = ''): GoValue {
    return { kind, raw: this.text.slice(start, this.at), text, items: [], members: [] }
  }

  private literal(word: string): GoValue {
    const start = this.at++
    for (const letter of word.slice(1)) {
      if (this.text[this.at] !== letter)
        throw this.unexpected(`in literal ${word} (expecting '${letter}')`)
      this.at++
    }
    return this.scalar(word === 'null' ? 'null' : 'bool', start)
  }

  private number(): GoValue {
    const start = this.at
    if (this.text[this.at] === '-') this.at++
    if (this.text[this.at] === '0') this.at++
    else this.digits('in numeric literal')
    if (this.text[this.at] === '.') {
      this.at++
      this.digits('after decimal point in numeric literal')
    }
    if (/^[eE]$/.test(this.text[this.at] ?? '')) {
      this.at++
      if (/^[+-]$/.test(this.text[this.at] ?? '')) this.at++
      this.digits('in exponent of numeric literal')
    }
    return this.scalar('number', start)
  }

  private digits(context: string): void {
    if (!isDigit(this.text[this.at] ?? '')) throw this.unexpected(context)
    while (isDigit(this.text[this.at] ?? '')) this.at++
  }

  private string(): GoValue {
    const start = this.at++
    let text = ''
    let plain = this.at
    for (;;) {
      const letter = this.text[this.at] ?? ''
      if (letter === '"') break
      if (letter === '' || letter < ' ') throw this.unexpected('in string literal')
      if (letter !== '\\') {
        this.at++
        continue
      }
      text += this.text.slice(plain, this.at++)
      text += this.escape()
      plain = this.at
    }
    text += this.text.slice(plain, this.at++)
    // Go replaces lone surrogates by the replacement character.
    return this.scalar('string', start, wellFormed(text))
  }

  private escape(): string {
    const letter = this.text[this.at] ?? ''
    const short = ESCAPES[letter]
    if (short !== undefined) {
      this.at++
      return short
    }
    if (letter !== 'u') throw this.unexpected('in string escape code')
    this.at++
    for (let i = 0; i < 4; i++, this.at++)
      if (!/^[0-9a-fA-F]$/.test(this.text[this.at] ?? ''))
        throw this.unexpected('in \\u hexadecimal character escape')
    return String.fromCharCode(Number.parseInt(this.text.slice(this.at - 4, this.at), 16))
  }

  private peek(): string {
    return this.text[this.skipSpace()] ?? ''
  }

  private skipSpace(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return this.at
      this.at++
    }
  }

  private unexpected(context: string): GoSyntaxError {
    const letter = this.text.codePointAt(this.at)
    if (letter === undefined) return new GoSyntaxError('unexpected EOF')
    return new GoSyntaxError(
      `invalid character ${goQuoteChar(String.fromCodePoint(letter))} ${context}`,
    )
  }
}

function isDigit(letter: string): boolean {
  return letter >= '0' && letter <= '9'
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
