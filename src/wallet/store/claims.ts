import { copyBytes } from '../../core/base/bytes/copy.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { txID as idOf, utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { type PaymentState, payingAttempts } from './attempt.ts'
import { checkClaim } from './claim-rules.ts'
import { dependsOnRival, type Rival, Rivals } from './rivals.ts'
import type {
  Acceptance,
  Attempt,
  Claim,
  ClaimedPayment,
  FoundTx,
  Outcome,
  PaymentRecord,
} from './store.ts'

const MAX_SPENT = 1024
const MAX_MADE = 1024

/** Payments that are made by one transaction, with the pending attempts to make or cancel them, oldest first. */
export type Group = {
  readonly payments: readonly ClaimedPayment[]
  readonly attempts: readonly Attempt[]
}

/**
 * Claims, attempts and outcomes in memory, with the rules that every store follows. The memory store consists only of
 * this class; the file store adds a log from which it is rebuilt; a wallet has those of its pending payments.
 */
export class Claims {
  /** In the order of their first claim. */
  readonly payments: Map<string, PaymentState> = new Map()
  /** Pending attempts by the hex of their transaction ID, in the order of their claims. */
  readonly attempts: Map<string, Attempt> = new Map()
  /**
   * Inputs of accepted transactions of moves, oldest first. A delayed answer, or a node that lags behind, may still
   * list them as unspent. Blocks of other chains are not followed, so an attempt that claimed one would stay pending
   * forever.
   */
  readonly spentInputs: Map<string, UTXOID> = new Map()
  /** Attempts that ended, for payments that are not accepted. */
  readonly rivals: Rivals = new Rivals()
  /**
   * IDs of the last accepted transactions that no record names, by their hex: payments with generated keys, which are
   * removed, exports of moves, cancellations.
   */
  readonly made: Map<string, Uint8Array> = new Map()
  /** Own accepted transactions that were not claimed here, by the hex of their IDs. */
  readonly found: Map<string, FoundTx> = new Map()
  /** Time of the changes that follow, in Unix seconds; undefined if it is not recorded. */
  now: bigint | undefined
  /** Pending attempts by the key of each input that they spend. */
  private readonly spenders = new Map<string, Set<Attempt>>()

  /**
   * Checks a claim against the rules and the recorded claims.
   *
   * @returns the attempt to add; undefined if exactly this claim is already recorded
   * @throws StoreError if the claim violates a rule
   */
  check(claim: Claim): Attempt | undefined {
    return checkClaim(this, claim)
  }

  /** Remembers a spent input. The number of remembered inputs is limited; the oldest are forgotten first. */
  rememberSpent(id: UTXOID): void {
    this.spentInputs.set(utxoKey(id), id)
    if (this.spentInputs.size <= MAX_SPENT) return
    const [oldest] = this.spentInputs.keys()
    this.spentInputs.delete(oldest!)
  }

  /** Keeps a transaction that was found, until it is claimed. Returns false if it is known. */
  addFound(found: FoundTx): boolean {
    const name = hex.encode(idOf(found.bytes))
    if (this.found.has(name)) return false
    this.found.set(name, found)
    return true
  }

  /** Adds an attempt that `check` returned. */
  add(attempt: Attempt, payments: readonly ClaimedPayment[]): void {
    this.attempts.set(hex.encode(attempt.txID), attempt)
    this.found.delete(hex.encode(attempt.txID))
    for (const id of attempt.inputs) {
      const name = utxoKey(id)
      this.spenders.set(name, (this.spenders.get(name) ?? new Set()).add(attempt))
    }
    for (const { key, digest, content, generated = false } of payments) {
      let state = this.payments.get(key)
      if (state === undefined) {
        const claimedAt = this.now
        state = { key, digest, generated, content, claimedAt, attempts: [], outcome: undefined }
        this.payments.set(key, state)
      }
      // That of an earlier version is not recorded; this one has the same digest.
      state.content ??= content
      state.attempts.push(attempt)
    }
  }

  /** Makes a pending attempt the newest one, because the same transaction was drafted again. */
  renew({ txID }: Pick<Attempt, 'txID'>): void {
    const name = hex.encode(txID)
    const attempt = this.attempts.get(name)
    if (attempt === undefined) return
    this.attempts.delete(name)
    this.attempts.set(name, attempt)
    for (const key of attempt.keys) {
      const { attempts } = this.payments.get(key)!
      attempts.push(...attempts.splice(attempts.indexOf(attempt), 1))
    }
  }

  /** Pending attempts for payments, cancellations included, oldest first. */
  attemptsFor(keys: readonly string[]): Attempt[] {
    const [first = '', ...others] = keys
    const attempts = this.payments.get(first)?.attempts ?? []
    const all = new Set(attempts)
    for (const key of others) for (const one of this.payments.get(key)?.attempts ?? []) all.add(one)
    if (all.size === attempts.length) return [...attempts]
    return [...this.attempts.values()].filter((attempt) => all.has(attempt))
  }

