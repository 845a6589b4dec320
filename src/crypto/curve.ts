import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Secp256k1Engine } from './backend.ts'

// Imported as `#curve`, which is `curve-browser.ts` in bundles for browsers: see `imports` in package.json.

/** A point of the curve. */
export type AffinePoint = { readonly x: bigint; readonly y: bigint }

/** k times the base point, blinded: what is computed on the way depends on chance too. */
export function multiplyBase(k: bigint): AffinePoint {
  return secp256k1.Point.BASE.multiply(k).toAffine()
}

/** `@noble/curves`: plain JavaScript that runs everywhere. */
export const engine: Secp256k1Engine = {
  sign(hash, privateKey) {
    // noble puts the recovery id first, the chain wants it last.
    const signature = secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' })
    const recoveryID = signature[0]!
    signature.copyWithin(0, 1)
    signature[64] = recoveryID
    return signature
  },
  recover(hash, signature, recoveryID) {
    const rs = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
    try {
      return rs.addRecoveryBit(recoveryID).recoverPublicKey(hash).toBytes(true)
    } catch {
      // r and s are in range, so what is left is an x without a point, or the point at infinity.
      return undefined
    }
  },
  publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, true),
}
