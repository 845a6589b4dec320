import { invertCt, mod } from '@noble/curves/abstract/modular.js'
import {
  bytesToNumberBE,
  concatBytes,
  createHmacDrbg,
  numberToBytesBE,
} from '@noble/curves/utils.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { AffinePoint } from './curve.ts'
import { randomScalar } from './random.ts'

/** Of the group of the curve's points. */
export const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Signs a hash as the node does: the 32 bytes enter the nonce as they are (`NonceRFC6979` of the Go library),
 * while RFC 6979 and noble reduce a hash that is not below the group order first. No SHA-256 hash will ever
 * tell.
 */
export function signDeterministically(
  hash: Uint8Array,
  privateKey: Uint8Array,
  multiplyBase: (k: bigint) => AffinePoint,
): Uint8Array {
  const d = bytesToNumberBE(privateKey)
  const m = bytesToNumberBE(hash)
  const nonces = createHmacDrbg<Uint8Array>(32, 32, (key: Uint8Array, message: Uint8Array) =>
    hmac(sha256, key, message),
  )
  return nonces(concatBytes(privateKey, hash), (bytes) => {
    const k = bytesToNumberBE(bytes)
    if (k === 0n || k >= ORDER) return undefined
    const R = multiplyBase(k)
    const r = mod(R.x, ORDER)
    // Blinded by b, which falls out again; and the inversion takes the same steps for every number.
    const b = bytesToNumberBE(randomScalar())
    const blinded = mod(b * m, ORDER) + r * mod(b * d, ORDER)
    const s = mod(invertCt(mod(b * k, ORDER), ORDER) * mod(blinded, ORDER), ORDER)
    if (r === 0n || s === 0n) return undefined
    const high = s > ORDER >> 1n
    const signature = new Uint8Array(65)
    signature.set(numberToBytesBE(r, 32))
    signature.set(numberToBytesBE(high ? ORDER - s : s, 32), 32)
    signature[64] = (R.x === r ? 0 : 2) | (Number(R.y & 1n) ^ (high ? 1 : 0))
    return signature
  })
}
