import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { throwIfAborted } from '../../node/transport/time-limit.ts'
import type { SendOptions } from '../options.ts'
import { type Content, contentDigest } from '../payments/content.ts'
import type { Engine, SignedDraft } from '../payments/engine.ts'
import { claimedPayments } from '../payments/payment-keys.ts'
import { redraftIntent } from '../payments/redraft.ts'
import type { Work } from '../payments/runner.ts'
import { StoreError } from '../store/errors.ts'
import type { ClaimedPayment, Outcome } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'

/** How a draft of a batch ended, or that it is pending and why. */
export type DraftOutcome =
  | (Outcome & {
      /** The draft of the accepted transaction: another one if the first was replaced. */
      readonly draft: Draft
    })
  | { readonly status: 'pending'; readonly txID: Uint8Array; readonly error: unknown }

/** How transactions of batches are drafted again. */
export type RedraftOptions = SendOptions & {
  /**
   * Maximum fee of a transaction of a batch that is drafted again, in nAVAX.
   *
   * @defaultValue `DEFAULT_MAX_FEE`
   */
  readonly maxFee?: bigint | undefined
}

/** The content of every transaction of a batch. `resume` recognizes them by it; their keys tell them apart. */
const CONTENT: Content = { kind: 'batch', parts: [] }

/** Whether payments are a transaction of a batch. */
export function isBatchTx(payments: readonly ClaimedPayment[], context: NetworkContext): boolean {
  const digest = contentDigest(CONTENT, context)
  return payments.every((payment) => equalBytes(payment.digest, digest))
}

/**
 * Drafts a transaction of a batch again: from those of its UTXOs that are listed now and with the current fee. Nothing but
 * the transaction is needed, so that another process can do it.
 */
export function redrafting(
  engine: Engine,
  payments: readonly ClaimedPayment[],
  { maxFee, ...options }: RedraftOptions,
): Work<SignedDraft> {
  return {
    draft: async ({ replaced, ended }, limits) => {
      const intent = redraftIntent(decodeTx(replaced[0]!.bytes), maxFee)
      const reserved = await engine.drafting.draft(intent, limits, replaced, ended)
      return engine.signable(reserved, { kind: 'payment', payments, isExplained: true }, options)
    },
    compare: ({ attempt, rejection }, limits) =>
      engine.compare(attempt, rejection?.code !== 'INSUFFICIENT_FUNDS', limits),
  }
}

/**
 * Claims, issues and waits for a draft of a batch. Throws only if nothing was claimed.
 *
 * @param redraft - options of another draft that replaces it
 * @param holder - what reserves UTXOs that the store refuses, so that the next plan leaves them behind
 */
export async function sendDraft(
  state: WalletState,
  engine: Engine,
  draft: Draft,
  options: SendOptions,
  redraft: RedraftOptions,
  holder: object,
): Promise<DraftOutcome> {
  throwIfAborted('wallet', options.signal)
  const { live } = state
  // The walk that the draft is based on is newer than the live set.
  if (!draft.utxos.every((utxo) => live.has(utxo))) live.walkAgain()
  const payments = claimedPayments({}, [CONTENT], draft.context)
  const again = redrafting(engine, payments, redraft)
  const work: Work<SignedDraft> = {
    ...again,
    draft: async (order, limits) => {
      if (order.replaced.length > 0) return again.draft(order, limits)
      const holder = {}
      live.reservations.reserve(draft.utxos, holder)
      const release = () => live.reservations.release(draft.utxos, holder)
      const reserved = { draft, fromHeight: live.nextHeight ?? 1n, leftBehind: [], release }
      return engine.signable(reserved, { kind: 'payment', payments, isExplained: false }, options)
    },
  }
  try {
    const goal = { kind: 'complete', replaces: true } as const
    const { outcome, info } = await engine.run(goal, payments, work, options)
    return { ...outcome, draft: info?.draft ?? draft }
  } catch (error) {
    const newest = state.pending.claims.attemptsFor(payments.map(({ key }) => key)).at(-1)
    if (newest !== undefined) return { status: 'pending', txID: newest.txID, error }
    if (!(error instanceof StoreError) || error.code !== 'INPUT_CLAIMED') throw error
    await state.readStore()
    // If no pending attempt has reserved a refused input, the store knows it as spent, but a server still lists it.
    live.reservations.reserveFree(error.inputs, holder)
    throw new FundsError('UTXO_RESERVED', 'another process has claimed UTXOs of the draft')
  }
}
