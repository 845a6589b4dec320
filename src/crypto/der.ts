import { isScalar } from '../bytes/scalar.ts'

/**
 * `r‖s` of a strict DER signature, or nothing: shortest lengths, shortest positive integers, nothing behind,
 * both from 1 to the group order less one. Noble's reader, which the tests hold this against, would be 1 KB of
 * what a page loads.
 */
export function signatureFromDER(der: Uint8Array): Uint8Array | undefined {
  const signature = new Uint8Array(64)
  // With two integers of at most 33 bytes, no length takes more than a byte.
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined
  let at = 2
  for (const end of [32, 64]) {
    const size = der[at + 1]
    if (der[at] !== 0x02 || size === undefined) return undefined
    const integer = der.subarray(at + 2, at + 2 + size)
    if (integer.length !== size) return undefined
    // A zero stands before a number that would be negative without it, and nowhere else.
    const digits = integer[0] === 0 ? integer.subarray(1) : integer
    const wantsZero = digits[0] !== undefined && digits[0] > 127
    if (wantsZero !== digits.length < size || digits.length > 32) return undefined
    signature.set(digits, end - digits.length)
    at += 2 + size
  }
  return at === der.length && isScalar(signature) && isScalar(signature, 32) ? signature : undefined
}
