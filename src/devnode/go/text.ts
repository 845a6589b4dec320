const UNPRINTED_OR_QUOTE = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]|["\\]/gu

/** Go's `%q`: quoted text with unprintable characters escaped. */
export function goQuote(text: string): string {
  return `"${text.replace(UNPRINTED_OR_QUOTE, (letter) => goEscape(letter, '"'))}"`
}

/** Quotes one character of JSON input as the errors of `encoding/json` do. */
export function goQuoteChar(letter: string): string {
  return `'${goEscape(firstByteOf(letter), "'")}'`
}

/** Go's `%#U`: the code point, and the character if it is printable. */
export function goCodePoint(letter: string): string {
  const byte = firstByteOf(letter)
  const code = byte.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return isPrinted(byte) ? `U+${code} '${byte}'` : `U+${code}`
}

/** Returns the first UTF-8 byte of a character: Go processes bytes where JavaScript processes characters. */
export function firstByteOf(letter: string): string {
  if (letter < '\u0080') return letter
  // `bodyText` represents bytes that are not UTF-8 by these surrogates.
  if (letter >= '\udc80' && letter <= '\udcff' && letter.length === 1)
    return String.fromCharCode(letter.charCodeAt(0) - 0xdc00)
  return String.fromCharCode(new TextEncoder().encode(letter)[0]!)
}

const SHORT_ESCAPES: { readonly [letter: string]: string } = {
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

function goEscape(letter: string, quote: string): string {
  if (letter === quote) return `\\${quote}`
  const short = SHORT_ESCAPES[letter]
  if (short !== undefined) return short
  if (isPrinted(letter)) return letter
  const point = letter.codePointAt(0)!
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, '0')}`
  if (point < 0x10000) return `\\u${point.toString(16).padStart(4, '0')}`
  return `\\U${point.toString(16).padStart(8, '0')}`
}

function isPrinted(letter: string): boolean {
  return letter === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(letter)
}
