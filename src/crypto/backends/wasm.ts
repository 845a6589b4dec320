import { checkedBackend, type RecoveryID, type Secp256k1Backend } from '../backend.ts'
import { CryptoError } from '../errors.ts'

/** What is used of an instance of `@bitauth/libauth`'s secp256k1. Texts are its way to report a failure. */
export type LibauthSecp256k1 = {
  signMessageHashRecoverableCompact(
    privateKey: Uint8Array,
    messageHash: Uint8Array,
  ): { readonly signature: Uint8Array; readonly recoveryId: number } | string
  recoverPublicKeyCompressed(
    signature: Uint8Array,
    recoveryId: RecoveryID,
    messageHash: Uint8Array,
  ): Uint8Array | string
  derivePublicKeyCompressed(privateKey: Uint8Array): Uint8Array | string
}

/**
 * libsecp256k1 compiled to WebAssembly. Against noble it signs about five times and recovers about ten
 * times as fast; `tiny-secp256k1`, the other build, recovers only six times as fast.
 *
 * @example
 * const keys = new KeyChain(texts, { backend: wasmBackend(await instantiateSecp256k1()) })
 */
export function wasmBackend(libauth: LibauthSecp256k1): Secp256k1Backend {
  return checkedBackend({
    sign(hash, privateKey) {
      const made = libauth.signMessageHashRecoverableCompact(privateKey, hash)
      if (typeof made === 'string') throw new CryptoError('BACKEND_FAILED', made)
      const signature = new Uint8Array(65)
      signature.set(made.signature)
      signature[64] = made.recoveryId
      return signature
    },
    recover(hash, signature, recoveryID) {
      const key = libauth.recoverPublicKeyCompressed(signature.subarray(0, 64), recoveryID, hash)
      return typeof key === 'string' ? undefined : key
    },
    publicKey(privateKey) {
      const key = libauth.derivePublicKeyCompressed(privateKey)
      if (typeof key === 'string') throw new CryptoError('BACKEND_FAILED', key)
      return key
    },
  })
}

/**
 * Loads `@bitauth/libauth`, an optional peer dependency, and gives it random bytes to blind its
 * computations with. Loading takes as long as a few hundred signatures.
 */
export async function loadWasmBackend(): Promise<Secp256k1Backend> {
  try {
    const { instantiateSecp256k1 } = await import('@bitauth/libauth')
    const seed = crypto.getRandomValues(new Uint8Array(32))
    return wasmBackend((await instantiateSecp256k1(seed)) as LibauthSecp256k1)
  } catch (cause) {
    throw new CryptoError('BACKEND_UNAVAILABLE', '@bitauth/libauth cannot be loaded', {
      cause,
      hint: 'install @bitauth/libauth beside this library',
    })
  }
}
