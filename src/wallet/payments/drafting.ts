import { equalBytes } from '../../core/base/bytes/compare.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { BuildError } from '../../core/draft/errors.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import { type Clock, countdown } from '../../node/clock.ts'
import type { CallOptions } from '../../node/http.ts'
import { onAbort } from '../../node/transport/abort.ts'
import { throwIfAborted } from '../../node/transport/time-limit.ts'
import { requiredInputs } from '../store/rivals.ts'
import type { Attempt, EndedAttempt } from '../store/store.ts'
import type { LiveUTXOs } from '../utxos/live-utxos.ts'
import { exportingChainOf } from '../utxos/reservations.ts'
import { conflictingInputs, distinctUTXOs } from './conflicts.ts'
import type { Intent, WalletView } from './intents.ts'
import { cannotCancel } from './payment-errors.ts'

/** A draft whose UTXOs are reserved. */
export type Reserved = {
  readonly draft: Draft
  /** Height of the first block that may spend them: they were unspent before it. */
  readonly fromHeight: bigint
  /** For a draft of a whole balance: UTXOs that are left out because servers disagree about them. */
  readonly leftBehind: readonly LeftBehind[]
  readonly release: () => void
}

/** The parts of the wallet that drafting uses. */
export type DraftingOptions = {
  readonly clock: Clock
  readonly live: LiveUTXOs
  /** The current view, from blocks read at most `maxAgeMs` ago, for a new draft or one that replaces attempts. */
  readonly view: (
    call: CallOptions,
    maxAgeMs: number,
    replaced: readonly Attempt[],
  ) => Promise<WalletView>
  /** Adds UTXOs that only some of several servers list. */
  readonly complete: (call: CallOptions) => Promise<void>
  /** The change address of the next draft, if it is not that of the view. */
  readonly changeTo: () => Uint8Array | undefined
  /** Keeps the change address of a draft from other drafts; returns a function that ends this. */
  readonly hold: (draft: Draft) => () => void
}

/** Maximum age of the poll for blocks that a draft is based on. */
export const RECENT_MS = 2_000

/** Pause between polls for blocks while a draft waits for reserved UTXOs; no other call may be following blocks. */
const RESERVED_POLL_MS = 500

/** Drafts transactions and reserves what they spend. */
export class Drafting {
  private readonly options: DraftingOptions

  constructor(options: DraftingOptions) {
    this.options = options
  }

  /**
   * Drafts and reserves in one step, so that two calls never choose the same UTXO. If funds are insufficient only
   * because UTXOs are reserved, it waits for the payments that reserve them: their change may be sufficient.
   *
   * @param replaced - pending attempts that the draft must conflict with
   * @param ended - attempts for the same payments that have ended, with the outputs of which the draft must spend one
   */
  async draft(
    intent: Intent,
    call: CallOptions & { readonly totalMs: number },
    replaced: readonly Attempt[] = [],
    ended: readonly EndedAttempt[] = [],
  ): Promise<Reserved> {
    const { clock, live, view: viewAt } = this.options
    const remainingMs = countdown(clock, call.totalMs)
    let maxAgeMs = RECENT_MS
    let isWalked = false
    if (intent.whole !== undefined) await this.options.complete(call)
    for (;;) {
      const view = await viewAt(call, maxAgeMs, replaced)
      throwIfAborted('wallet', call.signal)
      try {
        return this.reserveDraft(intent, view, replaced, ended)
      } catch (error) {
        // Later blocks may have created the missing UTXOs.
        if (maxAgeMs > 0 && isShortOfFunds(error)) {
          maxAgeMs = 0
          continue
        }
        if (live.reservations.isEmpty || !isCoveredByReserved(error)) {
          if (isWalked || !isShortOfFunds(error)) throw error
          // A server may have omitted UTXOs from the initial walk: walk again before reporting insufficient funds.
          isWalked = true
          live.walkAgain()
          continue
        }
        if (!(await this.waitForChange(remainingMs, call.signal))) throw error
      }
    }
  }

