/*
 * Names on the chain should be UTF-8 but may contain any bytes. To make decoding reversible, a byte that is not part
 * of valid UTF-8 is decoded to the lone surrogate U+DC00 + byte, which valid text never contains, and is encoded back
 * to that byte.
 */

const ESCAPE = 0xdc00

/** Decodes UTF-8. Invalid bytes become lone surrogates from U+DC80 to U+DCFF. */
export function textFromBytes(bytes: Uint8Array): string {
  let text = ''
  let at = 0
  while (at < bytes.length) {
    const first = bytes[at]!
    const size = sequenceSize(bytes, at)
    if (size === 0) text += String.fromCharCode(ESCAPE + first)
    else if (size === 1) text += String.fromCharCode(first)
    else {
      let point = first & (0x7f >> size)
      for (let i = 1; i < size; i++) point = (point << 6) | (bytes[at + i]! & 0x3f)
      text += String.fromCodePoint(point)
    }
    at += size || 1
  }
  return text
}

/** Encodes text as UTF-8. Returns undefined if it contains a lone surrogate that does not represent a byte. */
export function bytesFromText(text: string): Uint8Array | undefined {
  const bytes: number[] = []
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i)!
    if (point < 0x80) bytes.push(point)
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 0x3f))
    else if (point >= 0xd800 && point <= 0xdfff) {
      if (point < ESCAPE + 0x80 || point > ESCAPE + 0xff) return undefined
      bytes.push(point - ESCAPE)
    } else if (point < 0x10000)
      bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f))
    else {
      bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f))
      bytes.push(0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f))
      i++
    }
  }
  return Uint8Array.from(bytes)
}

/** Length of the valid UTF-8 sequence at `at`; 0 if invalid (overlong forms and surrogates included). */
function sequenceSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  // The range of the second byte depends on the first (Unicode, table of well-formed byte sequences).
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  const second = bytes[at + 1]
  if (second === undefined || second < lowest || second > highest) return 0
  for (let i = 2; i < size; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0
  return size
}
