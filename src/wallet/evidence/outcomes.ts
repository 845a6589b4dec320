import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { txID as idOf, utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
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
import { type ChainPort, exportedBy, type OtherPorts, otherChainOf } from '../ports.ts'
import { StoreError } from '../store/errors.ts'
import type { Attempt, Store } from '../store/store.ts'
import { acceptanceOf } from './acceptance.ts'
import { copyOf } from './copies.ts'
import type { Candidate, Pending } from './pending.ts'
import { isSignedByOwners, isSignedFor, isSignedLike } from './signatures.ts'

/** Dependencies of {@link Outcomes}. */
export type OutcomesOptions = {
  readonly chain: ChainView
  readonly clock: Clock
  readonly store: Store
  readonly pending: Pending
  readonly addresses: readonly Uint8Array[]
  readonly backend: () => Promise<Secp256k1Backend>
  /** Reads attempts that other wallets have claimed. */
  readonly readStore: () => Promise<void>
  /** The next variant of a transaction of the X-Chain. */
  readonly variant: ChainPort['variant']
  /** Records a variant: an attempt with other signatures. */
  readonly claimVariant: (
    attempt: Attempt,
    variant: Pick<Attempt, 'bytes' | 'fromHeight'>,
  ) => Promise<unknown>
  readonly ports: OtherPorts
  /** Called with the inputs of an accepted transaction, before a block has shown it or after that. */
  readonly onSpent: (inputs: readonly UTXOID[]) => void
  /** Called with the inputs of attempts that have ended. */
  readonly onFree: (inputs: readonly UTXOID[]) => void
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
  /** Candidates that are not decided yet because the evidence could not be read, by their IDs. */
  readonly candidates: Map<string, Candidate> = new Map()
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
    const found = block.txs.flatMap((tx) => this.consider(tx, isAgreed) ?? [])
    const isOwn = found.some((candidate) => this.isAttempt(candidate))
    await Promise.all(found.map((candidate) => this.decideOnce(candidate)))
    return isOwn
  }

  /** Remembers an accepted transaction as a candidate if it may decide a pending or ended attempt. */
  private consider(tx: SignedTx, isAgreed = false): Candidate | undefined {
    const inputs = consumedUTXOs(tx.unsignedTx)
    if (!this.options.pending.isTouched(inputs)) return undefined
    const candidate = { tx, txID: idOf(tx), inputs, isAgreed }
    this.candidates.set(hex.encode(candidate.txID), candidate)
    return candidate
  }

  /** Takes an accepted transaction of another program, for which there is proof, as evidence. */
  async decideBy(found: Candidate, call: CallOptions): Promise<void> {
    this.candidates.set(hex.encode(found.txID), found)
    await this.decide(call)
  }

  /** Requests attempts by their IDs. */
  async queryAttempts(attempts: readonly Attempt[], call: CallOptions): Promise<void> {
    const answers = await Promise.allSettled(attempts.map((attempt) => this.query(attempt, call)))
    await this.decide(call)
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
  }

  private async query(attempt: Attempt, call: CallOptions): Promise<void> {
    const { chain, ports } = this.options
    const other = otherChainOf(attempt)
    if (other !== undefined) {
      if (await ports[other]?.isAccepted(attempt.txID, call))
        this.candidates.set(hex.encode(attempt.txID), attempt)
      return
    }
    const tx = await chain.findTx(attempt.txID, call)
    if (tx !== undefined) this.consider(tx)
  }

  /**
   * Decides all candidates for which there is enough evidence; others are kept for later. They are decided
   * concurrently, so that a file store writes the outcomes of a block at once.
   */
  async decide(call: CallOptions): Promise<void> {
    const candidates = [...this.candidates.values()]
    const decisions = Promise.all(candidates.map((one) => this.decideOnce(one)))
    await waitFor('wallet', decisions, call, this.options.clock)
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

  /** Decides a candidate, or keeps it for later. */
  private async decideOne(candidate: Candidate): Promise<void> {
    if (!(await this.isOpen(candidate))) this.candidates.delete(hex.encode(candidate.txID))
  }

  /** Whether the evidence for or against a candidate is not complete. Otherwise it is decided. */
  private async isOpen(candidate: Candidate): Promise<boolean> {
    const { pending, readStore } = this.options
    const remainingMs = countdown(this.options.clock, EVIDENCE_TIMEOUT_MS)
    // First, because a server can invent any number of transactions, but not signatures.
    const isSigned = await this.isSigned(candidate, remainingMs)
    if (isSigned === false) return false
    // Other wallets claim before they issue, so the store has their attempt, unless its outcome is recorded already. It may
    // be one for other payments, which spends outputs that show a rival: an export does not end its move.
    if (!this.isAttempt(candidate)) await readStore()
    if (!pending.isTouched(candidate.inputs) && !this.isAttempt(candidate)) return false
    if (isSigned === undefined && !this.isAttempt(candidate)) {
      if (this.candidates.size > MAX_UNVERIFIED_CANDIDATES)
        this.candidates.delete(hex.encode(candidate.txID))
      return true
    }
    if (!(await this.isShown(candidate, remainingMs))) return true
    if (!this.isAttempt(candidate)) await this.claimIfVariant(candidate)
    await this.accept(candidate)
    return false
  }

  /** Ends attempts by an accepted transaction, in the store and in the wallet. */
  private async accept(candidate: Candidate): Promise<void> {
    const { pending, store, addresses, ports, onSpent, onFree, onFalse } = this.options
    const isOfMove = pending.decidedBy(candidate).some(({ leg }) => leg)
    const decided = isOfMove ? ports.decideMove?.(candidate, pending) : candidate
    if (decided === undefined) return
    const acceptance = acceptanceOf(decided, pending, addresses)
    if (pending.claims.rivals.isNews(acceptance)) onFalse()
    // If this fails, the outcome is read from the chain again after a restart.
    await store.recordAcceptance(acceptance).catch(() => {})
    onSpent(acceptance.inputs)
    onFree(pending.record(acceptance))
  }

  private isAttempt({ txID }: Candidate): boolean {
    return this.options.pending.attempt(txID) !== undefined
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
    const attempt = attemptsOnX(pending.decidedBy(candidate)).find(
      ({ bytes }) => this.copyOf(tx, bytes, backend) === 'attempt',
    )
    if (attempt === undefined) return
    try {
      await claimVariant(attempt, { ...attempt, bytes: encodeTx(tx) })
    } catch (error) {
      // Another wallet may have recorded the outcome.
      const isRecorded =
        error instanceof StoreError && ['KEY_ACCEPTED', 'KEY_UNKNOWN'].includes(error.code)
      if (!isRecorded) throw error
    }
  }

  private copyOf(tx: SignedTx, attempt: Uint8Array, backend: Secp256k1Backend) {
    return copyOf(tx, attempt, (bytes) => this.options.variant(bytes, backend), backend)
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
    const { pending, ports } = this.options
    const { rivals } = pending.claims
    const { tx, txID, inputs } = candidate
    if (tx === undefined || this.isAttempt(candidate)) return true
    if (rivals.ended.has(hex.encode(txID))) return true
    const backend = await this.options.backend()
    const spent = new Set(inputs.map(utxoKey))
    const shared = new Map<string, UTXOID>()
    const decided = pending.decidedBy(candidate)
    const onX = attemptsOnX(decided)
    if (onX.some(({ bytes }) => this.copyOf(tx, bytes, backend) === 'forged')) return false
    for (const attempt of decided)
      for (const utxo of exportedBy(attempt, ports))
        if (spent.has(utxoKey(utxo)) && isSignedFor(tx, utxo, utxo.output, backend)) return true
    for (const attempt of onX) {
      const own = decodeTx(attempt.bytes)
      for (const id of attempt.inputs.filter((input) => spent.has(utxoKey(input)))) {
        if (isSignedLike(tx, id, own, backend)) return true
        // The transaction that created an imported UTXO is on another chain.
        if (!isImported(own, id)) shared.set(utxoKey(id), id)
      }
    }
    for (const id of inputs)
      for (const rival of rivals.shownBy([id])) {
        const bytes = rival.txs.find((one) => equalBytes(idOf(one), id.txID))
        if (bytes !== undefined) return isSignedByOwners(tx, id, decodeTx(bytes), backend)
      }
    for (const id of inputs)
      if (rivals.isTouched(id) || pending.ancestors.isTouched([id])) shared.set(utxoKey(id), id)
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

function attemptsOnX(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter((attempt) => otherChainOf(attempt) === undefined)
}

function isImported({ unsignedTx }: SignedTx, id: UTXOID): boolean {
  const name = utxoKey(id)
  return (
    unsignedTx.type === 'ImportTx' && unsignedTx.importedInputs.some((one) => utxoKey(one) === name)
  )
}
