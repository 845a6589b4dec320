import { concat } from '../../core/base/bytes/concat.ts'
import { verifyingKeys, verifySignatures } from '../../core/crypto/verifying-keys.ts'
import type { Keys } from '../../core/sign/signer.ts'
import type { ClaimedPayment } from '../store/store.ts'

/** 32 random bytes for the nonces of a transaction, which make its signatures, and so its ID, unique. */
export function nonceEntropy(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}

/**
 * What the nonces of a payment are derived from: the store, and the keys of the payments with their contents. Equal keys
 * of separate stores give different transactions. Undefined for payments without a caller's key, whose nonces are random.
 */
export function entropyContext(
  storeID: Uint8Array | undefined,
  payments: readonly ClaimedPayment[],
): Uint8Array | undefined {
  if (storeID === undefined || payments.some(({ generated }) => generated)) return undefined
  const encoder = new TextEncoder()
  // Whoever looks for the transaction may not know in which order the payments were asked for.
  const sorted = [...payments].sort((a, b) => (a.key < b.key ? -1 : 1))
  const parts = sorted.flatMap(({ key, digest }) => {
    const text = encoder.encode(key)
    return [u32(text.length), text, digest]
  })
  // The number of the variant. Later ones are derived from the signatures of the one before.
  return concat([storeID, ...parts, u32(0)])
}

/** Keys that sign with nonces derived from a context; with those that the caller gives if they cannot derive any. */
export function derivingKeys(keys: Keys, context: Uint8Array | undefined): Keys {
  if (context === undefined || keys.derivedEntropy === undefined) return keys
  const deriving: Keys = {
    addresses: keys.addresses,
    publicKeys: keys.publicKeys ?? [],
    has: (address) => keys.has(address),
    sign: (address, hash, _, backend) =>
      keys.sign(address, hash, keys.derivedEntropy?.(address, context), backend),
  }
  return verifySignatures(keys) ? verifyingKeys(deriving) : deriving
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}
