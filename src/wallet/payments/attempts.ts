import { hex } from '../../core/base/encoding/hex.ts'
import { txID as idOf, utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { Rejection } from '../../node/issue/rejections.ts'
import type { Attempt, ClaimedPayment, Outcome } from '../store/store.ts'
import { Watched } from './watched.ts'

/** Payments that are made by one transaction, with the pending attempts to make it. */
export type AttemptGroup = {
  readonly payments: readonly ClaimedPayment[]
  /** Pending attempts, oldest first; {@link issuedOf} returns the one to issue. */
  readonly attempts: Attempt[]
  outcome: Outcome | undefined
  /** The export of a move, once it is accepted; the move ends with the import. */
  exported: Attempt | undefined
  /** The import of a move, once it is accepted. */
  imported: Attempt | undefined
  /** Why the last request about the newest attempt did not lead to its acceptance. */
  lastError: unknown
  lastRejection: Rejection | undefined
  /** How often an attempt was issued. The servers are asked in turn, by all calls together. */
  issues: number
  /** Ends the pauses of calls that wait for the outcome. */
  readonly wake: Set<() => void>
}

/**
 * The attempt to issue: the newest import, or the newest attempt if there is no import. An import is claimed only after
 * an export was accepted; exports that other processes claimed later, unaware of that, are superseded.
 */
export function issuedOf({ attempts }: AttemptGroup): Attempt | undefined {
  return attempts.findLast(({ kind }) => kind === 'import') ?? attempts.at(-1)
}

/** A transaction that a server claims to be accepted and that spends an input of a pending attempt. */
export type Candidate = {
  /** Absent for a transaction of another chain, which was verified before it became a candidate. */
  readonly tx?: SignedTx | undefined
  readonly txID: Uint8Array
  readonly inputs: readonly UTXOID[]
  /** Whether as many servers as the quorum have shown it. */
  readonly isAgreed?: boolean | undefined
}

/** Number of attempts that are recognized after they have ended: their blocks may be read only then. */
const MAX_NEWEST = 10_000

/** Pending attempts of a wallet, by key, transaction and input. */
export class PendingAttempts {
  private readonly byKey = new Map<string, AttemptGroup>()
  /** Groups by each input that their attempts spend. */
  readonly byInput: Map<string, Set<AttemptGroup>> = new Map()
  private readonly byTxID = new Map<string, AttemptGroup>()
  /** IDs of the newest attempts, pending or not, as hex. */
  private readonly newest = new Set<string>()
  readonly watched: Watched = new Watched()
  /** UTXOs of exports that a transaction of the X-Chain may spend. */
  private readonly exported = new Map<Attempt, readonly UTXOID[]>()
  /** Set by `searchAgain`. */
  private searchFloor: bigint | undefined
  /** Candidates that are not decided yet because the evidence could not be read. */
  readonly candidates: Map<string, Candidate> = new Map()

  get groups(): AttemptGroup[] {
    return [...new Set(this.byTxID.values())]
  }

  /** The group of a key, if it has pending attempts. */
  group(key: string): AttemptGroup | undefined {
    return this.byKey.get(key)
  }

  /** The group of a transaction, if it is a pending attempt. */
  groupOf(txID: Uint8Array): AttemptGroup | undefined {
    return this.byTxID.get(hex.encode(txID))
  }

  /** Whether a transaction is or was an attempt. Old ones that have ended are forgotten. */
  wasAdded(txID: Uint8Array): boolean {
    return this.newest.has(hex.encode(txID)) || this.groupOf(txID) !== undefined
  }

  /** The lowest height at which a block may decide an attempt. */
  searchFrom(): bigint | undefined {
    if (this.byTxID.size === 0) return undefined
    const heights = this.groups.flatMap(({ attempts }) =>
      attempts.map(({ fromHeight }) => fromHeight),
    )
    const start = this.searchFloor ?? heights[0]!
    return heights.reduce((lowest, height) => (height < lowest ? height : lowest), start)
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

  /**
   * Adds a claimed attempt to the group of its keys. Returns the group.
   *
   * @param exported - UTXOs that the attempt creates, whose spending decides its group, too
   */
  add(
    attempt: Attempt,
    payments: readonly ClaimedPayment[],
    exported: readonly UTXOID[] = [],
  ): AttemptGroup {
    const known = this.groupOf(attempt.txID)
    if (known !== undefined) return known
    const group: AttemptGroup = this.groupFor(attempt) ?? {
      payments,
      attempts: [],
      outcome: undefined,
      exported: undefined,
      imported: undefined,
      lastError: undefined,
      lastRejection: undefined,
      issues: 0,
      wake: new Set(),
    }
    group.attempts.push(attempt)
    this.newest.add(hex.encode(attempt.txID))
    const [oldest] = this.newest
    if (this.newest.size > MAX_NEWEST) this.newest.delete(oldest!)
    this.byTxID.set(hex.encode(attempt.txID), group)
    for (const key of attempt.keys) this.byKey.set(key, group)
    this.exported.set(attempt, exported)
    for (const name of this.decisive(attempt))
      this.byInput.set(name, (this.byInput.get(name) ?? new Set()).add(group))
    return group
  }

  /** UTXOs of which a transaction that spends them decides an attempt, as keys. */
  private decisive(attempt: Attempt): string[] {
    return [...attempt.inputs, ...(this.exported.get(attempt) ?? [])].map(utxoKey)
  }

  private groupFor({ keys }: Attempt): AttemptGroup | undefined {
    for (const key of keys) {
      const group = this.byKey.get(key)
      // A group may have attempts left for some of its keys after its outcome; a new attempt starts another group.
      if (group !== undefined && group.outcome === undefined) return group
    }
    return undefined
  }

  /** Remembers and returns an accepted transaction as a candidate if it may decide a pending or ended attempt. */
  consider(tx: SignedTx, isAgreed = false): Candidate | undefined {
    const inputs = consumedUTXOs(tx.unsignedTx)
    const isDecisive = inputs.some((id) => this.byInput.has(utxoKey(id)))
    if (!isDecisive && !this.watched.has(inputs)) return undefined
    const txID = idOf(tx)
    const candidate = { tx, txID, inputs, isAgreed }
    this.candidates.set(hex.encode(txID), candidate)
    return candidate
  }

  /** Attempts that can never be accepted if a candidate is, because it conflicts with an ancestor of theirs. */
  impossibleWith({ txID, inputs }: Candidate): Attempt[] {
    const excluded = this.watched.excludedBy(txID, inputs)
    const all = excluded.size === 0 ? [] : this.groups.flatMap(({ attempts }) => attempts)
    const spending = all.filter((one) => one.inputs.some((id) => excluded.has(hex.encode(id.txID))))
    return [...this.watched.endedBy(txID, inputs), ...spending]
  }

  /**
   * The groups with an attempt that is the candidate or shares an input with it, that it conflicts with an ancestor of,
   * or whose payments it makes although it had ended.
   */
  decidedBy({ txID, inputs }: Candidate): AttemptGroup[] {
    const descendants = this.impossibleWith({ txID, inputs }).map((attempt) => attempt.txID)
    const revived = this.watched.endedAttempt(txID)?.keys ?? []
    return [
      ...new Set([
        ...inputs.flatMap((id) => [...(this.byInput.get(utxoKey(id)) ?? [])]),
        ...descendants.flatMap((id) => this.groupOf(id) ?? []),
        ...revived.flatMap((key) => this.group(key) ?? []),
      ]),
    ]
  }

  /**
   * Ends the attempts that an accepted transaction accepts or rejects. Returns their groups.
   *
   * @param recorded - outcomes that the store has for groups; they take precedence
   */
  endAttempts(
    candidate: Candidate,
    recorded: ReadonlyMap<AttemptGroup, Outcome> = new Map(),
  ): AttemptGroup[] {
    const name = hex.encode(candidate.txID)
    this.candidates.delete(name)
    const spent = new Set(candidate.inputs.map(utxoKey))
    const decided = this.decidedBy(candidate)
    const descendants = this.impossibleWith(candidate)
    const revived = this.watched.endedAttempt(candidate.txID)
    for (const group of decided) {
      const isRevived = group.payments.some(({ key }) => revived?.keys.includes(key))
      const accepted = group.attempts.find(({ txID }) => hex.encode(txID) === name)
      const ended = group.attempts.filter(
        (attempt) =>
          isRevived ||
          descendants.includes(attempt) ||
          attempt.inputs.some((id) => spent.has(utxoKey(id))),
      )
      this.remove(group, ended)
      const outcome: Outcome | undefined = isRevived
        ? { status: 'accepted', txID: candidate.txID }
        : outcomeOf(group, accepted, candidate.txID)
      group.outcome ??= outcome && (recorded.get(group) ?? outcome)
      // As in the store, a cancellation ends with the last attempt of its payment.
      if (!group.attempts.some(isPaying)) this.remove(group, [...group.attempts])
      if (group.outcome !== undefined) for (const wake of group.wake) wake()
    }
    return decided
  }

  /** Removes attempts that have ended. */
  remove(group: AttemptGroup, ended: readonly Attempt[]): void {
    for (const attempt of ended) {
      group.attempts.splice(group.attempts.indexOf(attempt), 1)
      this.byTxID.delete(hex.encode(attempt.txID))
    }
    const remainingInputs = new Set(group.attempts.flatMap((attempt) => this.decisive(attempt)))
    for (const name of ended.flatMap((attempt) => this.decisive(attempt))) {
      if (remainingInputs.has(name)) continue
      const groups = this.byInput.get(name)
      groups?.delete(group)
      if (groups?.size === 0) this.byInput.delete(name)
    }
    for (const attempt of ended) this.exported.delete(attempt)
    this.watched.remove(ended)
    const remainingKeys = new Set(group.attempts.flatMap((attempt) => attempt.keys))
    for (const key of ended.flatMap((attempt) => attempt.keys))
      if (!remainingKeys.has(key) && this.byKey.get(key) === group) this.byKey.delete(key)
  }
}

function isPaying({ kind }: Attempt): boolean {
  return kind !== 'cancellation'
}

/** The outcome of a group after some of its attempts have ended; undefined while payments are pending. */
function outcomeOf(
  { attempts }: AttemptGroup,
  accepted: Attempt | undefined,
  txID: Uint8Array,
): Outcome | undefined {
  if (accepted !== undefined && isPaying(accepted)) return { status: 'accepted', txID }
  if (attempts.some(isPaying)) return undefined
  return { status: accepted === undefined ? 'rejected' : 'canceled', txID }
}

/**
 * Returns available inputs such that every attempt of a list spends at least one of them; undefined if an attempt has
 * no available input. Takes the input that most attempts share first, so that few are needed.
 */
export function conflictingInputs(
  attempts: readonly Pick<Attempt, 'inputs'>[],
  isAvailable: (id: UTXOID) => boolean,
): UTXOID[] | undefined {
  const chosen: UTXOID[] = []
  let uncovered = [...attempts]
  while (uncovered.length > 0) {
    const counts = new Map<string, { readonly id: UTXOID; count: number }>()
    for (const { inputs } of uncovered)
      for (const id of inputs) {
        const entry = counts.get(utxoKey(id)) ?? { id, count: 0 }
        entry.count++
        counts.set(utxoKey(id), entry)
      }
    const [best] = [...counts.values()]
      .filter(({ id }) => isAvailable(id))
      .sort((a, b) => b.count - a.count)
    if (best === undefined) return undefined
    chosen.push(best.id)
    const name = utxoKey(best.id)
    uncovered = uncovered.filter(({ inputs }) => !inputs.some((id) => utxoKey(id) === name))
  }
  return chosen
}
