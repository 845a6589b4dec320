import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Secp256k1Engine } from './backend.ts'
import { nobleOptions, recoveryIDFirst, recoveryIDLast } from './noble.ts'

// Imported as `#curve`, which is `curve-browser.ts` in bundles for browsers: see `imports` in package.json.

/** `@noble/curves`: plain JavaScript that runs everywhere. */
export const engine: Secp256k1Engine = {
  sign: (hash, privateKey, extraEntropy) =>
    recoveryIDLast(secp256k1.sign(hash, privateKey, nobleOptions(extraEntropy))),
  recover(hash, signature, recoveryID) {
    try {
      const nobleSignature = recoveryIDFirst(signature, recoveryID)
      return secp256k1.recoverPublicKey(nobleSignature, hash, { prehash: false })
    } catch {
      // r and s are in range, so no point has this x coordinate, or the key is the point at infinity.
      return undefined
    }
  },
  publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, true),
}