  private reserveDraft(
    intent: Intent,
    view: WalletView,
    replaced: readonly Attempt[],
    ended: readonly EndedAttempt[],
  ): Reserved {
    const { reservations, nextHeight: fromHeight = 1n } = this.options.live
    const shared = replaced.flatMap(({ inputs }) => inputs)
    const whole = intent.whole?.(view.context)
    const leftBehind = view.disputed.filter((one) => whole && equalBytes(one.assetID, whole))
    return reservations.withReleased(shared, () => {
      const conflicting = this.conflictsWith(replaced)
      const pinned = distinctUTXOs([...conflicting, ...this.evidenceFor(ended, conflicting)])
      // Read again: another draft may have got the change address of the view meanwhile.
      const changeTo = this.options.changeTo?.() ?? view.changeTo
      const draft = intent.draft({ ...view, changeTo, pinned })
      const holder = {}
      reservations.reserve(draft.utxos, holder, shared)
      const releaseChange = this.options.hold(draft)
      const release = () => {
        reservations.release(draft.utxos, holder)
        releaseChange()
      }
      return { draft, fromHeight, leftBehind, release }
    })
  }

  /**
   * Inputs that show that the rivals of ended attempts were accepted, or that conflict with these attempts. Those that
   * are reserved are waited for.
   *
   * @param spent - inputs that the draft has anyway; attempts that one of them is sufficient for are left out
   * @throws FundsError `UTXO_RESERVED`, `UTXO_NOT_FOUND`
   */
  private evidenceFor(ended: readonly EndedAttempt[], spent: readonly UTXOID[]): UTXOID[] {
    const { set } = this.options.live
    const names = new Set(spent.map(utxoKey))
    const required = ended.flatMap((one) => {
      const inputs = requiredInputs(one)
      const isShown = inputs.length === 0 || inputs.some((id) => names.has(utxoKey(id)))
      return isShown ? [] : [{ inputs }]
    })
    const isListed = (id: UTXOID) => set.get(id)?.output.type === 'secp256k1fx.TransferOutput'
    const inputs = conflictingInputs(required, (id) => isListed(id) && !set.isReserved(id, 0n))
    if (inputs !== undefined) return inputs
    const mayBeReleased = conflictingInputs(required, isListed) !== undefined
    throw new FundsError(
      mayBeReleased ? 'UTXO_RESERVED' : 'UTXO_NOT_FOUND',
      `a payment that was rejected must spend an output of the transaction that rejected it, and none is ${mayBeReleased ? 'free' : 'listed'}`,
      [],
      { hint: 'nothing was signed; call again with the same key' },
    )
  }

  /**
   * Inputs that another attempt must spend: as few as possible or, if only atomic ones are available, all of these, because
   * a single one may not be worth the fee.
   *
   * @throws WalletError `CANNOT_CANCEL`
   */
  private conflictsWith(replaced: readonly Attempt[]): UTXOID[] {
    const paying = replaced.filter(({ kind }) => kind !== 'cancellation')
    const { set } = this.options.live
    const isLocal = (id: UTXOID) => set.get(id)?.output.type === 'secp256k1fx.TransferOutput'
    const isAtomic = (id: UTXOID) => exportingChainOf(set, id) !== undefined
    const inputs = conflictingInputs(paying, isLocal)
    if (inputs !== undefined) return inputs
    if (conflictingInputs(paying, isAtomic) !== undefined)
      return paying.flatMap((attempt) => attempt.inputs.filter(isAtomic))
    throw cannotCancel(
      replaced,
      'no input of a pending attempt is available to spend in another transaction',
    )
  }

  /** Waits until UTXOs change or blocks should be read again. False if no time is left. */
  private async waitForChange(
    remainingMs: () => number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { clock, live } = this.options
    const maxMs = remainingMs()
    if (maxMs <= 0) return false
    const stop = new AbortController()
    const forget = onAbort(signal, () => stop.abort())
    const change = live.changed(stop.signal)
    const timeout = clock.sleep(Math.min(maxMs, RESERVED_POLL_MS), stop.signal).catch(() => {})
    await Promise.race([change, timeout])
    stop.abort()
    forget()
    throwIfAborted('wallet', signal)
    return remainingMs() > 0
  }
}

function isShortOfFunds(error: unknown): boolean {
  return (
    (error instanceof FundsError && error.code !== 'FUNDS_DO_NOT_FIT') ||
    (error instanceof BuildError && error.code === 'NO_USABLE_UTXO')
  )
}

/** Whether the funds would or may be sufficient with the UTXOs that are reserved now. */
function isCoveredByReserved(error: unknown): boolean {
  if (error instanceof FundsError)
    return (
      error.code === 'UTXO_RESERVED' ||
      (error.assets.some(({ reserved }) => reserved > 0n) &&
        error.assets.every(({ needed, available, reserved }) => available + reserved >= needed))
    )
  // This error does not tell whether a missing UTXO, such as a right to mint, is reserved.
  return error instanceof BuildError && error.code === 'NO_USABLE_UTXO'
}
