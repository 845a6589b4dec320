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
import type { Content } from './content.ts'
import { RECENT_MS } from './drafting.ts'
import type { Engine } from './engine.ts'
import { requireMade } from './payment-errors.ts'
import { claimedPayments } from './payment-keys.ts'
import type { Work } from './runner.ts'

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
  const work: Work<undefined> = {
    recall: (unpaid) => findMade(state, unpaid, [content], options),
    draft: async (_, limits) => {
      await state.view(limits, RECENT_MS)
      const fromHeight = state.live.nextHeight ?? 1n
      const claim = { kind: 'payment', payments, bytes, fromHeight } as const
      const effect = { signedTx: decoded, ours: state.addresses }
      return { sign: async () => ({ claim, info: undefined, effect }), release: () => {} }
    },
  }
  const ended = await engine.inTurn(payments, options, async () => {
    for (;;) {
      const known = await claimedBefore(state, bytes, payments)
      if (known !== undefined)
        return engine.run({ kind: 'complete' }, known, work, options, 'query')
      try {
        return await engine.run({ isGiven: true, queriesFirst: true }, payments, work, options)
      } catch (error) {
        const isClaimed = error instanceof StoreError && error.code === 'TX_CLAIMED'
        if (!isClaimed || !payments.every(({ generated }) => generated)) throw error
      }
    }
  })
  return { txID: requireMade(ended).outcome.txID }
}

/** The payments of an existing claim of the same transaction, which is used if the caller gives no key. */
async function claimedBefore(
  state: WalletState,
  bytes: Uint8Array,
  payments: readonly ClaimedPayment[],
): Promise<readonly ClaimedPayment[] | undefined> {
  if (!payments.every(({ generated }) => generated)) return undefined
  await state.readStore()
  const attempt = state.pending.attempt(idOf(bytes))
  return attempt && state.pending.claims.paymentsOf(attempt.keys)
}