  /** The payments that are made together with one, and their pending attempts; undefined if it has none. */
  groupOf(key: string): Group | undefined {
    const attempts = this.payments.get(key)?.attempts ?? []
    if (attempts.length === 0) return undefined
    const keys = [...new Set(attempts.flatMap((attempt) => attempt.keys))]
    return { payments: this.paymentsOf(keys), attempts: this.attemptsFor(keys) }
  }

  /** Payments with these keys, as they were claimed. */
  paymentsOf(keys: readonly string[]): ClaimedPayment[] {
    return keys.flatMap((key) => {
      const state = this.payments.get(key)
      return state ? [{ key, digest: state.digest, generated: state.generated }] : []
    })
  }

  /** All payments that have pending attempts. */
  groups(): Group[] {
    const seen = new Set<string>()
    return [...this.attempts.values()].flatMap(({ keys }) => {
      if (keys.some((key) => seen.has(key))) return []
      const group = this.groupOf(keys[0]!)!
      for (const { key } of group.payments) seen.add(key)
      return [group]
    })
  }

  /** The pending attempts that spend a UTXO. */
  spendersOf(id: UTXOID): readonly Attempt[] {
    return [...(this.spenders.get(utxoKey(id)) ?? [])]
  }

  /** Whether an accepted transaction with these inputs may be decisive. */
  isTouched(inputs: readonly UTXOID[]): boolean {
    return inputs.some((id) => this.spenders.has(utxoKey(id)) || this.rivals.isTouched(id))
  }

  /** Whether an accepted transaction ends a pending attempt, is one that has ended, or spends evidence. */
  isDecisive({ txID, inputs, ends = [] }: Acceptance): boolean {
    const name = hex.encode(txID)
    return (
      this.attempts.has(name) ||
      this.rivals.ended.has(name) ||
      ends.some((other) => this.attempts.has(hex.encode(other))) ||
      inputs.some((id) => this.spenders.has(utxoKey(id))) ||
      this.rivals.isFollowed({ txID, inputs })
    )
  }

  /** An acceptance without what is not needed: most transactions end no attempt but their own. */
  essentialsOf(acceptance: Acceptance): Acceptance {
    const { txID, inputs, ends = [] } = acceptance
    const name = hex.encode(txID)
    const spenders = inputs.flatMap((id) => [...(this.spenders.get(utxoKey(id)) ?? [])])
    const isRival = ends.length > 0 || spenders.some((attempt) => hex.encode(attempt.txID) !== name)
    return isRival || this.rivals.isFollowed(acceptance) ? acceptance : { txID, inputs }
  }

  /**
   * The pending attempts that an accepted transaction ends: the one that it is, and those that conflict with it. If it is
   * an attempt that had ended, its rival was not accepted, and so nothing that spends an output of the rival can be: the
   * pending attempts for its payments that do so end.
   */
  endedBy({ txID, inputs, ends = [] }: Acceptance): Set<Attempt> {
    const ended = new Set<Attempt>()
    for (const other of [txID, ...ends]) {
      const attempt = this.attempts.get(hex.encode(other))
      if (attempt !== undefined) ended.add(attempt)
    }
    for (const id of inputs)
      for (const attempt of this.spenders.get(utxoKey(id)) ?? []) ended.add(attempt)
    const revived = this.rivals.ended.get(hex.encode(txID))
    for (const key of revived?.keys ?? [])
      for (const attempt of this.payments.get(key)?.attempts ?? [])
        if (dependsOnRival(attempt, revived!)) ended.add(attempt)
    return ended
  }

  /** Ends attempts by an accepted transaction. Returns the payments that have ended, by their keys. */
  recordAcceptance(acceptance: Acceptance): Map<string, Outcome> {
    const { txID } = acceptance
    const accepted = this.attempts.get(hex.encode(txID))
    const revived = this.rivals.ended.get(hex.encode(txID))
    const ended = this.endedBy(acceptance)
    const rival = this.rivals.of(acceptance)
    this.rivals.follow(acceptance)
    for (const conflicting of this.rivals.conflicting(acceptance))
      this.rivals.add(conflicting, rival)
    for (const attempt of ended) this.end(attempt, accepted, rival)
    const keys = new Set([...ended].flatMap((attempt) => attempt.keys))
    for (const key of keys) this.dropCancellations(key, rival)
    for (const key of revived?.keys ?? []) this.accept(key, txID)
    return this.outcomesOf(new Set([...keys, ...(revived?.keys ?? [])]))
  }

  /** The outcomes of payments after attempts for them have ended. Forgets what is not needed any more. */
  private outcomesOf(keys: ReadonlySet<string>): Map<string, Outcome> {
    const outcomes = new Map<string, Outcome>()
    for (const key of keys) {
      const state = this.payments.get(key)
      const isAccepted = state?.outcome?.status === 'accepted'
      if (state?.outcome !== undefined && (isAccepted || payingAttempts(state).length === 0))
        outcomes.set(key, state.outcome)
      // Once a payment is accepted, no further attempt is made.
      if (state === undefined || isAccepted) this.rivals.forget(key)
      this.forgetGenerated(key)
    }
    return outcomes
  }

