import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { OutputOwners, SignerInput } from '../../core/chain/owners.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { type Credential, isCredential } from '../../core/chain/x/fx.ts'
import { hashToSign } from '../../core/chain/x/ids.ts'
import { spendsOf } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { CryptoError } from '../../core/crypto/errors.ts'
import { addressOf } from '../../core/crypto/secp256k1.ts'

/** Signatures, and what they sign. */
type Signatures = {
  readonly credential: Pick<Credential, 'signatures'>
  readonly hash: Uint8Array
}

/** The part of a transaction that spends one UTXO. */
type SignedInput = Signatures & { readonly input: SignerInput }

/**
 * Whether a transaction spends a UTXO with the signatures of its owners. Only then is it evidence that the UTXO was
 * spent: a dishonest node can invent transactions, but not these signatures.
 *
 * @param parent - the transaction that created the UTXO and names its owners
 */
export function isSignedByOwners(
  tx: SignedTx,
  id: UTXOID,
  parent: SignedTx,
  backend: Secp256k1Backend,
): boolean {
  const output = createdUTXOs(parent, id.txID)[id.outputIndex]?.output
  const spend = spendOf(tx, id)
  return output !== undefined && spend !== undefined && isSignedBy(output, spend, backend)
}

/**
 * Like {@link isSignedByOwners}, without the transaction that created the UTXO, which may be on another chain: the
 * transaction must have signatures of the same keys as `own`, a transaction of this wallet that spends the UTXO. If
 * these are not the owners, `own` can never be accepted.
 */
export function isSignedLike(
  tx: SignedTx,
  id: UTXOID,
  own: SignedTx,
  backend: Secp256k1Backend,
): boolean {
  const spend = spendOf(tx, id)
  const ours = spendOf(own, id)
  return spend !== undefined && ours !== undefined && haveSameSigners(spend, ours, backend)
}

/** Like {@link isSignedByOwners}, for a UTXO whose owners are known. */
export function isSignedFor(
  tx: SignedTx,
  id: UTXOID,
  owners: OutputOwners,
  backend: Secp256k1Backend,
): boolean {
  const spend = spendOf(tx, id)
  return spend !== undefined && isSignedBy(owners, spend, backend)
}

/** The addresses whose keys signed a transaction. Skips invalid signatures, which only a dishonest node shows. */
export function txSigners(tx: SignedTx, backend: Secp256k1Backend): Uint8Array[] {
  const hash = hashToSign(tx.unsignedTx)
  const distinct = new Map(txSignatures(tx).map((signature) => [hex.encode(signature), signature]))
  const credential = { signatures: [...distinct.values()] }
  return recoveredSigners({ credential, hash }, backend).filter((one) => one !== undefined)
}

/** All signatures of a transaction. */
export function txSignatures({ credentials }: SignedTx): Uint8Array[] {
  return credentials.flatMap((slot) => (isCredential(slot) ? slot.signatures : []))
}

/** Equals no address. */
const NO_ADDRESS: Uint8Array = /* @__PURE__ */ new Uint8Array()

/** The input and credential that spend a UTXO; undefined if the transaction does not spend it. */
function spendOf(tx: SignedTx, id: UTXOID): SignedInput | undefined {
  const { unsignedTx, credentials } = tx
  // In a transaction that can be accepted, every operation spends exactly one UTXO.
  const spends = spendsOf(unsignedTx)
  const at = spends.findIndex(({ utxoIDs }) =>
    utxoIDs.some((one) => one.outputIndex === id.outputIndex && equalBytes(one.txID, id.txID)),
  )
  const input = spends[at]?.signers
  const credential = credentials[at]
  if (input === undefined || credential === undefined || !isCredential(credential)) return undefined
  if (credentials.length !== spends.length) return undefined
  return { input, credential, hash: hashToSign(unsignedTx) }
}

function isSignedBy(
  { threshold, addresses }: OutputOwners,
  spend: SignedInput,
  backend: Secp256k1Backend,
): boolean {
  const { signatureIndices } = spend.input
  const signers = recoveredSigners(spend, backend)
  // An output without owners needs no signature, so spending it proves nothing.
  return (
    threshold > 0 &&
    signatureIndices.length === threshold &&
    signers.length === threshold &&
    new Set(signatureIndices).size === threshold &&
    signatureIndices.every((index, slot) => {
      const owner = addresses[index]
      const signer = signers[slot]
      return owner !== undefined && signer !== undefined && equalBytes(owner, signer)
    })
  )
}

/** Whether two lists of signatures are valid and of the same keys, in the same order. */
export function haveSameSigners(
  one: Signatures,
  other: Signatures,
  backend: Secp256k1Backend,
): boolean {
  const found = recoveredSigners(one, backend)
  const expected = recoveredSigners(other, backend)
  return (
    found.length > 0 &&
    found.length === expected.length &&
    found.every(
      (signer, i) => signer !== undefined && equalBytes(signer, expected[i] ?? NO_ADDRESS),
    )
  )
}

/** The address behind each signature; undefined for one that is invalid. */
export function recoveredSigners(
  { credential, hash }: Signatures,
  backend: Secp256k1Backend,
): (Uint8Array | undefined)[] {
  return credential.signatures.map((signature) => {
    try {
      return addressOf(backend.recover(hash, signature))
    } catch (error) {
      if (error instanceof CryptoError) return undefined
      throw error
    }
  })
}
