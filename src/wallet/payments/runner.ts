import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { SumEffect } from '../../core/sign/sums.ts'
import { pauseFor, sleepFor, stopwatch } from '../../node/clock.ts'
import { RpcError } from '../../node/errors.ts'
import type { Rejection } from '../../node/issue/rejections.ts'
import { onAbort } from '../../node/transport/abort.ts'
import { throwIfAborted } from '../../node/transport/time-limit.ts'
import { type Follower, REQUEST_TIMEOUT_MS, type Waiting } from '../evidence/follower.ts'
import type { Search } from '../evidence/search.ts'
import { issuedOf } from '../machine/facts.ts'
import { isIssuing } from '../machine/issuing.ts'
import { LISTING_MS } from '../machine/listing.ts'
import { next, step } from '../machine/machine.ts'
import {
  type Answer,
  type Comparison,
  type Effect,
  type Event,
  type Facts,
  type Goal,
  type Phase,
  type Run,
  startRun,
} from '../machine/run.ts'
import { settledBy } from '../machine/standing.ts'
import { otherChainOf } from '../ports.ts'
import { StoreError } from '../store/errors.ts'
import type { Attempt, Claim, ClaimedPayment } from '../store/store.ts'
import { min } from '../utxos/chain-position.ts'
import type { WalletState } from '../wallet-state.ts'
import type { Ended, Unfinished } from './ended.ts'
import { pendingError } from './payment-errors.ts'

/** Limits of the requests for an effect. */
export type Limits = { readonly totalMs: number; readonly signal: AbortSignal | undefined }

/** A draft whose inputs are reserved. */
export type Drafted<I> = {
  /** Confirms and signs it. */
  readonly sign: () => Promise<Signed<I>>
  readonly release: () => void
}

/** A transaction to claim, and what the caller wants to know of it once it is accepted. */
export type Signed<I> = {
  readonly claim: Omit<Claim, 'again'>
  readonly info: I
  /** As of `withinSums`. */
  readonly effect?: SumEffect | undefined
}

/** Without a reason, `abort` would create an exception with a stack trace for every wait. */
const WOKEN = 'woken'

type DataOf<K extends Effect['do']> = Omit<Extract<Effect, { do: K }>, 'do' | 'ms'>

/** How a kind of call performs the effects that others perform differently. */
export type Work<I> = {
  readonly draft: (order: DataOf<'draft'>, limits: Limits) => Promise<Drafted<I>>
  /** An own transaction that has made the payments although the store does not know it. */
  readonly recall?: (payments: readonly ClaimedPayment[]) => Promise<Uint8Array | undefined>
  readonly compare?: (order: DataOf<'compare'>, limits: Limits) => Promise<Comparison>
  /** Whether the exported UTXOs of a move are listed. Otherwise returns why not. */
  readonly list?: (exported: Attempt, limits: Limits) => Promise<AvmError | undefined>
  readonly reissue?: (exported: Attempt, limits: Limits) => Promise<void>
  /** Why payments are not finished when the call ends. */
  readonly unfinished?: (unfinished: Unfinished) => Promise<unknown>
}

/** Performs what the machine decides for one call. */
export class Runner<I> {
  private readonly state: WalletState
  private readonly follower: Follower
  private readonly search: Search
  private readonly work: Work<I>
  private readonly signal: AbortSignal | undefined
  private readonly passed: () => number
  private run: Run
  private drafted: Drafted<I> | undefined
  private signed: Signed<I> | undefined
  /** By the hex of the IDs of claimed transactions. */
  private readonly infos = new Map<string, I>()
  /** Interrupt what waits for a change of the payments. */
  private readonly wakes = new Set<() => void>()
  /** The accepted export of a move, or the newest one. */
  private exported: Attempt | undefined
  /** The payments that are awaited, and what ends that. */
  private awaited: readonly ClaimedPayment[] | undefined
  private forget = () => {}

  constructor(
    parts: { readonly state: WalletState; readonly follower: Follower; readonly search: Search },
    goal: Goal,
    payments: readonly ClaimedPayment[],
    phase: Phase,
    work: Work<I>,
    signal: AbortSignal | undefined,
  ) {
    this.state = parts.state
    this.follower = parts.follower
    this.search = parts.search
    this.work = work
    this.signal = signal
    this.passed = stopwatch(parts.state.clock)
    this.run = startRun(goal, payments, phase)
  }

  /** @throws WalletError `TX_PENDING`, or what {@link Work.unfinished} returns, if there is no outcome in time */
  async finish(): Promise<Ended<I>> {
    const waiting: Waiting = { others: () => this.othersToQuery() }
    try {
      for (;;) {
        this.awaitPayments()
        const effect = next(this.run, this.facts())
        if (effect.do === 'answer') {
          const ended = await this.answered(effect.answer)
          if (ended !== undefined) return ended
          continue
        }
        if (isIssuing(this.run)) this.follower.require(waiting)
        const event = await this.perform(effect)
        this.run = step(this.run, event, this.facts())
      }
    } finally {
      this.follower.leave(waiting)
      this.forget()
      this.release()
      this.state.live.reservations.releaseAll(this)
    }
  }

