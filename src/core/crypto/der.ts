import { isScalar } from '../base/bytes/scalar.ts'

/**
 * Decodes a strict DER signature to 64 bytes `r‖s`: shortest lengths and integers, no trailing bytes, r and s from 1
 * to the group order − 1. Returns undefined for anything else. Noble's decoder, against which the tests compare this
 * one, would add 1 KB to browser bundles.
 */
export function signatureFromDER(der: Uint8Array): Uint8Array | undefined {
  const signature = new Uint8Array(64)
  // The two integers have at most 33 bytes each, so every length fits in one byte.
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined
  let at = 2
  for (const end of [32, 64]) {
    const size = der[at + 1]
    if (der[at] !== 0x02 || size === undefined) return undefined
    const integer = der.subarray(at + 2, at + 2 + size)
    if (integer.length !== size) return undefined
    // A leading zero byte is required if the first bit is set, and forbidden otherwise.
    const digits = integer[0] === 0 ? integer.subarray(1) : integer
    const needsZero = digits[0] !== undefined && digits[0] > 127
    if (needsZero !== digits.length < size || digits.length > 32) return undefined
    signature.set(digits, end - digits.length)
    at += 2 + size
  }
  return at === der.length && isScalar(signature) && isScalar(signature, 32) ? signature : undefined
}
