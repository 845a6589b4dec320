import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import { isPaying, isUnshown } from '../machine/facts.ts'
import { Claims, type Group } from '../store/claims.ts'
import type { Acceptance, Attempt, ClaimedPayment, Outcome, PaymentRecord } from '../store/store.ts'
import { Ancestors } from './ancestors.ts'
import { RecentTxs } from './recent-txs.ts'

/** A transaction that a server claims to be accepted and that may decide an attempt. */
export type Candidate = {
  /** Absent for a transaction of another chain, which was verified before it became a candidate. */
  readonly tx?: SignedTx | undefined
  readonly txID: Uint8Array
  readonly inputs: readonly UTXOID[]
  /** Whether as many servers as the quorum have shown it. */
  readonly isAgreed?: boolean | undefined
}

/**
 * Number of attempts that are recognized after they have ended, because their blocks may be read only then, and of payments
 * of which it is known what callers were told.
 */
const MAX_NEWEST = 10_000

/** How a payment has ended here. */
export type Ending = Outcome & {
  /** The accepted attempt. */
  readonly attempt: Attempt | undefined
}

/**
 * What a wallet knows of pending payments: those claims of its store, to which it applies the same transitions, and what
 * only matters while it runs. The store is asked before a call ends: other processes may have recorded more.
 */
export class Pending {
  readonly claims: Claims = new Claims()
  readonly ancestors: Ancestors = new Ancestors()
  readonly recent: RecentTxs = new RecentTxs()
  /** How payments that calls wait for have ended. */
  private readonly endings = new Map<string, Ending>()
  /** Calls that wait for a payment, by its key. */
  private readonly waiting = new Map<string, Set<() => void>>()
  /** How often attempts for a payment were issued. */
  private readonly turns = new Map<string, number>()
  /** How often servers have refused an attempt for a reason that they remember. */
  private readonly refusals = new WeakMap<Attempt, number>()
  /** IDs of the newest attempts, pending or not, as hex. */
  private readonly newest = new Set<string>()
  /** UTXOs that exports of other chains create, by their keys: an import on X shows that the export was accepted. */
  private readonly exports = new Map<string, Attempt>()
  /** What callers were told of payments that no output shows to be ended: IDs of the transactions that ended them, as hex. */
  private readonly told = new Map<string, string>()
  /** Exports of moves that were accepted; a move ends with its import. */
  private readonly accepted = new Set<Attempt>()
  private searchFloor: bigint | undefined

  /** Whether a transaction is or was an attempt. Old ones that have ended are forgotten. */
  wasAdded(txID: Uint8Array): boolean {
    const name = hex.encode(txID)
    return this.newest.has(name) || this.claims.attempts.has(name)
  }

  /** A pending attempt, by its ID. */
  attempt(txID: Uint8Array): Attempt | undefined {
    return this.claims.attempts.get(hex.encode(txID))
  }

  /**
   * Adds a claimed attempt. Nonces are derived, so a draft may give an earlier attempt again: then it is the newest, which is
   * issued next.
   *
   * @param exported - UTXOs that it creates, whose spending decides it, too
   */
  add(
    attempt: Attempt,
    payments: readonly ClaimedPayment[],
    exported: readonly UTXOID[] = [],
  ): void {
    const name = hex.encode(attempt.txID)
    if (this.claims.attempts.has(name)) {
      this.claims.renew(attempt)
      return
    }
    this.claims.add(attempt, payments)
    for (const { key } of payments) this.endings.delete(key)
    for (const id of exported) this.exports.set(utxoKey(id), attempt)
    this.newest.add(name)
    const [oldest] = this.newest
    if (this.newest.size > MAX_NEWEST) this.newest.delete(oldest!)
  }

  /** Takes over what the store knows of the ended attempts of a payment. */
  setEnded({ key, ended = [] }: Pick<PaymentRecord, 'key' | 'ended'>): void {
    if (ended.length === 0) this.claims.rivals.forget(key)
    for (const one of ended) this.claims.rivals.restore(one)
  }

