import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { txSigners } from '../evidence/signatures.ts'
import type { RunOptions } from '../options.ts'
import { type Content, contentDigest, readContent } from '../payments/content.ts'
import { maybeMadeError } from '../payments/payment-errors.ts'
import { StoreError } from '../store/errors.ts'
import type { ClaimedPayment, PaymentRecord } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import type { UnrecordedTx } from './catch-up.ts'
import { mayHaveMade } from './made.ts'
import { derivingKeys, entropyContext } from './nonce-entropy.ts'
import { MAX_VARIANTS, variantOf } from './variant.ts'

/**
 * ID of the own transaction that has made payments although the store does not know it; undefined if there is none. Reads the
 * blocks since the newest one of the store first.
 *
 * @param given - contents of the payments; undefined for those that the store has recorded
 * @throws WalletError `PAYMENT_MAYBE_MADE` if it is not certain
 */
export async function findMade(
  state: WalletState,
  payments: readonly ClaimedPayment[],
  given: readonly Content[] | undefined,
  options: Pick<RunOptions, 'wait' | 'signal' | 'again'>,
): Promise<Uint8Array | undefined> {
  if (payments.every(({ generated }) => generated)) return undefined
  const call = state.call(options)
  await state.catchUp.run(call)
  const { unrecorded } = state.catchUp
  if (options.again || unrecorded.size === 0) return undefined
  const context = await state.context(call)
  const records = await state.store.payments(payments.map(({ key }) => key))
  const contents = given ?? recordedContents(records, context)
  /** Position of the first payment that a transaction may have made, or -1. */
  const paidBy = ({ tx }: UnrecordedTx) =>
    contents === undefined ? 0 : contents.findIndex((one) => mayHaveMade(one, tx, context))
  const similar = [...unrecorded.values()].filter((one) => paidBy(one) >= 0)
  // Other wallets with the same store may have recorded them since.
  const known = await state.catchUp.recorded(similar)
  const unknown = similar.filter(({ txID }) => !known.has(hex.encode(txID)))
  if (unknown.length === 0) return undefined
  // Another process may have taken the store over, and made them.
  await state.store.assertOwned()
  const doubt = (one: UnrecordedTx) => maybeMadeError(payments[paidBy(one)]!.key, one.txID)
  const groups = await groupsOf(state, payments, records)
  const backend = await state.backend()
  for (const one of unknown) {
    const group = groups.find((of) => isOf(one.tx, of, state, backend))
    if (group === undefined) continue
    await record(state, one, group, context).catch((error) => {
      // A store that does not keep it takes another one for the rival of an attempt. It is found again when it is needed.
      if (!(error instanceof StoreError) || error.code !== 'EVIDENCE_UNSPENT') throw error
    })
    // One transaction cannot make all payments any more.
    if (!payments.every(({ key }) => group.some((made) => made.key === key))) throw doubt(one)
    return one.txID
  }
  const rivals = rivalsOf(state, records)
  const doubtful = unknown.find(({ txID }) => !rivals.has(hex.encode(txID)))
  if (doubtful === undefined) return undefined
  throw doubt(doubtful)
}

/** The contents of payments; undefined if one is not recorded. */
function recordedContents(
  records: readonly PaymentRecord[],
  context: NetworkContext,
): Content[] | undefined {
  const contents = records.flatMap(({ digest, content: bytes }) => {
    const content = bytes && readContent(bytes)
    return content && equalBytes(contentDigest(content, context), digest!) ? [content] : []
  })
  return contents.length === records.length ? contents : undefined
}

/** Payments that one transaction may have made: those of the call, and those of each attempt for them that has ended. */
async function groupsOf(
  { store }: WalletState,
  payments: readonly ClaimedPayment[],
  records: readonly PaymentRecord[],
): Promise<(readonly ClaimedPayment[])[]> {
  const groups = [payments]
  for (const { keys } of records.flatMap(({ ended = [] }) => ended)) {
    const isKnown = groups.some(
      (group) => group.length === keys.length && group.every(({ key }) => keys.includes(key)),
    )
    if (isKnown) continue
    const others = await store.payments(keys)
    groups.push(others.map(({ key, digest, generated }) => ({ key, digest: digest!, generated })))
  }
  return groups
}

/** IDs, as hex, of what has rejected payments and is certainly no later attempt for them: none with external signers. */
function rivalsOf(
  { options: { keys, signers = [] } }: WalletState,
  records: readonly PaymentRecord[],
): Set<string> {
  if (keys?.derivedEntropy === undefined || signers.length > 0) return new Set()
  return new Set(records.flatMap(({ txID }) => (txID ? [hex.encode(txID)] : [])))
}

/** Tells the store that a transaction has made payments. */
async function record(
  { store, catchUp }: WalletState,
  { txID, tx, height }: UnrecordedTx,
  payments: readonly ClaimedPayment[],
  { networkID, chainID }: NetworkContext,
): Promise<void> {
  const bytes = encodeTx(tx)
  await store.bind({ networkID, chainID, found: [{ height, bytes }] })
  await store.claim({ kind: 'payment', payments, bytes, fromHeight: height })
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
