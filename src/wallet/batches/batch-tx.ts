import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { throwIfAborted } from '../../node/transport/time-limit.ts'
import type { SendOptions, WalletWait } from '../options.ts'
import type { AttemptGroup } from '../payments/attempts.ts'
import type { Engine } from '../payments/engine.ts'
import { type Content, claimedPayments, contentDigest } from '../payments/payment-keys.ts'
import { redraftIntent } from '../payments/redraft.ts'
import { StoreError } from '../store/errors.ts'
import type { Attempt, Outcome } from '../store/store.ts'
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

/** Whether a group makes a transaction of a batch. */
export function isBatchTx({ payments }: AttemptGroup, context: NetworkContext): boolean {
  const digest = contentDigest(CONTENT, context)
  return payments.every((payment) => equalBytes(payment.digest, digest))
}

/**
 * Claims another attempt for a transaction of a batch, from those of its UTXOs that are listed now and with the current
 * fee. Undefined if it has ended or is being canceled.
 */
export async function replaceBatchTx(
  engine: Engine,
  group: AttemptGroup,
  { maxFee, ...options }: RedraftOptions,
): Promise<{ readonly draft: Draft } | undefined> {
  const { attempts, payments } = group
  const [first] = attempts
  if (first === undefined || attempts.some(({ kind }) => kind === 'cancellation')) return undefined
  const intent = redraftIntent(decodeTx(first.bytes), maxFee)
  return engine.attempt(intent, payments, options, true, group)
}

/**
 * Claims, issues and waits for a draft of a batch. Throws only if nothing was claimed.
 *
 * @param redraft - options of another draft that replaces it
 */
export async function sendDraft(
  state: WalletState,
  engine: Engine,
  draft: Draft,
  options: SendOptions,
  redraft: RedraftOptions,
): Promise<DraftOutcome> {
  throwIfAborted('wallet', options.signal)
  const { live } = state
  // The walk that the draft is based on is newer than the live set.
  if (!draft.utxos.every((utxo) => live.has(utxo))) live.walkAgain()
  const holder = {}
  live.reservations.reserve(draft.utxos, holder)
  const fromHeight = live.nextHeight ?? 1n
  try {
    const payments = claimedPayments({}, [CONTENT], draft.context)
    const reserved = { draft, fromHeight }
    const { group } = await engine.claimDraft(reserved, payments, options, false)
    const txID = group.attempts.at(-1)!.txID.slice()
    let earlier: readonly Attempt[] = []
    let newest = draft
    const replace = async (wait: WalletWait) => {
      const before = [...group.attempts]
      const replaced = await replaceBatchTx(engine, group, { ...redraft, wait })
      if (replaced === undefined) return false
      earlier = before
      newest = replaced.draft
      return true
    }
    try {
      const outcome = await engine.issueUntilDecided(group, options, { queryFirst: false, replace })
      const isEarlier = earlier.some((attempt) => equalBytes(attempt.txID, outcome.txID))
      return { ...outcome, draft: isEarlier ? draft : newest }
    } catch (error) {
      return { status: 'pending', txID: group.attempts.at(-1)?.txID ?? txID, error }
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'INPUT_CLAIMED') {
      await state.readStore()
      throw new FundsError('UTXO_RESERVED', 'another process has claimed UTXOs of the draft')
    }
    throw error
  } finally {
    live.reservations.release(draft.utxos, holder)
  }
}
