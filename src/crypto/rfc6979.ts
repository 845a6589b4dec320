import { invertCt } from '@noble/curves/abstract/modular.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE, concatBytes, createHmacDrbg } from '@noble/curves/utils.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

const { Point, Signature } = secp256k1
const { Fn } = Point

/**
 * Signs a hash that is not below the group order, as the node does: the 32 bytes enter the nonce as they
 * are (`NonceRFC6979` of the Go library), while RFC 6979 and noble reduce them first. No SHA-256 hash
 * ever gets here, so this is written for sameness, not speed.
 */
export function signWideHash(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const d = Fn.fromBytes(privateKey)
  const m = Fn.create(bytesToNumberBE(hash))
  const nonces = createHmacDrbg<Uint8Array>(32, 32, (key: Uint8Array, message: Uint8Array) =>
    hmac(sha256, key, message),
  )
  return nonces(concatBytes(privateKey, hash), (bytes) => {
    const k = bytesToNumberBE(bytes)
    if (!Fn.isValidNot0(k)) return undefined
    const R = Point.BASE.multiply(k).toAffine()
    const r = Fn.create(R.x)
    // The inversion of noble's that takes the same time for every nonce.
    const s = Fn.mul(invertCt(k, Fn.ORDER), Fn.create(m + r * d))
    if (r === 0n || s === 0n) return undefined
    const high = s > Fn.ORDER >> 1n
    const signature = new Uint8Array(65)
    signature.set(new Signature(r, high ? Fn.neg(s) : s).toBytes('compact'))
    signature[64] = (R.x === r ? 0 : 2) | (Number(R.y & 1n) ^ (high ? 1 : 0))
    return signature
  })
}
