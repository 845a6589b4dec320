import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { hashToSign, txID as idOf, utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import { decodeTx, encodeTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import type { FollowedBlock } from '../../node/blocks/block-reader.ts'
import { type Clock, countdown } from '../../node/clock.ts'
import { ignoreAvmError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import { waitFor } from '../../node/transport/time-limit.ts'
import type { ChainView } from '../../node/view/view.ts'
import { type ChainPort, exportedBy, isMove, type OtherPorts, otherChainOf } from '../ports.ts'
import { MAX_VARIANTS } from '../recovery/variant.ts'
import { StoreError } from '../store/errors.ts'
import type { Acceptance, Attempt, Outcome, Store } from '../store/store.ts'
import type { AttemptGroup, Candidate, PendingAttempts } from './attempts.ts'
import {
  isForgedCopy,
  isSignedByOwners,
  isSignedFor,
  isSignedLike,
  txSignatures,
} from './evidence.ts'
import { ownOutputs } from './own-outputs.ts'

/** Dependencies of {@link Outcomes}. */
export type OutcomesOptions = {
  readonly chain: ChainView
  readonly clock: Clock
  readonly store: Store
  readonly pending: PendingAttempts
  readonly addresses: readonly Uint8Array[]
  readonly backend: () => Promise<Secp256k1Backend>
  /** Reads attempts that other wallets have claimed for a key. */
  readonly readStore: (key: string) => Promise<void>
  /** The next variant of a transaction of the X-Chain. */
  readonly variant: ChainPort['variant']
  /** Records a variant: an attempt with other signatures. */
  readonly claimVariant: (
    group: AttemptGroup,
    attempt: Attempt,
    variant: Pick<Attempt, 'bytes' | 'fromHeight'>,
  ) => Promise<unknown>
  readonly ports: OtherPorts
  /** Called with groups some of whose attempts have ended. */
  readonly onDecided: (groups: readonly AttemptGroup[]) => void
  /** Called when a transaction that was shown as accepted is not: UTXOs that it creates may be in the set. */
  readonly onFalse: () => void
}

/** Time limit for all evidence about one transaction, which is requested again later. */
const EVIDENCE_TIMEOUT_MS = 5_000

/**
 * Number of candidates above which one is dropped if it is unknown whether it was signed by the owners of an input. A
 * server can invent any number of them. A true one is found again when its block is searched.
 */
const MAX_UNVERIFIED_CANDIDATES = 64

/**
 * Decides how attempts end, from chain data alone: a transaction in an accepted block, or returned by `getTx`, accepts
 * the attempt with its ID and rejects the others that spend one of its inputs. A rival, which is not an attempt of the
 * store, counts only if the owners of the shared input signed it. A variant of an attempt is the same payment.
 */
export class Outcomes {
  private readonly options: OutcomesOptions
  /** Decisions in progress, by transaction ID; concurrent calls share them, whatever their time limits. */
  private readonly deciding = new Map<string, Promise<void>>()
  /** Requests for transactions that created inputs, by transaction ID; shared by all candidates. */
  private readonly parents = new Map<string, Promise<SignedTx | undefined>>()
  /** Rotates the input whose parent is read first. */
  private turn = 0

  constructor(options: OutcomesOptions) {
    this.options = options
  }

  /**
   * Takes the transactions of a block as evidence.
   *
   * @param isAgreed - whether as many servers as the quorum have shown it
   * @returns whether it contains a pending attempt
   */
  async read({ block }: FollowedBlock, isAgreed: boolean): Promise<boolean> {
    const found = block.txs.flatMap((tx) => this.options.pending.consider(tx, isAgreed) ?? [])
    const isOwn = found.some((candidate) => this.isAttempt(candidate))
    await Promise.all(found.map((candidate) => this.decideOnce(candidate)))
    return isOwn
  }

  /** Requests the attempts of a group by their IDs. */
  async queryAttempts({ attempts, exported }: AttemptGroup, call: CallOptions): Promise<void> {
    const queried = attempts.filter((attempt) => attempt !== exported)
    const answers = await Promise.allSettled(queried.map((attempt) => this.query(attempt, call)))
    await this.decide(call)
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
  }

  private async query(attempt: Attempt, call: CallOptions): Promise<void> {
    const { chain, pending, ports } = this.options
    const other = otherChainOf(attempt)
    if (other !== undefined) {
      if (await ports[other]?.isAccepted(attempt.txID, call))
        pending.candidates.set(hex.encode(attempt.txID), attempt)
      return
    }
    const tx = await chain.findTx(attempt.txID, call)
    if (tx !== undefined) pending.consider(tx)
  }

  /**
   * Decides all candidates for which there is enough evidence; others are kept for later. They are decided
   * concurrently, so that a file store writes the outcomes of a block at once.
   */
  async decide(call: CallOptions): Promise<void> {
    const { pending, clock } = this.options
    const candidates = [...pending.candidates.values()]
    await waitFor('wallet', Promise.all(candidates.map((one) => this.decideOnce(one))), call, clock)
  }

  private decideOnce(candidate: Candidate): Promise<void> {
    const name = hex.encode(candidate.txID)
    const work =
      this.deciding.get(name) ??
      this.decideOne(candidate)
        .catch(ignoreAvmError)
        .finally(() => this.deciding.delete(name))
    this.deciding.set(name, work)
    return work
  }

  private async decideOne(candidate: Candidate): Promise<void> {
    const { pending, store, onDecided, ports } = this.options
    const name = hex.encode(candidate.txID)
    const remainingMs = countdown(this.options.clock, EVIDENCE_TIMEOUT_MS)
    // First, because a server can invent any number of transactions, but not signatures.
    const isSigned = await this.isSigned(candidate, remainingMs)
    // Other wallets claim before they issue, so the store has their attempt, unless its outcome is recorded already.
    if (isSigned !== false && !this.isAttempt(candidate))
      for (const { payments } of pending.decidedBy(candidate))
        for (const { key } of payments) await this.options.readStore(key)
    const groups = isSigned === false ? [] : pending.decidedBy(candidate)
    if (groups.length > 0 || (isSigned !== false && this.isOfEnded(candidate))) {
      if (isSigned === undefined && !this.isAttempt(candidate)) {
        if (pending.candidates.size > MAX_UNVERIFIED_CANDIDATES) pending.candidates.delete(name)
        return
      }
      if (!(await this.isShown(candidate, remainingMs))) return
      if (!this.isAttempt(candidate)) await this.claimIfVariant(candidate)
      const acceptance = groups.some(isMove) ? ports.decideMove?.(candidate, pending) : candidate
      if (acceptance !== undefined) {
        const { txID, inputs } = acceptance
        if (pending.watched.isNews(txID, inputs)) this.options.onFalse()
        const isAttempt = this.isAttempt(candidate)
        // If this fails, the outcome is read from the chain again after a restart.
        await store.recordAcceptance(this.evidenceOf(acceptance)).catch(() => {})
        const recorded = isAttempt ? undefined : await this.recorded(groups, acceptance)
        const keys = [
          ...groups.flatMap(({ payments }) => payments.map(({ key }) => key)),
          ...pending.watched.endedFor(acceptance.inputs).flatMap((ended) => ended.keys),
          ...(pending.watched.endedAttempt(acceptance.txID)?.keys ?? []),
        ]
        onDecided(pending.endAttempts(acceptance, recorded))
        const records = await store.payments(keys)
        pending.watched.setEnded(
          keys,
          records.flatMap(({ ended = [] }) => ended),
        )
      }
    }
    pending.candidates.delete(name)
  }

  /** Whether a candidate is or conflicts with an attempt that had ended, or spends an output that shows a rival. */
  private isOfEnded({ inputs }: Candidate): boolean {
    return this.options.pending.watched.endedFor(inputs).length > 0
  }

  /** What the store records of an accepted transaction. */
  private evidenceOf(candidate: Candidate): Acceptance {
    const { pending, addresses } = this.options
    const { tx, txID, inputs } = candidate
    const ends = pending.impossibleWith(candidate).map((attempt) => attempt.txID)
    if (tx === undefined) return { txID, inputs, ends }
    return { txID, inputs, ends, bytes: encodeTx(tx), own: ownOutputs(tx, addresses) }
  }

  private isAttempt({ txID }: Candidate): boolean {
    return this.options.pending.groupOf(txID) !== undefined
  }

  /**
   * The outcomes that the store has for groups that a transaction has decided. The transaction is not a pending attempt
   * now, but may have been one of another wallet, which has already recorded the payments as accepted or canceled.
   */
  private async recorded(
    groups: readonly AttemptGroup[],
    { txID }: Candidate,
  ): Promise<Map<AttemptGroup, Outcome>> {
    const outcomes = new Map<AttemptGroup, Outcome>()
    for (const group of groups) {
      const records = await this.options.store.payments(group.payments.map(({ key }) => key))
      const has = (status: Outcome['status']) => records.find((one) => one.status === status)
      // The store deletes payments with generated keys once they are accepted, so they are unknown.
      const isAccepted = records.every(({ status }) => /accepted|unknown/.test(status))
      const status = isAccepted ? 'accepted' : has('canceled') ? 'canceled' : 'rejected'
      outcomes.set(group, { status, txID: has(status)?.txID ?? txID })
    }
    return outcomes
  }

  /**
   * Claims a candidate that is a variant of an attempt. A store that was restored from a backup does not know that the
   * variant was claimed before; unless it is claimed again, it looks like a rival.
   */
  private async claimIfVariant(candidate: Candidate): Promise<void> {
    const { pending, claimVariant } = this.options
    const { tx } = candidate
    if (tx === undefined) return
    const backend = await this.options.backend()
    const hash = hashToSign(tx.unsignedTx)
    for (const group of pending.decidedBy(candidate))
      for (const attempt of attemptsOnX(group)) {
        const own = decodeTx(attempt.bytes)
        if (!equalBytes(hashToSign(own.unsignedTx), hash)) continue
        if (!this.isDerivedFrom(attempt.bytes, tx, backend)) continue
        try {
          await claimVariant(group, attempt, { ...attempt, bytes: encodeTx(tx) })
        } catch (error) {
          // Another wallet may have recorded the outcome.
          const isRecorded =
            error instanceof StoreError && ['KEY_ACCEPTED', 'KEY_UNKNOWN'].includes(error.code)
          if (!isRecorded) throw error
        }
        return
      }
  }

  /**
   * Whether all signatures of a transaction are of an attempt or its variants, each derived from the one before. A server
   * can combine those of several that it was sent. An equal payment of another store has other signatures.
   */
  private isDerivedFrom(attempt: Uint8Array, tx: SignedTx, backend: Secp256k1Backend): boolean {
    const missing = new Set(txSignatures(tx).map(hex.encode))
    let variant: Uint8Array | undefined = attempt
    for (let i = 0; i <= MAX_VARIANTS && variant !== undefined && missing.size > 0; i++) {
      for (const signature of txSignatures(decodeTx(variant))) missing.delete(hex.encode(signature))
      variant = this.options.variant(variant, backend)
    }
    return missing.size === 0
  }

  /** Whether as many servers as the quorum show a candidate. */
  private async isShown(candidate: Candidate, remainingMs: () => number): Promise<boolean> {
    const { chain } = this.options
    const { tx, txID, isAgreed } = candidate
    // For a transaction of another chain, `queryAttempts` has asked enough servers.
    if (chain.quorum === 1 || isAgreed || tx === undefined) return true
    return chain.isAccepted(txID, { totalMs: Math.max(1, remainingMs()) })
  }

  /**
   * Whether a candidate is an attempt or was signed by the owners of an input that it shares with one; undefined if no
   * server returns the transaction that created such an input.
   */
  private async isSigned(
    candidate: Candidate,
    remainingMs: () => number,
  ): Promise<boolean | undefined> {
    const { tx } = candidate
    const { watched } = this.options.pending
    if (tx === undefined || this.isAttempt(candidate)) return true
    if (watched.endedAttempt(candidate.txID) !== undefined) return true
    const backend = await this.options.backend()
    const spent = new Set(candidate.inputs.map(utxoKey))
    const shared = new Map<string, UTXOID>()
    const groups = this.options.pending.decidedBy(candidate)
    const onX = groups.flatMap(attemptsOnX)
    if (onX.some(({ bytes }) => isForgedCopy(tx, decodeTx(bytes), backend))) return false
    for (const group of groups)
      for (const attempt of group.attempts) {
        for (const utxo of exportedBy(attempt, this.options.ports))
          if (spent.has(utxoKey(utxo)) && isSignedFor(tx, utxo, utxo.output, backend)) return true
        if (otherChainOf(attempt) !== undefined) continue
        const own = decodeTx(attempt.bytes)
        for (const id of attempt.inputs.filter((input) => spent.has(utxoKey(input)))) {
          if (isSignedLike(tx, id, own, backend)) return true
          // The transaction that created an imported UTXO is on another chain.
          if (!isImported(own, id)) shared.set(utxoKey(id), id)
        }
      }
    for (const { evidence, txs } of watched.shownBy(candidate.inputs))
      for (const id of evidence.filter((one) => spent.has(utxoKey(one)))) {
        const bytes = txs.find((one) => equalBytes(idOf(one), id.txID))
        if (bytes !== undefined) return isSignedByOwners(tx, id, decodeTx(bytes), backend)
      }
    for (const id of candidate.inputs) if (watched.has([id])) shared.set(utxoKey(id), id)
    const ids = [...shared.values()]
    // Starts with another input each time: a parent that no server returns must not hide the others.
    const start = this.turn++ % Math.max(1, ids.length)
    for (const id of [...ids.slice(start), ...ids.slice(0, start)]) {
      if (remainingMs() <= 0) return undefined
      const parent = await this.parent(id, remainingMs())
      if (parent !== undefined) return isSignedByOwners(tx, id, parent, backend)
    }
    return undefined
  }

  /** The transaction that created an input. */
  private parent({ txID }: UTXOID, totalMs: number): Promise<SignedTx | undefined> {
    const name = hex.encode(txID)
    const request =
      this.parents.get(name) ??
      this.options.chain
        .findTx(txID, { totalMs: Math.max(1, totalMs) })
        .catch(ignoreAvmError)
        .finally(() => this.parents.delete(name))
    this.parents.set(name, request)
    return request
  }
}

function attemptsOnX({ attempts }: AttemptGroup): Attempt[] {
  return attempts.filter((attempt) => otherChainOf(attempt) === undefined)
}

function isImported({ unsignedTx }: SignedTx, id: UTXOID): boolean {
  const name = utxoKey(id)
  return (
    unsignedTx.type === 'ImportTx' && unsignedTx.importedInputs.some((one) => utxoKey(one) === name)
  )
}
