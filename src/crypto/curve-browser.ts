import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { getPublicKey, hashes, recoverPublicKey, sign } from '@noble/secp256k1'
import type { Secp256k1Engine } from './backend.ts'
import { nobleOptions, recoveryIDFirst, recoveryIDLast } from './noble.ts'

/**
 * `@noble/secp256k1`, which adds 3 KB to a page where `@noble/curves` adds 12. Recovery takes about twice as
 * long.
 */
export const engine: Secp256k1Engine = {
  sign(hash, privateKey, extraEntropy) {
    // The package has no hash functions of its own; the page may have set one already.
    hashes.hmacSha256 ??= (key, message) => hmac(sha256, key, message)
    return recoveryIDLast(sign(hash, privateKey, nobleOptions(extraEntropy)))
  },
  recover(hash, signature, recoveryID) {
    try {
      return recoverPublicKey(recoveryIDFirst(signature, recoveryID), hash, { prehash: false })
    } catch {
      // r and s are in range, so the x coordinate has no point, or the key is the point at infinity.
      return undefined
    }
  },
  publicKey: (privateKey) => getPublicKey(privateKey, true),
}
