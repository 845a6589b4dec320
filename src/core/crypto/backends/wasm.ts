import { argument, type Check, capability } from '../../base/argument.ts'
import { isBytes } from '../../base/require.ts'
import { checkedBackend, type Secp256k1Backend } from '../backend.ts'
import { CryptoError } from '../errors.ts'

/**
 * The part of `@bitauth/libauth`'s low-level secp256k1 instance that {@link wasmBackend} uses. Arguments other than
 * sizes and flags are addresses in its memory; the result 1 means success.
 */
export type LibauthSecp256k1Wasm = {
  /** The whole memory, which never grows. */
  readonly heapU8: Uint8Array
  malloc(size: number): number
  contextCreate(flags: number): number
  contextRandomize(context: number, seed: number): number
  pubkeyCreate(context: number, publicKey: number, privateKey: number): number
  pubkeySerialize(
    context: number,
    output: number,
    outputSize: number,
    publicKey: number,
    flags: number,
  ): number
  recover(context: number, publicKey: number, signature: number, hash: number): number
  recoverableSignatureParse(
    context: number,
    signature: number,
    input: number,
    recoveryID: number,
  ): number
  recoverableSignatureSerialize(
    context: number,
    output: number,
    recoveryID: number,
    signature: number,
  ): number
  /** The exports of the WebAssembly module. Used for signing: libauth's wrapper takes no extra entropy. */
  readonly instance: { readonly exports: object }
}

type SignRecoverable = (
  context: number,
  signature: number,
  hash: number,
  privateKey: number,
  nonceFunction: number,
  extraEntropy: number,
) => number

/** `SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY` and `SECP256K1_EC_COMPRESSED` of secp256k1.h. */
const CONTEXT_BOTH = 0x301
const COMPRESSED = 0x102

/** A null pointer: the default nonce function (RFC 6979), or no extra entropy. */
const NULL = 0

const libauthInstance: Check<LibauthSecp256k1Wasm> = capability<LibauthSecp256k1Wasm>(
  'a libauth instance',
  'malloc',
  'contextCreate',
)

/**
 * Creates a backend from libsecp256k1 compiled to WebAssembly: signs about five times and recovers about ten times as
 * fast as noble.
 *
 * @throws CryptoError `BACKEND_UNAVAILABLE` if the instance cannot sign.
 *
 * @example
 * const keys = new KeyChain(texts, { backend: wasmBackend(await instantiateSecp256k1Wasm()) })
 */
export function wasmBackend(wasm: LibauthSecp256k1Wasm): Secp256k1Backend {
  argument('wasmBackend', wasm, libauthInstance)
  const { heapU8: heap } = wasm
  const exported = wasm.instance?.exports as
    | { _secp256k1_ecdsa_sign_recoverable?: SignRecoverable }
    | undefined
  const signRecoverable = exported?._secp256k1_ecdsa_sign_recoverable
  if (signRecoverable === undefined || !isBytes(heap))
    throw new CryptoError('BACKEND_UNAVAILABLE', 'the libauth instance exports no signing function')

  // Calls are synchronous, so they can share the memory of their arguments.
  const context = wasm.contextCreate(CONTEXT_BOTH)
  const secrets = wasm.malloc(64)
  const [privateKeyAt, entropyAt] = [secrets, secrets + 32]
  const hashAt = wasm.malloc(32)
  const signatureAt = wasm.malloc(65)
  const publicKeyAt = wasm.malloc(64)
  const outputAt = wasm.malloc(65)
  const numberAt = wasm.malloc(4)
  const copy = (at: number, size: number) => heap.slice(at, at + size)
  const numberView = new DataView(heap.buffer, numberAt, 4)

  /** Runs a function on secrets in the memory and zeroes them afterwards. */
  function withSecrets<T>(
    privateKey: Uint8Array,
    entropy: Uint8Array | undefined,
    run: () => T,
  ): T {
    heap.set(privateKey, privateKeyAt)
    if (entropy !== undefined) heap.set(entropy, entropyAt)
    try {
      return run()
    } finally {
      heap.fill(0, secrets, secrets + 64)
    }
  }

  function serializedPublicKey(): Uint8Array {
    numberView.setUint32(0, 33, true)
    wasm.pubkeySerialize(context, outputAt, numberAt, publicKeyAt, COMPRESSED)
    return copy(outputAt, 33)
  }

  withSecrets(crypto.getRandomValues(new Uint8Array(32)), undefined, () => {
    // Blinds computations with private keys against side channels.
    requireSuccess(wasm.contextRandomize(context, privateKeyAt))
  })

  return checkedBackend({
    sign(hash, privateKey, extraEntropy) {
      heap.set(hash, hashAt)
      const entropy = extraEntropy === undefined ? NULL : entropyAt
      withSecrets(privateKey, extraEntropy, () => {
        requireSuccess(signRecoverable(context, signatureAt, hashAt, privateKeyAt, NULL, entropy))
      })
      wasm.recoverableSignatureSerialize(context, outputAt, numberAt, signatureAt)
      const signature = copy(outputAt, 65)
      signature[64] = numberView.getUint32(0, true)
      return signature
    },
    recover(hash, signature, recoveryID) {
      heap.set(hash, hashAt)
      heap.set(signature.subarray(0, 64), outputAt)
      const found =
        wasm.recoverableSignatureParse(context, signatureAt, outputAt, recoveryID) === 1 &&
        wasm.recover(context, publicKeyAt, signatureAt, hashAt) === 1
      return found ? serializedPublicKey() : undefined
    },
    publicKey(privateKey) {
      withSecrets(privateKey, undefined, () => {
        requireSuccess(wasm.pubkeyCreate(context, publicKeyAt, privateKeyAt))
      })
      return serializedPublicKey()
    },
  })
}

function requireSuccess(result: number): void {
  if (result !== 1) throw new CryptoError('BACKEND_FAILED', 'a function of libsecp256k1 failed')
}

/**
 * Loads the WebAssembly backend from `@bitauth/libauth`. Loading takes tens of milliseconds.
 *
 * @throws CryptoError `BACKEND_UNAVAILABLE` if the package cannot be loaded or there is no WebAssembly.
 */
export async function loadWasmBackend(): Promise<Secp256k1Backend> {
  try {
    // The package's main file would load all of its 3 MB, which takes several times as long.
    const { instantiateSecp256k1Wasm } = await import(
      '@bitauth/libauth/build/lib/bin/secp256k1/secp256k1-wasm.js'
    )
    return wasmBackend(await instantiateSecp256k1Wasm())
  } catch (cause) {
    throw new CryptoError('BACKEND_UNAVAILABLE', 'cannot load @bitauth/libauth', {
      cause,
      hint: 'use nobleBackend, which gives the same signatures',
    })
  }
}
