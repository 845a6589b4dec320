import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { txSigners } from '../evidence/signatures.ts'
import type { RunOptions } from '../options.ts'
import type { Content } from '../payments/content.ts'
import { maybeMadeError } from '../payments/payment-errors.ts'
import { StoreError } from '../store/errors.ts'
import type { ClaimedPayment } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import type { UnrecordedTx } from './catch-up.ts'
import { mayHaveMade } from './made.ts'
import { derivingKeys, entropyContext } from './nonce-entropy.ts'
import { MAX_VARIANTS, variantOf } from './variant.ts'

/**
 * ID of the own transaction that has made payments although the store does not know it; undefined if there is none. Reads the
 * blocks since the newest one of the store first.
 *
 * @param contents - of the payments; undefined if they are not known, so that only certainty counts
 * @throws WalletError `PAYMENT_MAYBE_MADE` if it is not certain
 */
export async function findMade(
  state: WalletState,
  payments: readonly ClaimedPayment[],
  contents: readonly Content[] | undefined,
  options: Pick<RunOptions, 'wait' | 'signal' | 'again'>,
): Promise<Uint8Array | undefined> {
  if (payments.every(({ generated }) => generated)) return undefined
  const call = state.call(options)
  await state.catchUp.run(call)
  const { unrecorded } = state.catchUp
  if (options.again || unrecorded.size === 0) return undefined
  const context = await state.context(call)
  const isSimilar = ({ tx }: UnrecordedTx) =>
    contents === undefined || contents.some((content) => mayHaveMade(content, tx, context))
  const similar = [...unrecorded.values()].filter(isSimilar)
  // Other wallets with the same store may have recorded them since.
  const known = await state.catchUp.recorded(similar)
  const unknown = similar.filter(({ txID }) => !known.has(hex.encode(txID)))
  if (unknown.length === 0) return undefined
  const backend = await state.backend()
  const made = unknown.find(({ tx }) => isOf(tx, payments, state, backend))
  if (made === undefined) {
    const rivals = await rivalsOf(state, payments)
    const doubtful = unknown.find(({ txID }) => !rivals.has(hex.encode(txID)))
    if (contents === undefined || doubtful === undefined) return undefined
    const at = contents.findIndex((content) => mayHaveMade(content, doubtful.tx, context))
    throw maybeMadeError(payments[at]!.key, doubtful.txID)
  }
  await record(state, made, payments).catch((error) => {
    // The store takes another transaction for the rival of an attempt that it knows. It is found again when it is needed.
    if (!(error instanceof StoreError) || error.code !== 'EVIDENCE_UNSPENT') throw error
  })
  return made.txID
}

/** IDs, as hex, of what has rejected the payments and is certainly no later attempt for them: none with external signers. */
async function rivalsOf(
  { store, options: { keys, signers = [] } }: WalletState,
  payments: readonly ClaimedPayment[],
): Promise<Set<string>> {
  if (keys?.derivedEntropy === undefined || signers.length > 0) return new Set()
  const records = await store.payments(payments.map(({ key }) => key))
  return new Set(records.flatMap(({ txID }) => (txID ? [hex.encode(txID)] : [])))
}

/** Tells the store that a transaction has made payments. */
async function record(
  { store, catchUp }: WalletState,
  { txID, tx, height }: UnrecordedTx,
  payments: readonly ClaimedPayment[],
): Promise<void> {
  await store.claim({ kind: 'payment', payments, bytes: encodeTx(tx), fromHeight: height })
  await store.recordAcceptance({ txID, inputs: consumedUTXOs(tx.unsignedTx) })
  catchUp.unrecorded.delete(hex.encode(txID))
}

/** Whether a transaction was signed with the nonces of exactly these payments, or is a variant of one that was. */
function isOf(
  tx: SignedTx,
  payments: readonly ClaimedPayment[],
  { options: { keys }, storeID }: WalletState,
  backend: Secp256k1Backend,
): boolean {
  const context = entropyContext(storeID, payments)
  if (keys?.derivedEntropy === undefined || context === undefined) return false
  if (!txSigners(tx, backend).every((signer) => keys.has(signer))) return false
  const bytes = encodeTx(tx)
  // Undefined if the signatures are the same.
  let variant = variantOf(tx, derivingKeys(keys, context), backend) ?? bytes
  for (let i = 0; i < MAX_VARIANTS && !equalBytes(variant, bytes); i++)
    variant = variantOf(decodeTx(variant), keys, backend) ?? variant
  return equalBytes(variant, bytes)
}
