import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { buildImport } from '../../core/draft/x/import.ts'
import { buildTransfer } from '../../core/draft/x/transfer.ts'
import { EVIDENCE_AMOUNT } from '../evidence/own-outputs.ts'
import type { SendOptions } from '../options.ts'
import { findMade } from '../recovery/find-made.ts'
import type { Attempt } from '../store/store.ts'
import { exportingChainOf } from '../utxos/reservations.ts'
import type { WalletState } from '../wallet-state.ts'
import { distinctUTXOs } from './conflicts.ts'
import type { Engine, SignedDraft } from './engine.ts'
import type { Intent, WalletView } from './intents.ts'
import { cannotCancel } from './payment-errors.ts'
import { requireKeyText } from './payment-keys.ts'
import type { Work } from './runner.ts'

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
 * Sends the pinned UTXOs back to the wallet. They include an input of every attempt, so it conflicts with all of them, and
 * what shows how earlier attempts have ended: otherwise one of these might be accepted after the cancellation. It has an
 * output of the wallet for every payment that is made with the canceled one: each of them may be made again, and then
 * spends one. If the funds do not suffice, all inputs of the attempts are pinned, because their change of other assets is
 * an output, too.
 *
 * @param payments - number of these payments, the canceled one included
 */
function cancelIntent(payments: number, attempts: readonly Attempt[]): Intent {
  return {
    contents: () => [],
    draft: (view) => {
      const { context, utxos, owners, now, pinned = [] } = view
      const [first] = pinned
      const sourceChain = first && exportingChainOf(utxos, first)
      if (sourceChain !== undefined) {
        const [to] = owners
        const funds = { utxos, owners, now }
        return buildImport({ context, funds, sourceChain, utxos: pinned, to: to!, changeTo: to })
      }
      try {
        return returnAll(view, pinned, payments)
      } catch (error) {
        if (!(error instanceof FundsError)) throw error
        const isListed = (id: UTXOID) => utxos.get(id)?.output.type === 'secp256k1fx.TransferOutput'
        const inputs = attempts.flatMap((attempt) => attempt.inputs.filter(isListed))
        return returnAll(view, distinctUTXOs([...pinned, ...inputs]), payments)
      }
    },
  }
}

/** Sends UTXOs back to the wallet, with at least `count` outputs. Change of each asset is one of them. */
function returnAll(
  { context, utxos, owners, now }: WalletView,
  pinned: readonly UTXOID[],
  count: number,
): Draft<'X'> {
  const to = owners[0]!
  const options = { context, funds: { utxos, owners, now, pinned }, changeTo: to }
  for (let added = 0; ; ) {
    const outputs = Array.from({ length: added }, () => ({ to, amount: EVIDENCE_AMOUNT }))
    const draft = buildTransfer({ ...options, outputs })
    const missing = count - draft.unsignedTx.outputs.length
    if (missing <= 0) return draft
    added += missing
  }
}

/** Why a cancellation cannot be drafted. */
function reasonOf({ code }: FundsError): string {
  const isUnshown = code === 'UTXO_NOT_FOUND' || code === 'UTXO_RESERVED'
  return isUnshown
    ? 'no output is available that shows how an earlier attempt has ended'
    : 'funds do not suffice for its fee and an output per payment'
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
  const { claims } = state.pending
  const draft: Work<SignedDraft>['draft'] = async ({ replaced, ended }, limits) => {
    const intent = cancelIntent(claims.groupOf(key)?.payments.length ?? 1, replaced)
    const reserved = await engine.drafting.draft(intent, limits, replaced, ended).catch((error) => {
      if (!(error instanceof FundsError)) throw error
      throw cannotCancel(replaced, reasonOf(error), error)
    })
    const payments = claims.paymentsOf([key])
    return engine.signable(
      reserved,
      { kind: 'cancellation', payments, isExplained: false },
      options,
    )
  }
  const { outcome } = await engine.run(
    { kind: 'cancel', key, replaces: true },
    // Once the store is read, all payments that are made with it.
    [{ key, digest: new Uint8Array() }],
    {
      recall: (unpaid) => findMade(state, unpaid, undefined, options),
      draft,
      compare: ({ attempt, rejection }, limits) =>
        engine.compare(attempt, rejection?.code !== 'INSUFFICIENT_FUNDS', limits),
    },
    options,
    'look',
  )
  const { status, txID } = outcome
  return { status: status === 'accepted' ? status : 'canceled', txID }
}
