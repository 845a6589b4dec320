import { ArgumentError } from '../errors.ts'
import { badCharacter } from './bad-character.ts'

// Implemented here because pages of UTXOs contain thousands of addresses: `@scure/base` 2.4.0 takes 5 times as long
// to format one and 4 times as long to parse one (Node 20, best of 25 runs). The development node, which accepts both
// bech32 and bech32m, uses `@scure/base`. The tests compare both on random prefixes, bytes and damaged texts.

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const MAX_BECH32_LENGTH = 90
const CHECKSUM_LENGTH = 6
const MAX_PREFIX_LENGTH = MAX_BECH32_LENGTH - CHECKSUM_LENGTH - 1

const LOWER = 0x20
const UPPER = 0x40
const INVALID = 0x80

/** The five bits of each ASCII character, and flags for its case. */
const CHARACTERS: Uint8Array = /* @__PURE__ */ (() => {
  const characters = new Uint8Array(256).fill(INVALID)
  for (let i = 0; i < 32; i++) {
    const lower = CHARSET.charCodeAt(i)
    const upper = CHARSET.toUpperCase().charCodeAt(i)
    characters[lower] = lower === upper ? i : i | LOWER
    characters[upper] = lower === upper ? i : i | UPPER
  }
  return characters
})()

/** The two characters of every ten-bit value. Appending pairs halves the number of string concatenations. */
const PAIRS: readonly string[] = /* @__PURE__ */ Array.from(
  { length: 1024 },
  (_, i) => CHARSET[i >> 5]! + CHARSET[i & 31]!,
)

/** Combined effect of the generator for each value of the five bits shifted out (BIP-173). */
const GENERATOR: Int32Array = /* @__PURE__ */ Int32Array.from({ length: 32 }, (_, top) =>
  [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].reduce(
    (sum, term, bit) => ((top >> bit) & 1 ? sum ^ term : sum),
    0,
  ),
)

/** Adds one group (five bits) to the checksum (BIP-173). */
function polymod(state: number, group: number): number {
  return ((state & 0x1ffffff) << 5) ^ group ^ GENERATOR[state >>> 25]!
}

/** `GENERATOR` for two steps at once. Each step depends on the previous one, so this halves the latency. */
const GENERATOR2: Int32Array = /* @__PURE__ */ Int32Array.from({ length: 1024 }, (_, top) =>
  polymod(polymod(top << 20, 0), 0),
)

/** Adds two groups (ten bits) to the checksum. */
function polymod2(state: number, groups: number): number {
  return ((state & 0xfffff) << 10) ^ groups ^ GENERATOR2[state >>> 20]!
}

/** Adds eight groups (two halves of twenty bits) to the checksum. */
function polymod8(state: number, first: number, second: number): number {
  return polymod2(
    polymod2(polymod2(polymod2(state, first >> 10), first & 1023), second >> 10),
    second & 1023,
  )
}

/** A prefix in lower case, flags for the case it was written in, and the checksum state after it. */
type Prefix = { readonly hrp: string; readonly flags: number; readonly state: number }

// Cached: a program uses very few prefixes.
const prefixes = /* @__PURE__ */ new Map<string, Prefix>()
const MAX_PREFIXES = 64

function prefixOf(written: string, offset = 0): Prefix {
  const known = prefixes.get(written)
  if (known !== undefined) return known
  if (written.length < 1 || written.length > MAX_PREFIX_LENGTH)
    throw new ArgumentError(
      'ENC_BAD_BECH32',
      `bech32 prefix must have 1 to ${MAX_PREFIX_LENGTH} characters, has ${written.length}`,
    )
  for (let i = 0; i < written.length; i++) {
    const code = written.charCodeAt(i)
    if (code < 33 || code > 126) throw badBech32(written, i, offset)
  }
  const hrp = written.toLowerCase()
  const flags = (hrp === written ? 0 : UPPER) | (hrp.toUpperCase() === written ? 0 : LOWER)
  let state = 1
  for (let i = 0; i < hrp.length; i++) state = polymod(state, hrp.charCodeAt(i) >> 5)
  state = polymod(state, 0)
  for (let i = 0; i < hrp.length; i++) state = polymod(state, hrp.charCodeAt(i) & 31)
  if (prefixes.size >= MAX_PREFIXES) prefixes.clear()
  const prefix = { hrp, flags, state }
  prefixes.set(written, prefix)
  return prefix
}

/** Encodes `bytes` as bech32 (BIP-173, without witness version) with prefix `hrp`, in lower case. */
export function encodeBech32(hrp: string, bytes: Uint8Array): string {
  const prefix = prefixOf(hrp)
  if ((prefix.flags & UPPER) !== 0)
    throw new ArgumentError('ENC_MIXED_CASE', 'bech32 prefix must be in lower case')
  return write(hrp, prefix.state, bytes)
}

/**
 * Encodes `bytes` with an empty prefix, which BIP-173 does not allow. For texts that other programs show; it cannot be
 * decoded.
 */
export function encodeUnprefixed(bytes: Uint8Array): string {
  return write('', polymod(1, 0), bytes)
}