  /** Keeps the endings of the payments, and is woken by them. */
  private awaitPayments(): void {
    const { payments } = this.run
    if (this.awaited === payments) return
    this.awaited = payments
    const forget = this.forget
    this.forget = this.state.pending.await(this.keys, () => {
      for (const wake of [...this.wakes]) wake()
    })
    forget()
  }
  private get keys(): string[] {
    return this.run.payments.map(({ key }) => key)
  }

  private facts(): Facts {
    const { pending } = this.state
    const attempts = pending.claims.attemptsFor(this.keys)
    const issued = issuedOf(attempts)
    const exported = pending.exportOf({ attempts })
    this.exported = exported ?? attempts.findLast(({ kind }) => kind === 'export') ?? this.exported
    return {
      now: this.passed(),
      isAborted: this.signal?.aborted === true,
      attempts,
      exported,
      variants: this.variantsOf(issued, attempts),
      servers: (issued && this.state.port(issued)?.serverCount()) ?? 1,
    }
  }

  private variantsOf(issued: Attempt | undefined, attempts: readonly Attempt[]): number {
    const port = issued && this.state.port(issued)
    if (port === undefined || attempts.length === 1) return 1
    const hash = port.hashToSign(issued!.bytes)
    return attempts.filter(
      (one) =>
        otherChainOf(one) === otherChainOf(issued!) && equalBytes(port.hashToSign(one.bytes), hash),
    ).length
  }

  private othersToQuery(): Attempt[] {
    const { attempts, exported } = this.facts()
    const issued = issuedOf(attempts)
    if (issued === undefined || otherChainOf(issued) === undefined) return []
    return attempts.filter((attempt) => attempt !== exported)
  }

  /** Undefined if the payments have ended while the reason was looked for why they have not. */
  private async answered(answer: Answer): Promise<Ended<I> | undefined> {
    if (answer.is === 'failed') throw answer.error
    if (answer.is === 'ended') {
      const { outcome, records } = answer
      this.state.pending.tell(records)
      const ending = this.state.pending.ending(records[0]!.key)
      const info = this.infos.get(hex.encode(outcome.txID))
      const exported = this.run.again ? this.exported : undefined
      return { outcome, records, info, attempt: ending?.attempt, exported }
    }
    const { attempts, exported } = this.facts()
    const unfinished = { ...this.run, attempts, exported }
    const error = await this.work.unfinished?.(unfinished)
    if (next(this.run, this.facts()).do !== 'answer') return undefined
    throw error ?? pendingError(unfinished, this.signal)
  }

  private limits(ms: number): Limits {
    return { totalMs: Math.max(1, ms), signal: this.signal }
  }

  private async perform(effect: Exclude<Effect, { do: 'answer' }>): Promise<Event> {
    switch (effect.do) {
      case 'look':
        return this.look()
      case 'recall':
        return { type: 'recalled', txID: await this.work.recall?.(effect.payments) }
      case 'draft':
        return this.tried('drafted', async () => {
          this.release()
          this.drafted = await this.work.draft(effect, this.limits(effect.ms))
        })
      case 'avoid':
        return this.avoid(effect)
      case 'sign':
        return this.tried('signed', async () => {
          this.signed = await this.drafted!.sign()
          throwIfAborted('wallet', this.signal)
        })
      case 'claim':
        return this.claim(effect)
      case 'query':
        return this.query(effect)
      case 'issue':
        return this.issue(effect)
      case 'compare':
        return this.compare(effect)
      case 'wait':
        return this.wait(effect.ms)
      case 'search':
        await this.search.find(effect.attempt, effect.turn, this.limits(effect.ms))
        return { type: 'searched' }
      case 'vary':
        return this.vary(effect.attempt)
      case 'list':
        return this.list(effect)
      case 'reissue':
        await this.work.reissue?.(effect.exported, this.limits(effect.ms))
        return { type: 'reissued' }
      case 'close':
        await this.state.store.cancel(this.run.goal.key!)
        // Nothing was canceled if the store has attempts that the wallet takes for ended.
        this.state.pending.forgetEndings([this.run.goal.key!])
        return { type: 'closed' }
    }
  }

  /** Performs what may fail. */
  private async tried(type: 'drafted' | 'signed', work: () => Promise<void>): Promise<Event> {
    try {
      await work()
      return { type }
    } catch (error) {
      return { type: 'failed', error }
    }
  }

  private async look(): Promise<Event> {
    const { store, pending } = this.state
    const { goal } = this.run
    this.release()
    const keys = goal.key === undefined ? this.keys : [goal.key]
    const records = await store.payments(keys)
    for (const record of records) {
      // If the store has failed to record how a payment ended, the wallet knows more.
      if (record.status === 'pending' && pending.ending(record.key) !== undefined) continue
      await this.state.readStore(record.key)
      pending.setEnded(record)
    }
    const settled = records.map((record) => settledBy(record, pending.ending(record.key)))
    const first = settled.find(({ status }) => status === 'pending')
    const group = first && pending.claims.groupOf(first.key)
    return { type: 'looked', records: settled, group, told: pending.toldOf(settled) }
  }

