import { concat } from '../../core/base/bytes/concat.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { type CredentialSlot, isCredential } from '../../core/chain/x/fx.ts'
import { hashToSign } from '../../core/chain/x/ids.ts'
import { encodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { addressOf } from '../../core/crypto/secp256k1.ts'
import type { Keys } from '../../core/sign/signer.ts'

/** Maximum number of variants of one transaction. After that, the newest is issued repeatedly. */
export const MAX_VARIANTS = 8

/**
 * The same transaction signed again with other nonces: same inputs and outputs, another ID. A node that remembers
 * its rejection of the first treats this one as new. Undefined if none of the signatures was made by these keys.
 *
 * The nonces are derived from the signatures of `tx`. So a store that was restored from a backup can recognize a
 * variant that it does not know, and tell it from an equal payment of another store.
 */
export function variantOf(
  tx: SignedTx,
  keys: Keys,
  backend: Secp256k1Backend,
): Uint8Array | undefined {
  const hash = hashToSign(tx.unsignedTx)
  const credentials = renewCredentials(tx.credentials, hash, keys, backend)
  return credentials && encodeTx({ ...tx, credentials })
}

/** Credentials with new signatures of these keys over the same hash; undefined if none of them is theirs. */
export function renewCredentials<C extends CredentialSlot>(
  credentials: readonly C[],
  hash: Uint8Array,
  keys: Keys,
  backend: Secp256k1Backend,
): C[] | undefined {
  const signatures = credentials.flatMap((slot) => (isCredential(slot) ? slot.signatures : []))
  const entropy = sha256(concat(signatures))
  const renewed = new Map<string, Uint8Array>()
  const renew = (signature: Uint8Array): Uint8Array => {
    const name = hex.encode(signature)
    const known = renewed.get(name)
    if (known !== undefined) return known
    const signer = signerOf(signature, hash, backend)
    const isOurs = signer !== undefined && keys.has(signer)
    const fresh = isOurs ? keys.sign(signer, hash, entropy, backend) : signature
    renewed.set(name, fresh)
    return fresh
  }
  const fresh = credentials.map((slot) =>
    isCredential(slot) ? { ...slot, signatures: slot.signatures.map(renew) } : slot,
  )
  const isNew = [...renewed].some(([name, signature]) => name !== hex.encode(signature))
  return isNew ? fresh : undefined
}

/** The address whose key made a signature; undefined if no key can have made it. */
function signerOf(
  signature: Uint8Array,
  hash: Uint8Array,
  backend: Secp256k1Backend,
): Uint8Array | undefined {
  try {
    return addressOf(backend.recover(hash, signature))
  } catch (error) {
    if (error instanceof AvmError) return undefined
    throw error
  }
}
