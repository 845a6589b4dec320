import { invertCt, mod } from '@noble/curves/abstract/modular.js'
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js'
import { Point } from '@noble/secp256k1'
import type { Secp256k1Engine } from './backend.ts'
import type { AffinePoint } from './curve.ts'
import { randomScalar } from './random.ts'
import { ORDER, signDeterministically } from './rfc6979.ts'

/** As in `curve.ts`. */
export function multiplyBase(k: bigint): AffinePoint {
  return blindMultiple(k).toAffine()
}

/** Noble's smaller package does not blind, so k is split into two numbers each of which is any number. */
function blindMultiple(k: bigint): Point {
  for (;;) {
    const part = bytesToNumberBE(randomScalar())
    const rest = mod(k - part, ORDER)
    if (rest !== 0n) return Point.BASE.multiply(part).add(Point.BASE.multiply(rest))
  }
}

/**
 * The points of `@noble/secp256k1`, which weigh 2 KB where `@noble/curves` weighs 12. Signing takes a quarter
 * longer, and recovering, which pages seldom do, twice as long.
 */
export const engine: Secp256k1Engine = {
  sign: (hash, privateKey) => signDeterministically(hash, privateKey, multiplyBase),
  recover(hash, signature, recoveryID) {
    const r = bytesToNumberBE(signature.subarray(0, 32))
    const s = bytesToNumberBE(signature.subarray(32, 64))
    const inverse = invertCt(r, ORDER)
    try {
      const x = numberToBytesBE(recoveryID & 2 ? r + ORDER : r, 32)
      const R = Point.fromBytes(Uint8Array.of(2 | (recoveryID & 1), ...x))
      const ofBase = Point.BASE.multiplyUnsafe(mod(-bytesToNumberBE(hash) * inverse, ORDER))
      return ofBase.add(R.multiplyUnsafe(mod(s * inverse, ORDER))).toBytes(true)
    } catch {
      // r and s are in range, so what is left is an x without a point, or the point at infinity.
      return undefined
    }
  },
  publicKey: (privateKey) => blindMultiple(bytesToNumberBE(privateKey)).toBytes(true),
}
