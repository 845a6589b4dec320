import { ripemd160 } from '@noble/hashes/legacy.js'
import { engine } from '#curve'
import { argument, bytesOf, type Check, capability, object, optional } from '../base/argument.ts'
import { sha256 } from '../base/hash/sha256.ts'
import { isBytes } from '../base/require.ts'
import { type BackendOption, checkedBackend, type Secp256k1Backend } from './backend.ts'
import { CryptoError } from './errors.ts'

/** The default backend: `@noble/curves`, in browsers `@noble/secp256k1`. Plain JavaScript that runs everywhere. */
export const nobleBackend: Secp256k1Backend = /* @__PURE__ */ checkedBackend(engine)

/** Describes a backend, which is used by reference. */
export const backendOption: Check<Secp256k1Backend | undefined> = optional(
  capability<Secp256k1Backend>('a backend', 'sign', 'recover', 'publicKey'),
)

/** Returns the backend that a call was given, by default noble. Rejects values that are not a backend. */
export function requireBackend(
  call: string,
  backend: Secp256k1Backend | undefined,
): Secp256k1Backend {
  return argument(call, backend, backendOption, 'backend') ?? nobleBackend
}

/** Settings of {@link signHash}. */
export type SignHashOptions = BackendOption & {
  /** 32 bytes that also enter the nonce (RFC 6979, section 3.6); different bytes give a different valid signature. */
  readonly extraEntropy?: Uint8Array | undefined
}

const signHashOptions: Check<SignHashOptions> = object<SignHashOptions>({
  backend: backendOption,
  extraEntropy: optional(bytesOf()),
})

/**
 * Signs a 32-byte hash: 65 bytes `r‖s‖v`. Without extra entropy, the bytes equal those of the node's signer.
 *
 * @throws CryptoError `HASH_INVALID` if the hash is not 32 bytes below the group order, `KEY_INVALID`,
 * `ENTROPY_INVALID`
 * @example
 * const signature = signHash(hashToSign(tx.unsignedTx), privateKey)
 */
export function signHash(
  hash: Uint8Array,
  privateKey: Uint8Array,
  options: SignHashOptions = {},
): Uint8Array {
  const { backend, extraEntropy } = argument('signHash', options, signHashOptions)
  return (backend ?? nobleBackend).sign(hash, privateKey, extraEntropy)
}

/**
 * Recovers the public key (33 bytes) behind a signature (65 bytes) with noble.
 *
 * @throws CryptoError `SIG_HIGH_S` or `SIG_INVALID` for every signature that the node refuses, `HASH_INVALID`
 * @example
 * const signer = addressOf(recoverPublicKey(hash, signature))
 */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array): Uint8Array {
  return nobleBackend.recover(hash, signature)
}

/** Derives the compressed public key (33 bytes) of a private key (32 bytes) with noble. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return nobleBackend.publicKey(privateKey)
}

/** The address (20 bytes) of a compressed public key: RIPEMD-160 of its SHA-256. */
export function addressOf(publicKey: Uint8Array): Uint8Array {
  const compressed =
    isBytes(publicKey) && publicKey.length === 33 && (publicKey[0] === 2 || publicKey[0] === 3)
  if (!compressed)
    throw new CryptoError(
      'KEY_INVALID',
      'expected a public key of 33 bytes that starts with 02 or 03',
    )
  return ripemd160(sha256(publicKey))
}
