import { ArgumentError } from '../errors.ts'
import { checksum } from '../hash/sha256.ts'
import { requireBytes } from '../require.ts'
import { base58, decodeBase58 } from './base58.ts'
import { badChecksum, CHECKSUM_SIZE } from './checked-hex.ts'
import type { BytesCoder } from './hex.ts'

/**
 * cb58, the node's text encoding of IDs and keys: base58 of the bytes followed by the last four bytes of their
 * SHA-256. Not Base58Check, whose checksum is the first four bytes of a double hash.
 *
 * @example
 * cb58.encode(new Uint8Array(20)) // '111111111111111111116DBWJs'
 */
export const cb58: BytesCoder = {
  encode(bytes) {
    requireBytes(bytes, 'input')
    const checked = new Uint8Array(bytes.length + CHECKSUM_SIZE)
    checked.set(bytes)
    const sum = checksum(bytes)
    for (let i = 0; i < CHECKSUM_SIZE; i++) checked[bytes.length + i] = sum >>> (24 - 8 * i)
    return base58.encode(checked)
  },
  decode(text) {
    if (text === '') throw new ArgumentError('ENC_BAD_BASE58', 'cb58 text is empty')
    const checked = decodeBase58(text)
    const size = checked.length - CHECKSUM_SIZE
    if (size < 0)
      throw new ArgumentError(
        'ENC_MISSING_CHECKSUM',
        `cb58 text too short for a checksum: has ${checked.length} bytes, needs ${CHECKSUM_SIZE}`,
      )
    const bytes = checked.slice(0, size)
    let found = 0
    for (let i = size; i < checked.length; i++) found = ((found << 8) | checked[i]!) >>> 0
    const expected = checksum(bytes)
    if (found !== expected) throw badChecksum(found, expected)
    return bytes
  },
}