  /** Pending attempts that an accepted transaction decides. */
  decidedBy({ txID, inputs }: Pick<Acceptance, 'txID' | 'inputs'>): Attempt[] {
    const ends = this.impossibleWith({ txID, inputs }).map((attempt) => attempt.txID)
    const exporting = inputs.flatMap((id) => this.exports.get(utxoKey(id)) ?? [])
    return [...new Set([...this.claims.endedBy({ txID, inputs, ends }), ...exporting])]
  }

  /** Whether a transaction with these inputs may decide a pending attempt, or matters for one that has ended. */
  isTouched(inputs: readonly UTXOID[]): boolean {
    return (
      this.claims.isTouched(inputs) ||
      this.ancestors.isTouched(inputs) ||
      (this.exports.size > 0 && inputs.some((id) => this.exports.has(utxoKey(id))))
    )
  }

  /** Attempts that can never be accepted if a transaction is, because it conflicts with an ancestor of theirs. */
  impossibleWith(acceptance: Pick<Acceptance, 'txID' | 'inputs'>): Attempt[] {
    const excluded = new Set([
      ...this.claims.rivals.excludedBy(acceptance),
      ...this.ancestors.excludedBy(acceptance),
    ])
    const all = excluded.size === 0 ? [] : [...this.claims.attempts.values()]
    return all.filter((one) => one.inputs.some((id) => excluded.has(hex.encode(id.txID))))
  }

  /**
   * Ends attempts by an accepted transaction, and wakes the calls that wait for them. Returns the inputs that no attempt
   * spends any more.
   */
  record(acceptance: Acceptance): UTXOID[] {
    const { claims } = this
    const accepted = this.attempt(acceptance.txID)
    if (accepted !== undefined && (accepted.leg?.chain ?? 'X') === 'X')
      this.recent.add(accepted.txID, accepted.bytes)
    const revived = claims.rivals.ended.get(hex.encode(acceptance.txID))?.keys ?? []
    const before = [...claims.endedBy(acceptance)]
    const attempts = new Set(claims.attemptsFor(before.flatMap(({ keys }) => keys)))
    const outcomes = claims.recordAcceptance(acceptance)
    for (const attempt of attempts)
      if (this.attempt(attempt.txID) !== undefined) attempts.delete(attempt)
    this.forget(attempts)
    const keys = new Set([...outcomes.keys(), ...revived])
    for (const key of keys) {
      const outcome = outcomes.get(key) ?? { status: 'accepted', txID: acceptance.txID }
      const isOwn = outcome.status === 'accepted' && equalBytes(outcome.txID, acceptance.txID)
      if (this.waiting.has(key))
        this.endings.set(key, { ...outcome, attempt: isOwn ? accepted : undefined })
      claims.forget(key)
      this.turns.delete(key)
    }
    this.wake(keys)
    return this.freeOf(attempts)
  }

  /**
   * Forgets attempts that have ended in the store, because another process has recorded how. Wakes the calls that wait for
   * them. Returns the inputs that no attempt spends any more.
   *
   * @param made - IDs of accepted transactions that no record of the store names
   */
  drop(found: ReadonlySet<Attempt>, made: readonly Uint8Array[]): UTXOID[] {
    const { claims } = this
    // Others have ended here meanwhile.
    const attempts = new Set([...found].filter((one) => this.attempt(one.txID) === one))
    const accepted = new Set(made.map(hex.encode))
    for (const attempt of attempts) claims.drop(attempt)
    this.forget(attempts)
    const keys = new Set([...attempts].flatMap((attempt) => attempt.keys))
    // A store removes payments with generated keys once they are accepted.
    for (const attempt of attempts)
      for (const key of attempt.keys)
        if (accepted.has(hex.encode(attempt.txID)) && this.waiting.has(key) && isPaying(attempt))
          this.endings.set(key, { status: 'accepted', txID: attempt.txID, attempt })
    for (const key of keys) claims.forget(key)
    this.wake(keys)
    return this.freeOf(attempts)
  }

  /** The inputs of ended attempts that no pending one spends. */
  private freeOf(ended: ReadonlySet<Attempt>): UTXOID[] {
    const inputs = [...ended].flatMap((attempt) => attempt.inputs)
    return inputs.filter((id) => this.claims.spendersOf(id).length === 0)
  }

