import { bytesOf, type Check, ignored, kinds, object } from '../../core/base/argument.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { hashToSign, txID as idOf } from '../../core/chain/x/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import { verifyTx } from '../../core/chain/x/verify/verify.ts'
import type { Signed } from '../../core/sign/job.ts'
import type { Receipt, RunOptions } from '../options.ts'
import { findMade } from '../recovery/find-made.ts'
import { StoreError } from '../store/errors.ts'
import type { ClaimedPayment } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import type { AttemptGroup } from './attempts.ts'
import { RECENT_MS } from './drafting.ts'
import type { Engine } from './engine.ts'
import { canceledError, rejectedError } from './payment-errors.ts'
import { type Content, claimedPayments } from './payment-keys.ts'

const signed: Check<Signed> = object<Signed>({
  // Only the bytes are read.
  complete: ignored,
  signedTx: ignored,
  bytes: bytesOf(),
  txID: ignored,
})

/** A signed transaction, as its bytes. The codec checks transactions. */
export const signedBytes: Check<Uint8Array> = kinds<Uint8Array>({
  bytes: bytesOf(),
  object: (value, at) =>
    'unsignedTx' in (value as object) ? encodeTx(value as SignedTx) : signed(value, at).bytes,
})

/** Claims, issues and waits for a transaction that was signed elsewhere. */
export async function submitTx(
  state: WalletState,
  engine: Engine,
  bytes: Uint8Array,
  options: RunOptions,
): Promise<Receipt> {
  const decoded = decodeTx(bytes)
  const context = await state.openPayments(state.call(options))
  verifyTx(decoded, context)
  const content: Content = {
    kind: 'submit',
    parts: [hex.encode(hashToSign(decoded.unsignedTx))],
  }
  const payments = claimedPayments(options, [content], context)
  return engine.inTurn(payments, options, async () => {
    const earlier =
      (await engine.findEarlier(payments)) ?? (await findMade(state, payments, [content], options))
    if (earlier?.txID !== undefined) return { txID: earlier.txID }
    await state.view(state.call(options), RECENT_MS)
    const group = earlier?.group ?? (await claimSubmitted(state, bytes, payments))
    const outcome = await engine.issueUntilDecided(group, options, { queryFirst: true })
    if (outcome.status === 'canceled') throw canceledError(group, outcome)
    if (outcome.status === 'rejected') throw rejectedError(group, outcome)
    return { txID: outcome.txID }
  })
}

/** Claims a transaction. Without a key of the caller, an existing claim of the same transaction is used. */
async function claimSubmitted(
  state: WalletState,
  bytes: Uint8Array,
  payments: readonly ClaimedPayment[],
): Promise<AttemptGroup> {
  for (;;) {
    try {
      const fromHeight = state.live.nextHeight ?? 1n
      return await state.claim({ kind: 'payment', payments, bytes, fromHeight })
    } catch (error) {
      const isClaimed = error instanceof StoreError && error.code === 'TX_CLAIMED'
      if (!isClaimed || payments.some(({ generated }) => !generated)) throw error
      await state.readStore()
      const group = state.pending.groupOf(idOf(bytes))
      // Undefined if the claim has ended meanwhile: then claim again.
      if (group !== undefined) return group
    }
  }
}
