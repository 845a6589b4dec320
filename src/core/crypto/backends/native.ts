import { argument, type Check, capability } from '../../base/argument.ts'
import { checkedBackend, type RecoveryID, type Secp256k1Backend } from '../backend.ts'
import { CryptoError } from '../errors.ts'

/** The part of the package `secp256k1` that {@link nativeBackend} uses. */
export type NativeSecp256k1 = {
  ecdsaSign(
    hash: Uint8Array,
    privateKey: Uint8Array,
    options: { readonly data: Uint8Array | undefined },
    output: Uint8Array,
  ): { readonly recid: number }
  ecdsaRecover(
    signature: Uint8Array,
    recoveryID: RecoveryID,
    hash: Uint8Array,
    compressed: boolean,
  ): Uint8Array
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
}

const addon: Check<NativeSecp256k1> = capability<NativeSecp256k1>(
  'the package secp256k1',
  'ecdsaSign',
  'ecdsaRecover',
  'publicKeyCreate',
)

/**
 * Creates a backend from libsecp256k1 as a compiled Node addon, the fastest one. Pass `secp256k1/bindings.js`: the
 * package's main file silently falls back to JavaScript if the addon does not load.
 */
export function nativeBackend(secp256k1: NativeSecp256k1): Secp256k1Backend {
  argument('nativeBackend', secp256k1, addon)
  return checkedBackend({
    sign(hash, privateKey, extraEntropy) {
      const signature = new Uint8Array(65)
      const options = { data: extraEntropy }
      const { recid } = secp256k1.ecdsaSign(hash, privateKey, options, signature.subarray(0, 64))
      signature[64] = recid
      return signature
    },
    recover(hash, signature, recoveryID) {
      try {
        return secp256k1.ecdsaRecover(signature.subarray(0, 64), recoveryID, hash, true)
      } catch {
        // The arguments have been checked, so no such point exists.
        return undefined
      }
    },
    publicKey: (privateKey) => secp256k1.publicKeyCreate(privateKey, true),
  })
}

/**
 * Loads the addon of `secp256k1`, an optional peer dependency, and blinds its computations against side channels.
 *
 * @throws CryptoError `BACKEND_UNAVAILABLE` if the addon cannot be loaded.
 */
export async function loadNativeBackend(): Promise<Secp256k1Backend> {
  try {
    const loaded = (await import('secp256k1/bindings.js')) as {
      readonly default: NativeSecp256k1 & { contextRandomize(seed: Uint8Array): void }
    }
    loaded.default.contextRandomize(crypto.getRandomValues(new Uint8Array(32)))
    return nativeBackend(loaded.default)
  } catch (cause) {
    throw new CryptoError(
      'BACKEND_UNAVAILABLE',
      'cannot load the native addon of the package secp256k1',
      {
        cause,
        hint: 'install the package secp256k1, or use another backend',
      },
    )
  }
}