  private forget(attempts: ReadonlySet<Attempt>): void {
    for (const [name, attempt] of this.exports) if (attempts.has(attempt)) this.exports.delete(name)
    for (const attempt of attempts) this.accepted.delete(attempt)
  }

  /** Records that the export of a move was accepted. */
  markExported(attempt: Attempt): void {
    if (this.accepted.has(attempt)) return
    this.accepted.add(attempt)
    this.wake(attempt.keys)
  }

  /**
   * The accepted export of a move; undefined if none is known to be accepted. If the move has an import, it is the export
   * whose outputs the import spends, because an import is claimed only after its export was accepted.
   */
  exportOf({ attempts }: Pick<Group, 'attempts'>): Attempt | undefined {
    const imported = attempts.find(({ kind }) => kind === 'import')
    return attempts.find(
      (one) =>
        one.kind === 'export' &&
        (this.accepted.has(one) || imported?.inputs.some((id) => equalBytes(id.txID, one.txID))),
    )
  }

  /** How a payment that a call waits for has ended here. */
  ending(key: string): Ending | undefined {
    return this.endings.get(key)
  }

  /** Records that a caller was told how payments have ended. Where outputs show it, that need not be true once they are spent. */
  tell(records: readonly PaymentRecord[]): void {
    for (const record of records) {
      const { key, txID } = record
      if (txID === undefined || !isUnshown(record)) continue
      this.told.delete(key)
      this.told.set(key, hex.encode(txID))
    }
    while (this.told.size > MAX_NEWEST) this.told.delete(this.told.keys().next().value!)
  }

  /** Keys of those payments of which a caller was told that they have ended as the records say. */
  toldOf(records: readonly PaymentRecord[]): string[] {
    const isTold = ({ key, txID }: PaymentRecord) =>
      txID !== undefined && this.told.get(key) === hex.encode(txID)
    return records.filter(isTold).map(({ key }) => key)
  }

  /** Forgets how payments have ended here: the store has attempts for them. */
  forgetEndings(keys: readonly string[]): void {
    for (const key of keys) this.endings.delete(key)
  }

  /** Calls `wake` when a payment changes, until the returned function is called. Meanwhile its ending is kept. */
  await(keys: readonly string[], wake: () => void): () => void {
    for (const key of keys) this.waiting.set(key, (this.waiting.get(key) ?? new Set()).add(wake))
    return () => {
      for (const key of keys) {
        const others = this.waiting.get(key)
        others?.delete(wake)
        if (others?.size !== 0) continue
        this.waiting.delete(key)
        this.endings.delete(key)
      }
    }
  }

  private wake(keys: Iterable<string>): void {
    const calls = new Set([...keys].flatMap((key) => [...(this.waiting.get(key) ?? [])]))
    for (const wake of calls) wake()
  }

  /** The number of the next request that issues an attempt for a payment. The servers are asked in turn, by all calls. */
  nextTurn(key: string): number {
    const turn = this.turns.get(key) ?? 0
    this.turns.set(key, turn + 1)
    return turn
  }

  /** Counts a refusal of an attempt that the server remembers. */
  noteRefusal(attempt: Attempt): void {
    this.refusals.set(attempt, this.refusalsOf(attempt) + 1)
  }

  /** How often servers have refused an attempt, in all calls: one may be too short to ask all servers. */
  refusalsOf(attempt: Attempt): number {
    return this.refusals.get(attempt) ?? 0
  }

  /** The lowest height at which a block may decide an attempt. */
  searchFrom(): bigint | undefined {
    const { attempts } = this.claims
    if (attempts.size === 0) return undefined
    let lowest = this.searchFloor
    for (const { fromHeight } of attempts.values())
      if (lowest === undefined || fromHeight < lowest) lowest = fromHeight
    return lowest
  }

  /** Makes the search for outcomes start at a height again. */
  searchAgain(fromHeight: bigint): void {
    if (this.searchFloor === undefined || fromHeight < this.searchFloor)
      this.searchFloor = fromHeight
  }

  /** Forgets the height of `searchAgain`, once all blocks from there on were read. */
  endSearch(): void {
    this.searchFloor = undefined
  }
}
