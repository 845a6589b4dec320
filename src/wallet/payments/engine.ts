import { equalBytes } from '../../core/base/bytes/compare.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import { explainDraft } from '../../core/sign/explain/explain.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import { requireSigned, type SignResult } from '../../core/sign/job.ts'
import { countdown } from '../../node/clock.ts'
import { throwIfAborted } from '../../node/transport/time-limit.ts'
import { WalletError } from '../errors.ts'
import type { Prepared, Receipt, RunOptions, SendOptions, WalletWait } from '../options.ts'
import { findMade } from '../recovery/find-made.ts'
import { derivingKeys, entropyContext, nonceEntropy } from '../recovery/nonce-entropy.ts'
import { StoreError } from '../store/errors.ts'
import type { Claim, ClaimedPayment, EndedAttempt, Outcome } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import type { AttemptGroup } from './attempts.ts'
import { Drafting, type Reserved } from './drafting.ts'
import type { Intent } from './intents.ts'
import { type DriveOptions, Issuer } from './issuer.ts'
import { KeyTurns } from './key-turns.ts'
import { isInputNotFound, isOutdated, isRefusedAsOutdated } from './outdated.ts'
import { canceledError, keyConflict, pendingError, rejectedError } from './payment-errors.ts'
import { type Content, claimedPayments, paymentContents } from './payment-keys.ts'
import { signWithAll } from './signing.ts'

/** Claims another attempt within a time limit; returns whether it did. */
type Replace = (wait: WalletWait) => Promise<boolean>

/** The group of a claimed attempt, and what was signed. */
type Claimed = {
  readonly group: AttemptGroup
  readonly draft: Draft
  readonly explanation: Explanation | undefined
  readonly leftBehind: readonly LeftBehind[]
}

/**
 * The payment engine. Single payments, the transactions of batches, imports and cancellations all follow the same path:
 *
 * ```
 *            draft, reserve, confirm, sign
 *                       │
 *                    claim ─── KEY_CONFLICT …: nothing happened
 *                       │
 *        ┌──────────► pending ◄─────────────┐
 *        │              │                   │ newest attempt refused by every server, fee or UTXOs differ:
 *        │            issue ────────────────┘ claim another attempt that spends one of its inputs
 *        │              │
 *        │   block or getTx (with proof)
 *        │     ┌────────┼──────────────┐
 *        │  attempt   rival       cancellation
 *        │     │        │              │
 *        │  accepted  rejected     canceled
 *        │              │
 *        └──────────────┘ new attempt, any inputs, at most maxRebuilds times
 * ```
 *
 * A rival is a transaction that is not an attempt of the store and spends an input of one.
 *
 * These invariants hold whatever servers answer: a claim is durable before its bytes are sent; the store refuses
 * attempts that do not conflict with the pending ones for their keys, so that a payment is made at most once; only
 * `Outcomes`, with evidence from the chain, ends an attempt; every draft is signed with fresh nonce entropy, so that
 * equal payments have different IDs; the store belongs to one network.
 */
export class Engine {
  private readonly state: WalletState
  readonly drafting: Drafting
  readonly issuer: Issuer
  /** Completes a pending move; set by cross-chain wallets only. */
  completeMove: ((group: AttemptGroup, options: SendOptions) => Promise<Outcome>) | undefined
  private readonly turns = new KeyTurns()

  constructor(state: WalletState) {
    const { clock, live } = state
    this.state = state
    this.drafting = new Drafting({
      clock,
      live,
      view: (call, maxAgeMs, replaced) => state.view(call, maxAgeMs, replaced),
      complete: (call) => state.complete(call),
    })
    this.issuer = new Issuer(state)
  }

