import { hex } from '../../core/base/encoding/hex.ts'
import { VerifyError } from '../../core/base/errors.ts'
import { hashToSign } from '../../core/chain/x/ids.ts'
import type { UnsignedTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { CryptoError } from '../../core/crypto/errors.ts'
import { addressOf, nobleBackend } from '../../core/crypto/secp256k1.ts'

/** Returns the address that made a signature of a transaction; throws if the signature is invalid. */
export type SignerOf = (signature: Uint8Array, path: string) => Uint8Array

/** Number of cached signers of all transactions; the cache is emptied when it is full. */
const MAX_CACHED_SIGNERS = 4096

/**
 * Recovers signers and caches them: a key's signature is the same for all inputs, and a transaction is verified again
 * when its block is built. Recovery takes nearly all of the verification time.
 */
export class Signers {
  private readonly backend: Secp256k1Backend
  private readonly known = new Map<string, Uint8Array>()

  constructor(backend: Secp256k1Backend = nobleBackend) {
    this.backend = backend
  }

  /** Returns the signers of a transaction, given unsigned, as value or encoded. */
  of(tx: UnsignedTx | Uint8Array): SignerOf {
    let hash: Uint8Array | undefined
    let prefix = ''
    return (signature, path) => {
      if (hash === undefined) {
        hash = hashToSign(tx)
        prefix = hex.encode(hash)
      }
      const key = prefix + hex.encode(signature)
      const known = this.known.get(key)
      if (known !== undefined) return known
      const address = addressOf(recoverKey(this.backend, hash, signature, path))
      if (this.known.size >= MAX_CACHED_SIGNERS) this.known.clear()
      this.known.set(key, address)
      return address
    }
  }
}

/** Recovers the compressed public key of a signature; errors have the node's text. */
export function recoverKey(
  backend: Secp256k1Backend,
  hash: Uint8Array,
  signature: Uint8Array,
  path: string,
): Uint8Array {
  try {
    return backend.recover(hash, signature)
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error
    if (error.code === 'SIG_HIGH_S')
      throw new VerifyError('SIG_HIGH_S', 'signature was mutated from its original format', path)
    if (error.code !== 'SIG_INVALID') throw error
    const reason =
      error.reason === 'compressed' ? "wasn't expecting a compressed key" : 'invalid signature'
    throw new VerifyError('SIG_INVALID', reason, path)
  }
}
