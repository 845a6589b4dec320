import { equalBytes } from '../../core/base/bytes/compare.ts'
import { concat } from '../../core/base/bytes/concat.ts'
import { type Credential, isCredential } from '../../core/chain/x/fx.ts'
import { hashToSign } from '../../core/chain/x/ids.ts'
import { decodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { MAX_VARIANTS } from '../recovery/variant.ts'
import { haveSameSigners } from './signatures.ts'

/**
 * What a transaction that differs from an attempt at most in its signatures is: the attempt, with signatures of it or of
 * its variants, each derived from the one before; a `rival`, with other signatures of the same keys; or `forged`. A
 * server can combine or change the signatures of transactions that it was sent, and the ID of a transaction covers them.
 * An equal payment of another store has other signatures. Undefined for any other transaction.
 *
 * @param variantOf - the next variant; undefined if the keys cannot sign it
 */
export function copyOf(
  tx: SignedTx,
  attempt: Uint8Array,
  variantOf: (bytes: Uint8Array) => Uint8Array | undefined,
  backend: Secp256k1Backend,
): 'attempt' | 'rival' | 'forged' | undefined {
  const own = decodeTx(attempt)
  const hash = hashToSign(tx.unsignedTx)
  if (!equalBytes(hash, hashToSign(own.unsignedTx))) return undefined
  const slots = slotsOf(tx)
  const ownSlots = slotsOf(own)
  if (slots === undefined || ownSlots === undefined || !haveSameShape(slots, ownSlots))
    return 'forged'
  const isKnown = slots.map((slot, i) => isSame(slot, ownSlots[i]!))
  let variant: Uint8Array | undefined = attempt
  for (let i = 0; i < MAX_VARIANTS && variant !== undefined && !isKnown.every(Boolean); i++) {
    variant = variantOf(variant)
    const known = variant && slotsOf(decodeTx(variant))
    for (const [at, slot] of slots.entries())
      isKnown[at] ||= known !== undefined && isSame(slot, known[at]!)
  }
  if (isKnown.every(Boolean)) return 'attempt'
  const isByOwners = slots.every(
    (credential, i) =>
      isKnown[i] ||
      haveSameSigners({ credential, hash }, { credential: ownSlots[i]!, hash }, backend),
  )
  return isByOwners ? 'rival' : 'forged'
}

type Slots = readonly Credential[]

/** The credentials of a transaction; undefined if one is of an unknown type. */
function slotsOf({ credentials }: SignedTx): Slots | undefined {
  const slots = credentials.filter(isCredential)
  return slots.length === credentials.length ? slots : undefined
}

function haveSameShape(slots: Slots, others: Slots): boolean {
  return (
    slots.length === others.length &&
    slots.every(
      ({ type, signatures }, i) =>
        type === others[i]!.type && signatures.length === others[i]!.signatures.length,
    )
  )
}

function isSame({ signatures }: Credential, other: Credential): boolean {
  return equalBytes(concat(signatures), concat(other.signatures))
}
