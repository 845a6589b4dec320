import { keccak_256 } from '@noble/hashes/sha3.js'
import { Point } from '@noble/secp256k1'
import { bytesOf, type Check, kinds, located } from '../../base/argument.ts'
import { ADDRESS_SIZE } from '../../base/encoding/address.ts'
import { hex } from '../../base/encoding/hex.ts'
import { ArgumentError } from '../../base/errors.ts'
import { isBytes, requireBytes } from '../../base/require.ts'
import { CryptoError } from '../../crypto/errors.ts'

/**
 * The EVM address of a compressed public key (33 bytes) as `0x…` with the mixed-case checksum of EIP-55. It differs
 * from the address of the same key that owns UTXOs, which is `addressOf`.
 *
 * @throws CryptoError `KEY_INVALID` if the bytes are not a compressed public key.
 * @example
 * evmAddressOf(publicKeyOf(privateKey)) // '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'
 */
export function evmAddressOf(publicKey: Uint8Array): string {
  return formatEVMAddress(evmAddressBytes(publicKey))
}

/**
 * The EVM address of a compressed public key (33 bytes) as 20 bytes, as in EVM inputs and outputs.
 *
 * @throws CryptoError `KEY_INVALID` if the bytes are not a compressed public key.
 */
export function evmAddressBytes(publicKey: Uint8Array): Uint8Array {
  // The first byte, 0x04, is not hashed: it only marks the uncompressed format.
  return keccak_256(uncompressed(publicKey).subarray(1)).slice(-ADDRESS_SIZE)
}

function uncompressed(publicKey: Uint8Array): Uint8Array {
  if (!isBytes(publicKey) || publicKey.length !== 33) throw invalidKey()
  try {
    return Point.fromBytes(publicKey).toBytes(false)
  } catch {
    throw invalidKey()
  }
}

function invalidKey(): CryptoError {
  return new CryptoError(
    'KEY_INVALID',
    'invalid compressed public key: expected 33 bytes of a point',
  )
}

/**
 * Parses `0x` and 40 hex digits. If the digits mix upper and lower case, they must match the checksum of EIP-55; in a
 * single case they have no checksum.
 *
 * @throws ArgumentError `ENC_MISSING_0X`, `ENC_WRONG_LENGTH`, `ENC_BAD_HEX` or `ENC_BAD_CHECKSUM`.
 */
export function parseEVMAddress(text: string): Uint8Array {
  if (typeof text !== 'string' || !text.startsWith('0x'))
    throw new ArgumentError('ENC_MISSING_0X', 'invalid EVM address: expected 0x and 40 hex digits')
  const digits = text.slice(2)
  if (digits.length !== 2 * ADDRESS_SIZE)
    throw new ArgumentError(
      'ENC_WRONG_LENGTH',
      `invalid EVM address: expected ${2 * ADDRESS_SIZE} hex digits, found ${digits.length}`,
    )
  // `hex.decode` would also accept a second `0x`.
  if (!/^[0-9a-fA-F]+$/.test(digits))
    throw new ArgumentError('ENC_BAD_HEX', 'invalid EVM address: expected hex digits')
  const address = hex.decode(digits)
  const mixed = /[a-f]/.test(digits) && /[A-F]/.test(digits)
  if (mixed && formatEVMAddress(address) !== text)
    throw new ArgumentError('ENC_BAD_CHECKSUM', 'invalid EVM address checksum', {
      hint: 'a character may be mistyped; an address in lower case only has no checksum',
    })
  return address
}

/**
 * Formats an EVM address of 20 bytes as `0x…` with the mixed-case checksum of EIP-55.
 *
 * @throws ArgumentError `ENC_WRONG_LENGTH` if it does not have 20 bytes.
 */
export function formatEVMAddress(address: Uint8Array): string {
  requireBytes(address, 'EVM address', ADDRESS_SIZE)
  const digits = hex.encode(address)
  const hash = hex.encode(keccak_256(new TextEncoder().encode(digits)))
  return `0x${Array.from(digits, (digit, i) => (hash[i]! >= '8' ? digit.toUpperCase() : digit)).join('')}`
}

/** Describes an EVM address as `0x…` text or bytes; the copy is bytes. */
export const evmAddress: Check<Uint8Array> = kinds<Uint8Array>({
  string: (value, at) => located(at, () => parseEVMAddress(value as string)),
  bytes: bytesOf(ADDRESS_SIZE),
})