  private accept(key: string, txID: Uint8Array): void {
    const state = this.payments.get(key)
    if (state === undefined) return
    state.outcome = { status: 'accepted', txID, at: this.now }
  }

  /**
   * Ends the cancellations of a payment that has ended. They could still be accepted, but would only return funds to
   * the wallet, and while they are pending their inputs cannot be used.
   */
  private dropCancellations(key: string, rival: Rival): void {
    for (const attempt of this.payments.get(key)?.attempts.slice() ?? []) {
      const states = attempt.keys.map((each) => this.payments.get(each))
      if (states.every((state) => payingAttempts(state).length === 0))
        this.end(attempt, undefined, rival)
    }
  }

  /** Makes a rejected payment a canceled one. Returns false if it is not rejected. */
  cancel(key: string): boolean {
    const { status, txID } = this.record(key)
    if (status !== 'rejected') return false
    this.payments.get(key)!.outcome = { status: 'canceled', txID: txID!, at: this.now }
    return true
  }

  /**
   * Ends an attempt and sets the outcome of its payments.
   *
   * @param accepted - the accepted attempt; undefined if the accepted transaction was not claimed here
   * @param rival - the accepted transaction
   */
  private end(attempt: Attempt, accepted: Attempt | undefined, rival: Rival): void {
    const isAccepted = attempt === accepted
    const { txID } = rival
    if (!isAccepted && attempt.kind !== 'cancellation') this.rivals.add(attempt, rival)
    this.attempts.delete(hex.encode(attempt.txID))
    // The record of a move has the ID of its import, and that of a payment which is made again not that of a cancellation.
    if (attempt.kind !== 'payment' && (isAccepted || accepted?.kind === 'import'))
      this.rememberMade(attempt.txID)
    if (isAccepted)
      for (const { txID: spent, outputIndex } of attempt.leg?.inputs ?? [])
        this.rememberSpent({ txID: spent.slice(), outputIndex })
    this.forgetSpender(attempt)
    for (const key of attempt.keys) {
      const state = this.payments.get(key)!
      state.attempts.splice(state.attempts.indexOf(attempt), 1)
      if (attempt.kind === 'cancellation') continue
      const isCanceled = accepted?.kind === 'cancellation' && accepted.keys.includes(key)
      if (isAccepted) state.outcome = { status: 'accepted', txID, at: this.now }
      else if (state.outcome?.status !== 'accepted')
        state.outcome = { status: isCanceled ? 'canceled' : 'rejected', txID, at: this.now }
    }
  }

  /**
   * Removes a payment with a generated key once it is accepted: no caller knows the key. Before that it is needed,
   * because a running call, maybe in another process, must learn whether it may make the payment again.
   */
  private forgetGenerated(key: string): void {
    const { generated, attempts, outcome } = this.payments.get(key) ?? {}
    if (!generated || attempts!.length > 0 || outcome?.status !== 'accepted') return
    this.payments.delete(key)
    this.rememberMade(outcome.txID)
  }

  /** Forgets an attempt that has ended, as a store knows. */
  drop(attempt: Attempt): void {
    this.attempts.delete(hex.encode(attempt.txID))
    this.forgetSpender(attempt)
    for (const key of attempt.keys) {
      const attempts = this.payments.get(key)?.attempts ?? []
      if (attempts.includes(attempt)) attempts.splice(attempts.indexOf(attempt), 1)
    }
  }

  private forgetSpender(attempt: Attempt): void {
    for (const id of attempt.inputs) {
      const spenders = this.spenders.get(utxoKey(id))
      spenders?.delete(attempt)
      if (spenders?.size === 0) this.spenders.delete(utxoKey(id))
    }
  }

  /** Forgets a payment without pending attempts, of which a store keeps the record. */
  forget(key: string): void {
    if (this.payments.get(key)?.attempts.length === 0) this.payments.delete(key)
  }

  /** Remembers a transaction that no record names. The oldest ones are forgotten first. */
  rememberMade(txID: Uint8Array): void {
    this.made.set(hex.encode(txID), txID)
    const [oldest] = this.made.keys()
    if (this.made.size > MAX_MADE) this.made.delete(oldest!)
  }

  /** Returns the record of the payment with a key: a copy, which the caller may change. */
  record(key: string): PaymentRecord {
    const state = this.payments.get(key)
    if (state === undefined) return { key, status: 'unknown' }
    const { generated, outcome } = state
    const newest = payingAttempts(state).at(-1)
    const digest = copyBytes(state.digest)
    const content = state.content && copyBytes(state.content)
    const list = this.rivals.endedFor(key)
    const ended = list.length === 0 ? {} : { ended: list }
    const record = { key, digest, generated, content, claimedAt: state.claimedAt, ...ended }
    if (newest !== undefined && outcome?.status !== 'accepted')
      return { ...record, status: 'pending', txID: copyBytes(newest.txID) }
    // Without an outcome it is a payout that waits in the queue of a custody system.
    if (outcome === undefined) return { key, status: 'unknown' }
    const { status, txID, at: endedAt } = outcome
    return { ...record, status, txID: copyBytes(txID), endedAt }
  }
}
