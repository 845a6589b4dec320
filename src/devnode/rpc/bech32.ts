import { firstByteOf } from './go-text.ts'

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATORS: readonly number[] = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const CHECKSUM_GROUPS = 6
/** What the checksum of each kind comes out as. */
const BECH32 = 1
const BECH32M = 0x2bc830a3

/**
 * Reads bech32 as the node's library does, or says what it says. The library's own reader in
 * `encoding` is strict; the node takes the other checksum kind too, and fills up bits that do not
 * make a byte.
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
  const payload = groups.slice(0, -CHECKSUM_GROUPS)
  const state = polymod(hrp, groups)
  if (state !== BECH32 && state !== BECH32M) {
    const classic = checksumText(hrp, payload, BECH32)
    // The library writes the second checksum behind the first into the same buffer.
    const both = classic + checksumText(hrp, payload, BECH32M)
    return `invalid checksum (expected (bech32=${classic}, bech32m=${both}), got ${whole.slice(-CHECKSUM_GROUPS)})`
  }
  return { hrp, bytes: regrouped(payload) }
}

function polymod(hrp: string, groups: readonly number[]): number {
  const codes = [...hrp].map((letter) => letter.charCodeAt(0))
  const values = [
    ...codes.map((code) => code >> 5),
    0,
    ...codes.map((code) => code & 31),
    ...groups,
  ]
  return values.reduce((state, value) => {
    const shifted = ((state & 0x1ffffff) << 5) ^ value
    return GENERATORS.reduce(
      (sum, term, bit) => (((state >> 25) >> bit) & 1 ? sum ^ term : sum),
      shifted,
    )
  }, 1)
}

function checksumText(hrp: string, payload: readonly number[], kind: number): string {
  const state = polymod(hrp, [...payload, 0, 0, 0, 0, 0, 0]) ^ kind
  return [25, 20, 15, 10, 5, 0].map((shift) => CHARSET[(state >> shift) & 31]!).join('')
}

/** Groups of five bits as bytes, the last filled up with zero bits. */
function regrouped(groups: readonly number[]): Uint8Array {
  const bytes: number[] = []
  let pending = 0
  let bits = 0
  for (const group of groups) {
    pending = ((pending << 5) | group) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((pending >> bits) & 0xff)
  }
  if (bits > 0) bytes.push((pending << (8 - bits)) & 0xff)
  return Uint8Array.from(bytes)
}