/** Appends data and checksum to a prefix; `state` is the state of the checksum after it. */
function write(hrp: string, afterPrefix: number, bytes: Uint8Array): string {
  let state = afterPrefix
  let text = `${hrp}1`
  let at = 0
  // Five bytes are eight characters.
  for (; at + 5 <= bytes.length; at += 5) {
    const first = (bytes[at]! << 12) | (bytes[at + 1]! << 4) | (bytes[at + 2]! >> 4)
    const second = ((bytes[at + 2]! & 15) << 16) | (bytes[at + 3]! << 8) | bytes[at + 4]!
    state = polymod8(state, first, second)
    text +=
      PAIRS[first >> 10]! + PAIRS[first & 1023]! + PAIRS[second >> 10]! + PAIRS[second & 1023]!
  }
  const bitsLeft = 8 * (bytes.length - at)
  for (let bit = 0; bit < bitsLeft; bit += 5) {
    const byte = at + (bit >> 3)
    const pair = ((bytes[byte]! << 8) | (bytes[byte + 1] ?? 0)) << (bit & 7)
    const group = (pair >> 11) & 31
    state = polymod(state, group)
    text += CHARSET[group]!
  }
  state = polymod2(polymod2(polymod2(state, 0), 0), 0) ^ 1
  text += PAIRS[state >> 20]! + PAIRS[(state >> 10) & 1023]! + PAIRS[state & 1023]!
  if (text.length > MAX_BECH32_LENGTH)
    throw new ArgumentError(
      'ENC_TOO_LONG',
      `bech32 text must have at most ${MAX_BECH32_LENGTH} characters, would have ${text.length}`,
    )
  return text
}

/**
 * Decodes bech32 (BIP-173). Stricter than the node, which also accepts a bech32m checksum and pads missing bits with
 * zeros: both would accept a damaged address.
 *
 * @param offset - where `text` begins in the text of the caller, for positions in errors
 */
export function decodeBech32(text: string, offset = 0): { hrp: string; bytes: Uint8Array } {
  const { length } = text
  if (length < 8 || length > MAX_BECH32_LENGTH)
    throw new ArgumentError(
      length > MAX_BECH32_LENGTH ? 'ENC_TOO_LONG' : 'ENC_BAD_BECH32',
      `bech32 text must have 8 to ${MAX_BECH32_LENGTH} characters, has ${length}`,
    )
  const start = text.lastIndexOf('1') + 1
  const end = length - CHECKSUM_LENGTH
  if (start < 2 || start > end)
    throw new ArgumentError(
      'ENC_BAD_BECH32',
      `invalid bech32: expected a prefix, the separator 1 and at least ${CHECKSUM_LENGTH} more characters`,
    )
  const prefix = prefixOf(text.slice(0, start - 1), offset)
  const bytes = new Uint8Array(((end - start) * 5) >> 3)
  let { flags, state } = prefix
  let bits = 0
  let pending = 0
  let at = 0
  let i = start
  // Eight characters are five bytes.
  for (; i + 8 <= end; i += 8) {
    const first = twentyBits(text, i)
    const second = twentyBits(text, i + 4)
    flags |= (first | second) >> 20
    state = polymod8(state, first & 0xfffff, second & 0xfffff)
    bytes[at] = first >> 12
    bytes[at + 1] = first >> 4
    bytes[at + 2] = (first << 4) | ((second >> 16) & 15)
    bytes[at + 3] = second >> 8
    bytes[at + 4] = second
    at += 5
  }
  for (; i < end; i++) {
    const character = CHARACTERS[text.charCodeAt(i)] ?? INVALID
    flags |= character
    state = polymod(state, character & 31)
    pending = ((pending << 5) | (character & 31)) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = pending >> bits
    }
  }
  for (; i < length; i++) {
    const character = CHARACTERS[text.charCodeAt(i)] ?? INVALID
    flags |= character
    state = polymod(state, character & 31)
  }
  if ((flags & INVALID) !== 0) throw badBech32(text, firstInvalid(text, start), offset)
  if ((flags & (LOWER | UPPER)) === (LOWER | UPPER))
    throw new ArgumentError('ENC_MIXED_CASE', 'bech32 text mixes upper and lower case')
  if (state !== 1)
    throw new ArgumentError('ENC_BAD_CHECKSUM', 'invalid bech32 checksum', {
      hint: 'a character is wrong: copy the text again',
    })
  if (bits >= 5 || (pending & ((1 << bits) - 1)) !== 0)
    throw new ArgumentError('ENC_BAD_BECH32', 'invalid bech32 padding: unused bits must be zero')
  // The node completes leftover bits to one more byte, so it would read another value than this function.
  if (bits !== 0)
    throw new ArgumentError(
      'ENC_WRONG_LENGTH',
      `bech32 data must be a multiple of five bytes, has ${bytes.length}`,
    )
  return { hrp: prefix.hrp, bytes }
}

/** Reads four characters: twenty bits, with the case flags above them. */
function twentyBits(text: string, at: number): number {
  const a = CHARACTERS[text.charCodeAt(at)] ?? INVALID
  const b = CHARACTERS[text.charCodeAt(at + 1)] ?? INVALID
  const c = CHARACTERS[text.charCodeAt(at + 2)] ?? INVALID
  const d = CHARACTERS[text.charCodeAt(at + 3)] ?? INVALID
  const bits = ((a & 31) << 15) | ((b & 31) << 10) | ((c & 31) << 5) | (d & 31)
  return (((a | b | c | d) & ~31) << 20) | bits
}

function firstInvalid(text: string, start: number): number {
  let at = start
  while (((CHARACTERS[text.charCodeAt(at)] ?? INVALID) & INVALID) === 0) at++
  return at
}

function badBech32(text: string, at: number, offset: number): ArgumentError {
  return badCharacter('ENC_BAD_BECH32', 'bech32 character', text, at, offset)
}
