import { ripemd160 } from '@noble/hashes/legacy.js'
import { engine } from '#curve'
import { sha256 } from '../hash/sha256.ts'
import { type BackendOption, checkedBackend, type Secp256k1Backend } from './backend.ts'
import { CryptoError } from './errors.ts'

/** The default backend: `@noble/curves`, in browsers `@noble/secp256k1`. Plain JavaScript that runs everywhere. */
export const nobleBackend: Secp256k1Backend = /* @__PURE__ */ checkedBackend(engine)

/** Settings of {@link signHash}. */
export type SignHashOptions = BackendOption & {
  /** 32 bytes that also enter the nonce (RFC 6979, section 3.6): other bytes give another valid signature. */
  readonly extraEntropy?: Uint8Array
}

/**
 * Signs a 32-byte hash: 65 bytes `r‖s‖v`, the same bytes that the node's own signer makes unless there is
 * extra entropy.
 *
 * @throws CryptoError `HASH_INVALID` for a hash that is not 32 bytes below the group order, `KEY_INVALID`,
 * `ENTROPY_INVALID`.
 * @example
 * const signature = signHash(hashToSign(tx.unsignedTx), privateKey)
 */
export function signHash(
  hash: Uint8Array,
  privateKey: Uint8Array,
  options: SignHashOptions = {},
): Uint8Array {
  const { backend = nobleBackend, extraEntropy } = options
  return backend.sign(hash, privateKey, extraEntropy)
}

/**
 * The public key (33 bytes) whose owner made the signature (65 bytes). Throws `SIG_HIGH_S` or
 * `SIG_INVALID` for everything the node refuses.
 *
 * @example
 * const signer = addressOf(recoverPublicKey(hash, signature))
 */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array): Uint8Array {
  return nobleBackend.recover(hash, signature)
}

/** The compressed public key (33 bytes) of a private key (32 bytes). */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return nobleBackend.publicKey(privateKey)
}

/** The address (20 bytes) of a compressed public key: RIPEMD-160 of its SHA-256. */
export function addressOf(publicKey: Uint8Array): Uint8Array {
  const compressed =
    publicKey instanceof Uint8Array &&
    publicKey.length === 33 &&
    (publicKey[0] === 2 || publicKey[0] === 3)
  if (!compressed)
    throw new CryptoError('KEY_INVALID', 'a public key is 33 bytes and begins with 02 or 03')
  return ripemd160(sha256(publicKey))
}
