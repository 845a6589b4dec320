import { EncodingError } from '../errors.ts'

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const MAX_LENGTH = 90
const CHECKSUM_GROUPS = 6

const CHARSET_VALUES: Int8Array = /* @__PURE__ */ (() => {
  const values = new Int8Array(128).fill(-1)
  for (let i = 0; i < 32; i++) {
    values[CHARSET.charCodeAt(i)] = i
    values[CHARSET.toUpperCase().charCodeAt(i)] = i
  }
  return values
})()

/** The generator's combined effect for each value of the five bits shifted out (BIP-173). */
const GENERATOR: Int32Array = /* @__PURE__ */ Int32Array.from({ length: 32 }, (_, top) =>
  [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].reduce(
    (sum, term, bit) => ((top >> bit) & 1 ? sum ^ term : sum),
    0,
  ),
)

function polymod(state: number, group: number): number {
  return ((state & 0x1ffffff) << 5) ^ group ^ GENERATOR[state >>> 25]!
}

/** A program meets very few prefixes; their share of the checksum is computed once. */
const prefixStates = /* @__PURE__ */ new Map<string, number>()
const MAX_PREFIXES = 64

function prefixState(hrp: string): number {
  const known = prefixStates.get(hrp)
  if (known !== undefined) return known
  if (hrp.length < 1 || hrp.length > MAX_LENGTH - CHECKSUM_GROUPS - 1)
    throw new EncodingError(
      'ENC_BAD_BECH32',
      `expected a prefix of 1 to 83 characters, found ${hrp.length}`,
    )
  let state = 1
  for (let i = 0; i < hrp.length; i++) {
    const code = hrp.charCodeAt(i)
    if (code < 33 || code > 126 || (code >= 65 && code <= 90))
      throw new EncodingError(
        'ENC_BAD_BECH32',
        `expected a prefix of printable lower-case ASCII, found ${JSON.stringify(hrp)}`,
      )
    state = polymod(state, code >> 5)
  }
  state = polymod(state, 0)
  for (let i = 0; i < hrp.length; i++) state = polymod(state, hrp.charCodeAt(i) & 31)
  if (prefixStates.size >= MAX_PREFIXES) prefixStates.clear()
  prefixStates.set(hrp, state)
  return state
}

/** Classic bech32 (BIP-173, no witness version) of `bytes` behind the prefix `hrp`, in lower case. */
export function encodeBech32(hrp: string, bytes: Uint8Array): string {
  let state = prefixState(hrp)
  let text = `${hrp}1`
  let bits = 0
  let pending = 0
  for (let i = 0; i < bytes.length; i++) {
    pending = ((pending << 8) | bytes[i]!) & 0xfff
    for (bits += 8; bits >= 5; ) {
      bits -= 5
      const group = (pending >> bits) & 31
      state = polymod(state, group)
      text += CHARSET[group]!
    }
  }
  if (bits > 0) {
    const group = (pending << (5 - bits)) & 31
    state = polymod(state, group)
    text += CHARSET[group]!
  }
  for (let i = 0; i < CHECKSUM_GROUPS; i++) state = polymod(state, 0)
  state ^= 1
  for (let shift = 25; shift >= 0; shift -= 5) text += CHARSET[(state >> shift) & 31]!
  if (text.length > MAX_LENGTH)
    throw new EncodingError(
      'ENC_TOO_LONG',
      `expected at most ${MAX_LENGTH} characters, made ${text.length}`,
    )
  return text
}

/**
 * Reads classic bech32. Stricter than the node, which also takes a bech32m checksum and fills missing
 * bits with zeros: both would let a damaged address through.
 */
export function decodeBech32(text: string): { hrp: string; bytes: Uint8Array } {
  if (text.length < 8 || text.length > MAX_LENGTH)
    throw new EncodingError(
      text.length > MAX_LENGTH ? 'ENC_TOO_LONG' : 'ENC_BAD_BECH32',
      `expected 8 to ${MAX_LENGTH} characters of bech32, found ${text.length}`,
    )
  const separator = text.lastIndexOf('1')
  if (separator < 1 || separator + 1 + CHECKSUM_GROUPS > text.length)
    throw new EncodingError(
      'ENC_BAD_BECH32',
      `expected a prefix, the separator 1 and at least ${CHECKSUM_GROUPS} characters, found the separator at ${separator}`,
    )
  // Bit 5 tells lower from upper case letters: a text may hold one kind only.
  let lower = 0
  let upper = 0
  for (let i = 0; i < separator; i++) {
    const code = text.charCodeAt(i)
    if (code < 33 || code > 126) throw badCharacter(text, i)
    if (code >= 97 && code <= 122) lower = 1
    else if (code >= 65 && code <= 90) upper = 1
  }
  const hrp = upper === 1 ? text.slice(0, separator).toLowerCase() : text.slice(0, separator)
  const groups = text.length - separator - 1 - CHECKSUM_GROUPS
  const bytes = new Uint8Array((groups * 5) >> 3)
  let state = upper + lower === 2 ? 0 : prefixState(hrp)
  let bits = 0
  let pending = 0
  let at = 0
  for (let i = separator + 1, last = i + groups; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const group = code < 128 ? CHARSET_VALUES[code]! : -1
    if (group < 0) throw badCharacter(text, i)
    if (code >= 97) lower = 1
    else if (code >= 65) upper = 1
    state = polymod(state, group)
    if (i >= last) continue
    pending = ((pending << 5) | group) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = pending >> bits
    }
  }
  if (upper + lower === 2)
    throw new EncodingError('ENC_MIXED_CASE', 'expected one case throughout, found both')
  if (state !== 1)
    throw new EncodingError('ENC_BAD_CHECKSUM', 'expected a right bech32 checksum, found another', {
      hint: 'a character of the address was changed; copy it again',
    })
  if (bits >= 5 || (pending & ((1 << bits) - 1)) !== 0)
    throw new EncodingError(
      'ENC_BAD_BECH32',
      'expected whole bytes with zero bits behind them, found something else',
    )
  return { hrp, bytes }
}

function badCharacter(text: string, at: number): EncodingError {
  const found = JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))
  return new EncodingError(
    'ENC_BAD_BECH32',
    `expected a bech32 character at position ${at}, found ${found}`,
  )
}