  /** Drafts, reserves and explains. */
  async prepare(intent: Intent, options: SendOptions): Promise<Prepared> {
    const { draft, release } = await this.drafting.draft(intent, this.state.call(options))
    try {
      return { draft, release, explanation: await this.explain(draft, options) }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Makes a payment, or returns the receipt of the one that was made under the same key. */
  async pay(intent: Intent, options: RunOptions): Promise<Receipt> {
    const context = await this.state.openPayments(this.state.call(options))
    const all = intent.contents(context)
    const payments = claimedPayments(options, all, context)
    const contents = paymentContents(options, all)
    return this.inTurn(payments, options, () => this.payOnce(intent, payments, contents, options))
  }

  /** Runs work after earlier calls with the same keys. */
  inTurn<T>(
    payments: readonly ClaimedPayment[],
    { signal }: Pick<SendOptions, 'signal'>,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.turns.run(
      payments.map(({ key }) => key),
      signal,
      work,
    )
  }

  private async payOnce(
    intent: Intent,
    payments: readonly ClaimedPayment[],
    contents: readonly Content[],
    options: RunOptions,
  ): Promise<Receipt> {
    const { maxRebuilds } = this.state
    for (let rebuilds = 0; ; ) {
      const again = rebuilds > 0
      const earlier =
        (await this.findEarlier(payments, again)) ??
        (await findMade(this.state, payments, contents, options))
      if (earlier?.txID !== undefined) return { txID: earlier.txID }
      const claimed =
        earlier === undefined ? await this.attempt(intent, payments, options, again) : undefined
      const group = earlier?.group ?? claimed?.group
      // Another process has claimed or canceled the keys meanwhile.
      if (group === undefined) continue
      const outcome = await this.issueUntilDecided(group, options, {
        queryFirst: claimed === undefined,
        replace: async (wait) => {
          const left = { ...options, wait }
          return (await this.attempt(intent, group.payments, left, true, group)) !== undefined
        },
      })
      if (outcome.status === 'accepted')
        return { txID: outcome.txID, explanation: claimed?.explanation, ...leftBy(claimed) }
      if (outcome.status === 'canceled')
        throw canceledError({ payments: await this.canceledOf(group) }, outcome)
      if (rebuilds++ >= maxRebuilds || !(await this.mayRebuild(group)))
        throw rejectedError(group, outcome)
    }
  }

  /**
   * What the store knows of payments: the accepted transaction, the pending group, or nothing.
   *
   * @param again - whether the call has made an attempt before; then a cancellation since ends the call
   * @throws StoreError `KEY_CONFLICT`, WalletError `KEYS_TAKEN`, `PAYMENT_CANCELED`
   */
  async findEarlier(
    payments: readonly ClaimedPayment[],
    again = false,
  ): Promise<{ readonly txID?: Uint8Array; readonly group?: AttemptGroup } | undefined> {
    if (!again && payments.every(({ generated }) => generated)) return undefined
    const records = await this.state.store.payments(payments.map(({ key }) => key))
    const conflicts = records.filter(
      ({ digest }, i) => digest !== undefined && !equalBytes(digest, payments[i]!.digest),
    )
    if (conflicts.length > 0) throw keyConflict(conflicts.map(({ key }) => key))
    const canceled = records.filter(({ status }) => status === 'canceled')
    if (again && canceled.length > 0)
      throw canceledError({ payments: canceled }, { txID: canceled[0]!.txID! })
    const taken = records.filter(({ status }) => status === 'accepted' || status === 'pending')
    const [first] = taken
    if (first === undefined) return undefined
    if (first.status === 'pending' && this.state.pending.group(first.key) === undefined)
      await this.state.readStore()
    const group = this.state.pending.group(first.key)
    const isWhole =
      taken.length === payments.length &&
      taken.every(
        ({ status, txID, key }) =>
          status === first.status &&
          (status === 'pending'
            ? this.state.pending.group(key) === group
            : equalBytes(txID!, first.txID!)),
      )
    const isSame = group === undefined || group.payments.length === payments.length
    if (!isWhole || (first.status === 'pending' && !isSame))
      throw new WalletError(
        'KEYS_TAKEN',
        `${taken.length} of ${payments.length} payments are already made by other transactions`,
        {
          keys: taken.map(({ key }) => key),
          hint: 'nothing was signed; leave out the payments that are pending or accepted',
        },
      )
    if (first.status === 'accepted') return { txID: first.txID! }
    // The group may have ended between the two reads: read again.
    return group === undefined ? this.findEarlier(payments, again) : { group }
  }

  /** Attempts for payments that have ended. There are none for a payment that was not claimed before. */
  async endedOf(payments: readonly ClaimedPayment[], again: boolean): Promise<EndedAttempt[]> {
    if (!again && payments.every(({ generated }) => generated)) return []
    const records = await this.state.store.payments(payments.map(({ key }) => key))
    return records.flatMap(({ ended = [] }) => ended)
  }

  /**
   * Whether a rejected payment may be made again without asking the caller: the next attempt spends outputs of the
   * transactions that rejected it, or as many servers as the quorum have shown them.
   */
  async mayRebuild({ payments }: AttemptGroup): Promise<boolean> {
    if (this.state.chain.quorum > 1) return true
    const ended = await this.endedOf(payments, true)
    return ended.length > 0 && ended.every(({ evidence }) => evidence.length > 0)
  }

  /** The canceled payments of a group that ended with a cancellation. The others are rejected and may be made again. */
  async canceledOf({ payments }: AttemptGroup): Promise<readonly ClaimedPayment[]> {
    const records = await this.state.store.payments(payments.map(({ key }) => key))
    const canceled = payments.filter((_, i) => records[i]?.status === 'canceled')
    // The store may have failed to record the outcome.
    return canceled.length > 0 ? canceled : payments
  }

  /**
   * Drafts, confirms, signs and claims. Undefined if another process claimed or canceled the keys first.
   *
   * @param again - whether the payments were claimed before; then a cancellation since ends them
   * @param replaced - group whose attempts the draft must conflict with
   */
  async attempt(
    intent: Intent,
    payments: readonly ClaimedPayment[],
    options: SendOptions,
    again: boolean,
    replaced?: AttemptGroup,
  ): Promise<Claimed | undefined> {
    const refused = {}
    try {
      return await this.draftAndClaim(intent, payments, options, { again, replaced, refused })
    } finally {
      this.state.live.reservations.releaseAllBut(refused, [])
    }
  }

  /**
   * Drafts and claims again until the store accepts the claim.
   *
   * @param refused - holder that reserves inputs which the store refuses, so that no further draft spends them
   */
  private async draftAndClaim(
    intent: Intent,
    payments: readonly ClaimedPayment[],
    options: SendOptions,
    {
      again,
      replaced,
      refused,
    }: { again: boolean; replaced: AttemptGroup | undefined; refused: object },
  ): Promise<Claimed | undefined> {
    const accept = [...(options.accept ?? []), ...(intent.accept ?? [])]
    const call = this.state.call(options)
    const remainingMs = countdown(this.state.clock, call.totalMs)
    for (;;) {
      const ended = await this.endedOf(payments, again)
      const reserved = await this.drafting.draft(intent, call, replaced, ended)
      try {
        // The draft does not conflict with attempts that have ended meanwhile.
        if (replaced?.outcome !== undefined) return undefined
        const claim = { kind: 'payment', again } as const
        return await this.claimDraft(reserved, payments, { ...options, accept }, true, claim)
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        // The evidence was spent since it was read: draft with what is left of it.
        const isOutdated = error.code === 'EVIDENCE_UNSPENT' && remainingMs() > 0
        if (isOutdated && evidenceIn(await this.endedOf(payments, again)) !== evidenceIn(ended))
          continue
        if (error.code !== 'INPUT_CLAIMED' && error.code !== 'KEY_PENDING') {
          if (error.code === 'KEY_ACCEPTED' || error.code === 'KEY_CANCELED') return undefined
          throw error
        }
        reserved.release()
        await this.state.readStore()
        if (error.code === 'KEY_PENDING') return undefined
        if (remainingMs() <= 0) throw error
        // If no pending attempt has reserved a refused input, the store knows it as spent: a node that is behind still
        // lists it.
        this.state.live.reservations.reserveFree(error.inputs, refused)
      } finally {
        reserved.release()
      }
    }
  }

  /** Confirms, signs and claims a draft. */
  async claimDraft(
    {
      draft,
      fromHeight,
      leftBehind = [],
    }: Omit<Reserved, 'release' | 'leftBehind'> & Partial<Reserved>,
    payments: readonly ClaimedPayment[],
    options: SendOptions,
    explain: boolean,
    claim: Pick<Claim, 'kind' | 'again'> = { kind: 'payment' },
  ): Promise<Claimed> {
    const confirm = options.confirm ?? this.state.options.confirm
    await this.state.assets.requireSpendable(draft, this.state.call(options))
    const explanation =
      explain || confirm !== undefined ? await this.explain(draft, options) : undefined
    // Not any truthy value: a dialog may return an object or a word that means no.
    if (confirm !== undefined && (await confirm(explanation!, draft)) !== true)
      throw new WalletError('NOT_CONFIRMED', 'the transaction was not confirmed')
    const paid = claim.kind === 'payment' ? payments : []
    const { bytes } = requireSigned(await this.sign(draft, options, paid))
    throwIfAborted('wallet', options.signal)
    const group = await this.state.claim({ ...claim, payments, bytes, fromHeight })
    return { group, draft, explanation, leftBehind }
  }

  async explain(draft: Draft, options: SendOptions): Promise<Explanation> {
    const assetIDs = [...draft.utxos, ...draft.unsignedTx.outputs].map(({ assetID }) => assetID)
    return explainDraft(draft, {
      ours: this.state.addresses,
      assets: await this.state.assets.details(assetIDs, draft.context, this.state.call(options)),
      now: this.state.now(),
    })
  }

  /** @param payments - those that the draft makes, if nonces are to be derived from them */
  async sign(
    draft: Draft,
    { accept = [] }: Pick<SendOptions, 'accept'>,
    payments: readonly ClaimedPayment[] = [],
  ): Promise<SignResult> {
    const { keys, ...options } = this.state.options
    const context = payments.length === 0 ? undefined : entropyContext(this.state.storeID, payments)
    return signWithAll(
      { ...options, keys: keys && derivingKeys(keys, context) },
      await this.state.backend(),
      draft,
      accept,
      nonceEntropy(),
    )
  }

  /**
   * Issues a group until it has an outcome.
   *
   * @param queryFirst - whether the transaction may have been issued before, so that the node is asked for it first
   * @param replace - claims another attempt with the current fee and UTXOs within the time that is left; returns
   * whether it did. Called if the newest attempt does not match them
   * @throws WalletError `TX_PENDING` if there is no outcome when time is over or the caller aborts
   */
  async issueUntilDecided(
    group: AttemptGroup,
    options: SendOptions,
    { queryFirst, replace }: { queryFirst: boolean; replace?: Replace | undefined },
  ): Promise<Outcome> {
    const { signal } = options
    const { timeoutMs, ...wait } = this.state.wait(options.wait)
    const remainingMs = countdown(this.state.clock, timeoutMs)
    const servers = this.state.client.servers().length
    const isStale = (rejections: number) =>
      // A server that is behind does not have the newest UTXOs yet, so all are asked, and one of them again.
      isInputNotFound(group) ? rejections > servers : isRefusedAsOutdated(group)
    const drive: DriveOptions = { ...wait, timeoutMs, signal, queryFirst }
    await this.issuer.drive(group, { ...drive, isStale: replace && isStale })
    const mayReplace = remainingMs() > 0 && !signal?.aborted && isRefusedAsOutdated(group)
    if (group.outcome === undefined && mayReplace && replace !== undefined) {
      const isReplaced = await this.replaceOutdated(group, remainingMs, signal, replace)
      await this.issuer.drive(group, {
        ...drive,
        timeoutMs: remainingMs(),
        queryFirst: !isReplaced,
      })
    }
    if (group.outcome !== undefined) return group.outcome
    // The export of a move was faster than its cancellation.
    if (group.exported !== undefined) return { status: 'accepted', txID: group.exported.txID }
    throw pendingError(group, signal)
  }

  /** Calls `replace` if the newest attempt pays too low a fee or spends UTXOs that differ from the current ones. */
  private async replaceOutdated(
    group: AttemptGroup,
    remainingMs: () => number,
    signal: AbortSignal | undefined,
    replace: Replace,
  ): Promise<boolean> {
    try {
      const call = { totalMs: remainingMs(), signal }
      if (group.lastRejection?.code !== 'INSUFFICIENT_FUNDS') this.state.live.walkAgain()
      const view = await this.state.view(call, Number.POSITIVE_INFINITY, group)
      const newest = group.attempts.at(-1)
      if (newest === undefined) return false
      // The attempt itself is checked, not the fee that was known before: another payment may have refreshed that
      // already.
      if (!isOutdated(decodeTx(newest.bytes), view)) return false
      return await replace({ timeoutMs: Math.max(1, remainingMs()) })
    } catch (error) {
      group.lastError = error
      return false
    }
  }
}

/** The evidence of ended attempts, as text to compare. */
function evidenceIn(ended: readonly EndedAttempt[]): string {
  return ended.flatMap(({ evidence }) => evidence.map(utxoKey)).join()
}

/** What a payment of a whole balance has left out, as a member of its receipt. */
function leftBy(claimed: Claimed | undefined): Pick<Receipt, 'leftBehind'> {
  return claimed === undefined || claimed.leftBehind.length === 0
    ? {}
    : { leftBehind: claimed.leftBehind }
}
