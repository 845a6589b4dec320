import { ArgumentError } from '../errors.ts'
import { checksum, sha256 } from '../hash/sha256.ts'
import { requireText } from '../require.ts'
import { type BytesCoder, hex, writeHex } from './hex.ts'

/** Size in bytes of the checksum in the API's `hex` encoding and in cb58. */
export const CHECKSUM_SIZE = 4

/**
 * The node API's `hex` encoding: `0x`, the bytes, and the last four bytes of their SHA-256. The node decodes an empty
 * string to no bytes; `decode` rejects it because it has no checksum.
 *
 * `decode` throws ArgumentError `ENC_INVALID`, `ENC_MISSING_0X`, `ENC_MISSING_CHECKSUM`, `ENC_BAD_HEX`,
 * `ENC_BAD_CHECKSUM`.
 *
 * @example checkedHex.encode(new Uint8Array([0])) // '0x0017afa01d'
 */
export const checkedHex: BytesCoder = {
  encode(bytes) {
    return `0x${hex.encode(bytes)}${checksum(bytes).toString(16).padStart(8, '0')}`
  },
  decode(text) {
    const { bytes, found } = splitChecksum(text)
    const expected = checksum(bytes)
    if (found !== expected) throw badChecksum(found, expected)
    return bytes
  },
}

/**
 * Decodes like `checkedHex` and also returns the SHA-256 digest that the checksum is taken from. For a block or a
 * transaction this digest is the ID, so the bytes are hashed only once.
 *
 * @throws ArgumentError as `checkedHex.decode`
 */
export function decodeHashed(text: string): { bytes: Uint8Array; hash: Uint8Array } {
  const { bytes, found } = splitChecksum(text)
  const hash = sha256(bytes)
  const expected = new DataView(hash.buffer, hash.byteOffset).getUint32(hash.length - CHECKSUM_SIZE)
  if (found !== expected) throw badChecksum(found, expected)
  return { bytes, hash }
}

/** Decodes a text into the bytes and the checksum after them, which is not verified here. */
function splitChecksum(text: string): { bytes: Uint8Array; found: number } {
  const size = checkedHexSize(text)
  const all = new Uint8Array(size + CHECKSUM_SIZE)
  writeHex(text, 2, all, 0)
  return { bytes: all.subarray(0, size), found: new DataView(all.buffer).getUint32(size) }
}

/**
 * Returns the number of bytes that a text in the `hex` encoding contains, without the checksum.
 *
 * @throws ArgumentError `ENC_INVALID`, `ENC_MISSING_0X`, `ENC_MISSING_CHECKSUM`, `ENC_BAD_HEX`
 */
export function checkedHexSize(text: string): number {
  require0x(text)
  const bytes = (text.length - 2) / 2
  // Invalid digits are reported first. An odd number of digits is reported when the caller decodes the text.
  if (bytes < CHECKSUM_SIZE && Number.isInteger(bytes)) {
    writeHex(text, 2, new Uint8Array(bytes), 0)
    throw new ArgumentError(
      'ENC_MISSING_CHECKSUM',
      `hex too short for a checksum: has ${bytes} bytes, needs ${CHECKSUM_SIZE}`,
    )
  }
  return Math.max(0, Math.floor(bytes) - CHECKSUM_SIZE)
}

/**
 * Rejects values that are not a string with the prefix `0x`.
 *
 * @throws ArgumentError `ENC_INVALID`, `ENC_MISSING_0X`
 */
export function require0x(text: string): void {
  requireText(text, 'hex')
  if (!text.startsWith('0x'))
    throw new ArgumentError(
      'ENC_MISSING_0X',
      `hex must start with 0x, starts with ${JSON.stringify(text.slice(0, 8))}`,
    )
}

/** Returns the error for a wrong checksum: `found` is in the text, `expected` was computed. */
export function badChecksum(found: number, expected: number): ArgumentError {
  const text = (value: number) => value.toString(16).padStart(8, '0')
  return new ArgumentError(
    'ENC_BAD_CHECKSUM',
    `invalid checksum: expected ${text(expected)}, found ${text(found)}`,
    { hint: 'the text was changed or truncated: copy it again' },
  )
}
