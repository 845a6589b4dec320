import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { argument, type Check, object } from '../base/argument.ts'
import { copyBytes } from '../base/bytes/copy.ts'
import { hex } from '../base/encoding/hex.ts'
import { parsePrivateKey } from '../base/encoding/ids.ts'
import { ArgumentError, AvmError } from '../base/errors.ts'
import { privateKeyHint } from '../base/hints.ts'
import { isBytes, requireBytes } from '../base/require.ts'
import { assertPrivateKey, type Secp256k1Backend } from './backend.ts'
import { CryptoError } from './errors.ts'
import { inspectAsText } from './inspect.ts'
import { randomScalar } from './random.ts'
import { addressOf, backendOption, nobleBackend, requireBackend } from './secp256k1.ts'

/** A private key: 32 bytes, `PrivateKey-…`, or 64 hex digits with or without `0x`. */
export type PrivateKeySource = Uint8Array | string

/** Settings of a {@link KeyChain}. */
export type KeyChainOptions = {
  /**
   * Computes the public keys and signatures of this key chain. Takes precedence over the backend that a caller of
   * `sign` passes.
   *
   * @defaultValue the backend of the caller (wallet, `signDraft`), or `nobleBackend` if it has none
   */
  readonly backend?: Secp256k1Backend | undefined
}

/** Describes the settings of a key chain. */
export const keyChainOptions: Check<KeyChainOptions> = object<KeyChainOptions>({
  backend: backendOption,
})

type Key = {
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
}

/**
 * Generates a private key (32 bytes) from the platform's secure random source.
 *
 * @throws CryptoError `RANDOM_FAILED` if the source returns no random bytes.
 */
export function generatePrivateKey(): Uint8Array {
  return randomScalar()
}

/**
 * Private keys that can sign but not be read: printing, inspecting or serializing a key chain shows its addresses only.
 * The keys are copied; {@link KeyChain.wipe} zeroes the copies.
 *
 * @example
 * const keys = new KeyChain(['PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'])
 * keys.sign(keys.addresses[0]!, hash)
 */
export class KeyChain {
  static {
    inspectAsText(KeyChain.prototype)
  }

  readonly #backend: Secp256k1Backend | undefined
  #secrets: readonly Uint8Array[]
  /** By address in hex. Derived on first use, because deriving a key takes nearly as long as a signature. */
  #keys: ReadonlyMap<string, Key> | undefined
  #wiped = false

  constructor(keys: Iterable<PrivateKeySource>, options: KeyChainOptions = {}) {
    this.#backend = argument('new KeyChain', options, keyChainOptions).backend
    const secrets: Uint8Array[] = []
    try {
      // A single string or Uint8Array is iterable as well.
      if (typeof keys === 'string' || isBytes(keys) || !keys?.[Symbol.iterator])
        throw new CryptoError('KEY_INVALID', 'expected a list of private keys')
      for (const key of keys) secrets.push(readPrivateKey(key))
    } catch (error) {
      // The key chain is not created, so no copy may remain.
      for (const secret of secrets) secret.fill(0)
      if (error instanceof AvmError) throw error
      throw new CryptoError('KEY_INVALID', 'expected a list of private keys', {
        cause: error,
      })
    }
    this.#secrets = secrets
  }

  /** 20 bytes each, in the order of the keys, without repetition. */
  get addresses(): readonly Uint8Array[] {
    return Array.from(this.#all().values(), (key) => key.address.slice())
  }

  /** 33 bytes each, in the order of `addresses`. */
  get publicKeys(): readonly Uint8Array[] {
    return Array.from(this.#all().values(), (key) => key.publicKey.slice())
  }

  /** Whether the key chain has the key of an address (20 bytes). */
  has(address: Uint8Array): boolean {
    return this.#all().has(hex.encode(address))
  }

  /**
   * The public key (33 bytes) of an address.
   *
   * @throws CryptoError `KEY_UNKNOWN`, `KEY_WIPED`
   */
  publicKey(address: Uint8Array): Uint8Array {
    return this.#get(address).publicKey.slice()
  }

  /**
   * Signs a 32-byte hash with the key of an address: 65 bytes `r‖s‖v`.
   *
   * @param extraEntropy - 32 bytes that also enter the nonce (RFC 6979, section 3.6).
   * @param backend - computes the signature if the key chain has no backend of its own.
   * @throws CryptoError `KEY_UNKNOWN`, `KEY_WIPED`, `HASH_INVALID`, `ENTROPY_INVALID` or `BACKEND_FAILED`
   */
  sign(
    address: Uint8Array,
    hash: Uint8Array,
    extraEntropy?: Uint8Array,
    backend?: Secp256k1Backend,
  ): Uint8Array {
    const { privateKey, publicKey } = this.#get(address)
    return (this.#backend ?? requireBackend('KeyChain.sign', backend)).sign(
      hash,
      privateKey,
      extraEntropy,
      publicKey,
    )
  }

  /**
   * 32 bytes that depend on the key of an address and on `context`: the same for both, and unknown without the key. As
   * `extraEntropy`, they make a signature that the owner of the key can recognize.
   *
   * @throws CryptoError `KEY_UNKNOWN`, `KEY_WIPED`
   */
  derivedEntropy(address: Uint8Array, context: Uint8Array): Uint8Array {
    return hmac(sha256, this.#get(address).privateKey, requireBytes(context, 'context'))
  }

  /** Zeroes the keys. Every later use throws `KEY_WIPED`. */
  wipe(): void {
    for (const secret of this.#secrets) secret.fill(0)
    this.#secrets = []
    this.#keys = undefined
    this.#wiped = true
  }

  /** What `JSON.stringify` prints: the addresses in hex, or that the keys were wiped. */
  toJSON(): { readonly addresses: readonly string[] } | { readonly wiped: true } {
    return this.#wiped ? { wiped: true } : { addresses: [...this.#all().keys()] }
  }

  /** The addresses in hex, or that the keys were wiped. */
  toString(): string {
    return `KeyChain (${this.#wiped ? 'wiped' : [...this.#all().keys()].join(', ')})`
  }

  #all(): ReadonlyMap<string, Key> {
    if (this.#wiped) throw new CryptoError('KEY_WIPED', 'the keys of this key chain were wiped')
    this.#keys ??= new Map(
      this.#secrets.map((privateKey) => {
        const publicKey = (this.#backend ?? nobleBackend).publicKey(privateKey)
        const address = addressOf(publicKey)
        return [hex.encode(address), { privateKey, publicKey, address }]
      }),
    )
    return this.#keys
  }

  #get(address: Uint8Array): Key {
    const addressHex = hex.encode(address)
    const key = this.#all().get(addressHex)
    if (key === undefined) throw new CryptoError('KEY_UNKNOWN', `no key for address ${addressHex}`)
    return key
  }
}

/** Returns the bytes of a key, never the array that was passed. Errors never quote the key. */
function readPrivateKey(source: PrivateKeySource): Uint8Array {
  const key = typeof source === 'string' ? keyFromText(source) : source
  assertPrivateKey(key)
  return typeof source === 'string' ? key : copyBytes(key)
}

function keyFromText(text: string): Uint8Array {
  try {
    return text.startsWith('PrivateKey-') ? parsePrivateKey(text) : hex.decode(text)
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error
    // The cause is omitted: its message may quote a character of the secret.
    throw new CryptoError('KEY_INVALID', 'expected PrivateKey-… or 64 hex digits', {
      reason: error.code,
      hint: text.startsWith('PrivateKey-') ? privateKeyHint(error.code) : undefined,
    })
  }
}
