import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { getPublicKey, hashes, recoverPublicKey, sign } from '@noble/secp256k1'
import type { Secp256k1Engine } from './backend.ts'
import { nobleOptions, recoveryIDFirst, recoveryIDLast } from './noble.ts'

/** `@noble/secp256k1`: adds 3 KB to a bundle instead of the 12 KB of `@noble/curves`; recovery takes twice as long. */
export const engine: Secp256k1Engine = {
  sign(hash, privateKey, extraEntropy) {
    // The package has no hash functions; the page may have set this one already.
    hashes.hmacSha256 ??= (key, message) => hmac(sha256, key, message)
    return recoveryIDLast(sign(hash, privateKey, nobleOptions(extraEntropy)))
  },
  recover(hash, signature, recoveryID) {
    try {
      return recoverPublicKey(recoveryIDFirst(signature, recoveryID), hash, { prehash: false })
    } catch {
      // r and s are in range, so no point has this x coordinate, or the key is the point at infinity.
      return undefined
    }
  },
  publicKey: (privateKey) => getPublicKey(privateKey, true),
}
