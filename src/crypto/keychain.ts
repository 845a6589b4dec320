import { hex } from '../encoding/hex.ts'
import { parsePrivateKey } from '../encoding/ids.ts'
import { EncodingError } from '../errors.ts'
import { assertPrivateKey, type Secp256k1Backend } from './backend.ts'
import { CryptoError } from './errors.ts'
import { inspectAsText } from './inspect.ts'
import { randomScalar } from './random.ts'
import { addressOf, nobleBackend } from './secp256k1.ts'

/** A private key as 32 bytes, as `PrivateKey-…` or as 64 hex digits (with or without `0x`). */
export type PrivateKeySource = Uint8Array | string

/** Settings of a {@link KeyChain}. */
export type KeyChainOptions = {
  /**
   * Computes the public keys and signatures of this key chain, whatever backend a caller of `sign` offers.
   *
   * @defaultValue the backend of the caller (wallet, `signDraft`), or `nobleBackend` if it has none
   */
  readonly backend?: Secp256k1Backend | undefined
}

type Key = {
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
}

/** A private key of 32 bytes from the platform's secure random source. */
export function generatePrivateKey(): Uint8Array {
  return randomScalar()
}

/**
 * Private keys that sign and are never shown: printing, inspecting or serializing a key chain gives its
 * addresses only. The bytes are copied in; {@link KeyChain.wipe} zeroes the copies.
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
  /** By the hex of the address; made on first use, since a public key costs as much as a signature. */
  #keys: ReadonlyMap<string, Key> | undefined
  #wiped = false

  constructor(keys: Iterable<PrivateKeySource>, options: KeyChainOptions = {}) {
    this.#backend = options.backend
    // A text or a key by itself is iterable too, letter by letter or byte by byte.
    if (typeof keys === 'string' || keys instanceof Uint8Array)
      throw new CryptoError('KEY_INVALID', 'expected a list of private keys, got a single one')
    const secrets: Uint8Array[] = []
    try {
      for (const key of keys) secrets.push(readPrivateKey(key))
    } catch (error) {
      // No copy stays behind in a key chain that nobody gets.
      for (const secret of secrets) secret.fill(0)
      throw error
    }
    this.#secrets = secrets
  }

  /** 20 bytes each, in the order the keys were given, a repeated key once. */
  get addresses(): readonly Uint8Array[] {
    return Array.from(this.#all().values(), (key) => key.address.slice())
  }

  /** 33 bytes each, in the order of `addresses`. */
  get publicKeys(): readonly Uint8Array[] {
    return Array.from(this.#all().values(), (key) => key.publicKey.slice())
  }

  /** Whether the key of this address (20 bytes) is here. */
  has(address: Uint8Array): boolean {
    return this.#all().has(hex.encode(address))
  }

  /** The public key (33 bytes) behind an address; `KEY_UNKNOWN` if it is not here. */
  publicKey(address: Uint8Array): Uint8Array {
    return this.#get(address).publicKey.slice()
  }

  /**
   * Signs a 32-byte hash with the key of an address: 65 bytes `r‖s‖v`.
   *
   * @param extraEntropy - 32 bytes that also enter the nonce (RFC 6979, section 3.6).
   * @param backend - computes the signature if the key chain has no backend of its own.
   * @throws CryptoError `KEY_UNKNOWN` if the key is not here, and everything that the backend throws.
   */
  sign(
    address: Uint8Array,
    hash: Uint8Array,
    extraEntropy?: Uint8Array,
    backend: Secp256k1Backend = nobleBackend,
  ): Uint8Array {
    const { privateKey, publicKey } = this.#get(address)
    return (this.#backend ?? backend).sign(hash, privateKey, extraEntropy, publicKey)
  }

  /** Zeroes the keys. From then on every use throws `KEY_WIPED`. */
  wipe(): void {
    for (const secret of this.#secrets) secret.fill(0)
    this.#secrets = []
    this.#keys = undefined
    this.#wiped = true
  }

  /** The addresses in hex, or that the keys are gone: what `JSON.stringify` prints. */
  toJSON(): { readonly addresses: readonly string[] } | { readonly wiped: true } {
    return this.#wiped ? { wiped: true } : { addresses: [...this.#all().keys()] }
  }

  toString(): string {
    return this.#wiped ? 'KeyChain (wiped)' : `KeyChain (${[...this.#all().keys()].join(', ')})`
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
    const name = hex.encode(address)
    const key = this.#all().get(name)
    if (key === undefined)
      throw new CryptoError('KEY_UNKNOWN', `no key for the address ${name} in this key chain`)
    return key
  }
}

/** A copy of the key's bytes. The error says what kind of fault it is and never quotes the text. */
function readPrivateKey(source: PrivateKeySource): Uint8Array {
  const key = typeof source === 'string' ? fromText(source) : source
  assertPrivateKey(key)
  return typeof source === 'string' ? key : new Uint8Array(key)
}

function fromText(text: string): Uint8Array {
  try {
    return text.startsWith('PrivateKey-') ? parsePrivateKey(text) : hex.decode(text)
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error
    // Without the cause: the message of a text error may quote a letter of the secret.
    throw new CryptoError('KEY_INVALID', 'expected PrivateKey-… or 64 hex digits', {
      reason: error.code,
    })
  }
}
