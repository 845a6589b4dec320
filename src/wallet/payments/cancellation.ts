import { FundsError } from '../../core/coins/errors.ts'
import { buildImport } from '../../core/draft/x/import.ts'
import { buildTransfer } from '../../core/draft/x/transfer.ts'
import type { SendOptions } from '../options.ts'
import { StoreError } from '../store/errors.ts'
import type { ClaimedPayment } from '../store/store.ts'
import { exportingChainOf } from '../utxos/reservations.ts'
import type { WalletState } from '../wallet-state.ts'
import type { AttemptGroup } from './attempts.ts'
import type { Engine } from './engine.ts'
import type { Intent } from './intents.ts'
import { EVIDENCE_AMOUNT } from './own-outputs.ts'
import { cannotCancel } from './payment-errors.ts'
import { requireKeyText } from './payment-keys.ts'

/** How a cancellation ended. */
export type CancelResult = {
  /** `accepted`: the payment was accepted before the cancellation. */
  readonly status: 'accepted' | 'canceled'
  /**
   * If `accepted`, the payment. If `canceled`, the cancellation, or a third transaction that spent an input of the
   * payment first.
   */
  readonly txID: Uint8Array
}

/**
 * Sends the pinned UTXOs back to the wallet. They include an input of every attempt, so it conflicts with all of them. It
 * has an output of the wallet for every payment of the group: each of them may be made again, and then spends one.
 */
function cancelIntent({ payments }: AttemptGroup): Intent {
  return {
    contents: () => [],
    draft: ({ context, utxos, owners, now, pinned = [] }) => {
      const funds = { utxos, owners, now }
      const to = owners[0]!
      const [first] = pinned
      const sourceChain = first && exportingChainOf(utxos, first)
      if (sourceChain !== undefined)
        return buildImport({ context, funds, sourceChain, utxos: pinned, to, changeTo: to })
      const outputs = payments.map(() => ({ to, amount: EVIDENCE_AMOUNT }))
      const options = { context, funds: { ...funds, pinned }, changeTo: to }
      // Usually the change is one of the outputs.
      const draft = buildTransfer({ ...options, outputs: outputs.slice(1) })
      return draft.unsignedTx.outputs.length >= outputs.length
        ? draft
        : buildTransfer({ ...options, outputs })
    },
  }
}

/**
 * Cancels a pending payment: spends an input of each of its attempts back to the wallet, and waits until the payment or
 * the cancellation is accepted. An import that spends no UTXO of the X-Chain itself is canceled by importing the same
 * UTXOs to the wallet. If a third transaction has spent inputs of all attempts, the payment is recorded as
 * canceled in the store: otherwise a call that is still running, maybe in another process, would make it again.
 *
 * @throws StoreError `KEY_UNKNOWN`, WalletError `CANNOT_CANCEL`, `TX_PENDING`
 */
export async function cancelPayment(
  state: WalletState,
  engine: Engine,
  key: string,
  options: SendOptions,
): Promise<CancelResult> {
  requireKeyText(key)
  await state.openPayments(state.call(options))
  for (;;) {
    const [record] = await state.store.payments([key])
    const { status, txID, digest, generated } = record!
    if (status === 'unknown')
      throw new StoreError('KEY_UNKNOWN', `no payment has the key ${JSON.stringify(key)}`, {
        keys: [key],
      })
    if (status === 'accepted' || status === 'canceled') return { status, txID: txID! }
    if (status === 'pending') await state.readStore()
    const group = state.pending.group(key)
    if (status === 'pending' && group !== undefined) {
      const payment = { key, digest: digest!, generated }
      const claim = (wait = options.wait) =>
        claimCancellation(state, engine, group, payment, { ...options, wait })
      const queryFirst = group.attempts.some(({ kind }) => kind === 'cancellation')
      if (queryFirst || (await claim())) {
        const { status, txID } = await engine.issueUntilDecided(group, options, {
          queryFirst,
          replace: claim,
        })
        if (status !== 'rejected') return { status, txID }
      } else if (group.outcome?.status === 'accepted')
        return { status: 'accepted', txID: group.outcome.txID }
    }
    // Has no effect if another process has made the payment pending again.
    await state.store.cancel(key)
  }
}

/** Claims a cancellation. False if the payment has ended or changed meanwhile, so that there is nothing to cancel. */
async function claimCancellation(
  state: WalletState,
  engine: Engine,
  group: AttemptGroup,
  payment: ClaimedPayment,
  options: SendOptions,
): Promise<boolean> {
  const drafting = engine.drafting.draft(cancelIntent(group), state.call(options), group)
  const reserved = await drafting.catch((error) => {
    // If the payment has ended, there may be nothing left to draft from.
    if (group.outcome !== undefined) return undefined
    if (!(error instanceof FundsError)) throw error
    throw cannotCancel(group, 'funds do not suffice for its fee and an output per payment', error)
  })
  if (reserved === undefined) return false
  try {
    await engine.claimDraft(reserved, [payment], options, false, { kind: 'cancellation' })
    return true
  } catch (error) {
    const isDecided =
      error instanceof StoreError &&
      ['KEY_ACCEPTED', 'KEY_UNKNOWN', 'KEY_PENDING'].includes(error.code)
    if (!isDecided) throw error
    return false
  } finally {
    reserved.release()
  }
}
