import { EncodingError } from '../errors.ts'
import { checksum, sha256 } from '../hash/sha256.ts'
import { type BytesCoder, hex, writeHex } from './hex.ts'

/** Bytes of checksum behind the payload, in the API's `hex` and in cb58. */
export const CHECKSUM_SIZE = 4

/**
 * The node API's `hex` encoding: `0x`, the bytes, and the last four bytes of their SHA-256.
 * The node reads an empty text as no bytes; here it is refused, because it carries no checksum.
 *
 * @example
 * checkedHex.encode(new Uint8Array([0])) // '0x0017afa01d'
 */
export const checkedHex: BytesCoder = {
  encode(bytes) {
    return `0x${hex.encode(bytes)}${checksum(bytes).toString(16).padStart(8, '0')}`
  },
  decode(text) {
    const size = checkedHexSize(text)
    const bytes = new Uint8Array(size + CHECKSUM_SIZE)
    writeHex(text, 2, bytes, 0)
    const payload = bytes.subarray(0, size)
    const expected = checksum(payload)
    const found = new DataView(bytes.buffer).getUint32(size)
    if (found !== expected) throw badChecksum(found, expected)
    return payload
  },
}

/**
 * Decodes the same, and returns the SHA-256 that the checksum was taken from: for a block or a transaction it is
 * the ID, so that the bytes are hashed once.
 */
export function decodeHashed(text: string): { bytes: Uint8Array; hash: Uint8Array } {
  const size = checkedHexSize(text)
  const bytes = new Uint8Array(size + CHECKSUM_SIZE)
  writeHex(text, 2, bytes, 0)
  const payload = bytes.subarray(0, size)
  const hash = sha256(payload)
  const expected = new DataView(hash.buffer, hash.byteOffset).getUint32(hash.length - CHECKSUM_SIZE)
  const found = new DataView(bytes.buffer).getUint32(size)
  if (found !== expected) throw badChecksum(found, expected)
  return { bytes: payload, hash }
}

/** How many payload bytes a text of this form holds; throws where prefix or checksum are missing. */
export function checkedHexSize(text: string): number {
  if (!text.startsWith('0x'))
    throw new EncodingError(
      'ENC_MISSING_0X',
      `expected hex that starts with 0x, found ${JSON.stringify(text.slice(0, 8))}`,
    )
  const bytes = (text.length - 2) / 2
  // An odd number of digits is reported by the digits' reader.
  if (bytes < CHECKSUM_SIZE && Number.isInteger(bytes)) {
    writeHex(text, 2, new Uint8Array(bytes), 0)
    throw new EncodingError(
      'ENC_MISSING_CHECKSUM',
      `expected at least ${CHECKSUM_SIZE} bytes of checksum, found ${bytes} bytes`,
    )
  }
  return Math.max(0, Math.floor(bytes) - CHECKSUM_SIZE)
}

/** The error for a payload whose checksum is another one. */
export function badChecksum(found: number, expected: number): EncodingError {
  const text = (value: number) => value.toString(16).padStart(8, '0')
  return new EncodingError(
    'ENC_BAD_CHECKSUM',
    `expected checksum ${text(expected)}, found ${text(found)}`,
    { hint: 'the text was changed or cut on its way; copy it again' },
  )
}
