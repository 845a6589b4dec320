import { bech32, bech32m } from '@scure/base'
import { firstByteOf } from './text.ts'

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const CHECKSUM_LENGTH = 6

/**
 * Decodes bech32 as the node's library does, or returns that library's error text. The decoder in `core/base/encoding` is
 * strict; the node also accepts bech32m checksums, any prefix, and bits that do not fill a byte. Both checksums come
 * from `@scure/base`: a request has one address, so speed does not matter.
 */
export function decodeBech32Leniently(
  text: string,
): { readonly hrp: string; readonly bytes: Uint8Array } | string {
  const size = new TextEncoder().encode(text).length
  if (size < 8 || size > 90) return `invalid bech32 string length ${size}`
  let lower = false
  let upper = false
  for (const letter of text) {
    if (letter < '!' || letter > '~') return `invalid character in string: '${firstByteOf(letter)}'`
    lower ||= letter >= 'a' && letter <= 'z'
    upper ||= letter >= 'A' && letter <= 'Z'
    if (lower && upper) return 'string not all lowercase or all uppercase'
  }
  const whole = text.toLowerCase()
  const separator = whole.lastIndexOf('1')
  if (separator < 1 || separator + 7 > whole.length) return `invalid separator index ${separator}`
  const hrp = whole.slice(0, separator)
  const groups: number[] = []
  for (const letter of whole.slice(separator + 1)) {
    const group = CHARSET.indexOf(letter)
    if (group < 0) return `invalid character not part of charset: ${letter.charCodeAt(0)}`
    groups.push(group)
  }
  const payload = groups.slice(0, -CHECKSUM_LENGTH)
  const found = whole.slice(-CHECKSUM_LENGTH)
  const [classic, modified] = [bech32, bech32m].map((kind) =>
    kind.encode(hrp, payload, false).slice(-CHECKSUM_LENGTH),
  )
  // The library appends the second checksum to the first in the same buffer.
  if (found !== classic && found !== modified)
    return `invalid checksum (expected (bech32=${classic}, bech32m=${classic}${modified}), got ${found})`
  return { hrp, bytes: regrouped(payload) }
}

/** Converts groups of five bits to bytes; the last byte is padded with zero bits. */
function regrouped(groups: readonly number[]): Uint8Array {
  const filled = [...groups, ...Array<number>((8 - (groups.length % 8)) % 8).fill(0)]
  return bech32.fromWords(filled).slice(0, Math.ceil((groups.length * 5) / 8))
}