  private async avoid({ inputs }: DataOf<'avoid'>): Promise<Event> {
    const { clock, live } = this.state
    this.release()
    await this.state.readStore()
    // If no pending attempt has reserved a refused input, the store knows it as spent: a node that is behind still
    // lists it.
    live.reservations.reserveFree(inputs, this)
    // The next nonce of an account, too, is that of an earlier export until the node has it.
    if (this.run.goal.isMove) await sleepFor(clock, LISTING_MS, 'wallet', this.signal)
    return { type: 'avoided' }
  }

  private async claim({ again }: DataOf<'claim'>): Promise<Event> {
    const { claim, info, effect } = this.signed!
    try {
      const attempt = await this.state.claim({ ...claim, again }, effect)
      this.infos.set(hex.encode(attempt.txID), info)
      return { type: 'claimed' }
    } catch (error) {
      if (!(error instanceof StoreError)) return { type: 'failed', error }
      // The store has attempts that the wallet takes for ended.
      if (error.code === 'KEY_PENDING') this.state.pending.forgetEndings(this.keys)
      return { type: 'refused', error }
    } finally {
      this.release()
    }
  }

  private async wait(ms: number): Promise<Event> {
    const { over, end } = pauseFor(this.state.clock, ms)
    await this.untilWoken(end, over)
    return { type: 'waited' }
  }

  private async query({ attempts, ms }: Extract<Effect, { do: 'query' }>): Promise<Event> {
    const totalMs = Math.max(1, Math.min(ms, REQUEST_TIMEOUT_MS))
    try {
      // A server that does not answer must not delay an outcome that a block shows meanwhile.
      await this.untilDecided((signal) =>
        this.state.outcomes.queryAttempts(attempts, { totalMs, signal }),
      )
      return { type: 'queried' }
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      return { type: 'queried', error }
    }
  }

  /** Sends an attempt once, to the servers in turn. */
  private async issue({ attempt, ms }: Extract<Effect, { do: 'issue' }>): Promise<Event> {
    const { pending } = this.state
    const turn = pending.nextTurn(attempt.keys[0]!)
    const answered = (rejection?: Rejection, error?: unknown): Event => {
      if (rejection?.remembered) pending.noteRefusal(attempt)
      return { type: 'issued', turn, rejection, refusals: pending.refusalsOf(attempt), error }
    }
    const port = this.state.port(attempt)
    if (port === undefined) return answered()
    await this.state.store.assertOwned()
    this.follower.expectBlock()
    const timeoutMs = Math.max(1, Math.min(ms, REQUEST_TIMEOUT_MS))
    try {
      await port.issue(attempt.bytes, turn, { timeoutMs, signal: this.signal })
      return answered()
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      const isAnswer = error instanceof RpcError
      return answered(isAnswer ? port.rejection(error, attempt.bytes) : undefined, error)
    }
  }

  private async compare(effect: Extract<Effect, { do: 'compare' }>): Promise<Event> {
    try {
      const comparison = await this.work.compare?.(effect, this.limits(effect.ms))
      return { type: 'compared', comparison: comparison ?? 'current' }
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      return { type: 'compared', comparison: 'current', error }
    }
  }

  /** Claims a variant with the same inputs. */
  private async vary(attempt: Attempt): Promise<Event> {
    const { live } = this.state
    const bytes = this.state.port(attempt)?.variant(attempt.bytes, await this.state.backend())
    if (bytes === undefined) return { type: 'varied' }
    const fromHeight = min(live.nextHeight ?? attempt.fromHeight, attempt.fromHeight)
    try {
      const variant = await this.state.claimVariant(attempt, { bytes, fromHeight })
      const info = this.infos.get(hex.encode(attempt.txID))
      if (info !== undefined) this.infos.set(hex.encode(variant.txID), info)
      return { type: 'varied' }
    } catch (error) {
      // Another process may have recorded the outcome, which will be read from the chain here as well.
      if (!(error instanceof StoreError)) throw error
      return { type: 'varied', error }
    }
  }

  private async list({ exported, ms }: Extract<Effect, { do: 'list' }>): Promise<Event> {
    try {
      const missing = await this.work.list!(exported, this.limits(ms))
      return { type: 'listed', isListed: missing === undefined, error: missing }
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      return { type: 'listed', isListed: undefined, error }
    }
  }

  /** Runs work with a signal that is aborted when the payments change or the caller aborts. */
  private async untilDecided(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController()
    const wake = () => controller.abort(this.signal?.reason ?? WOKEN)
    await this.untilWoken(wake, work(controller.signal))
  }

  /** Awaits work that `wake` ends when the payments change or the caller aborts. */
  private async untilWoken(wake: () => void, work: Promise<void>): Promise<void> {
    this.wakes.add(wake)
    const forget = onAbort(this.signal, wake)
    try {
      await work
    } finally {
      this.wakes.delete(wake)
      forget()
    }
  }

  /** Releases what the last draft has reserved and no claim has taken over. */
  private release(): void {
    this.drafted?.release()
    this.drafted = undefined
  }
}
