import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { txID as idOf } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import { stopwatch } from '../../node/clock.ts'
import { ignoreAvmError, RpcError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import { onAbort } from '../../node/transport/abort.ts'
import type { WalletWait } from '../options.ts'
import { otherChainOf } from '../ports.ts'
import { MAX_VARIANTS } from '../recovery/variant.ts'
import { StoreError } from '../store/errors.ts'
import type { Attempt } from '../store/store.ts'
import { min } from '../utxos/live-utxos.ts'
import type { WalletState } from '../wallet-state.ts'
import { type AttemptGroup, issuedOf } from './attempts.ts'
import { History } from './history.ts'
import { isInputNotFound } from './outdated.ts'

/** Options of `drive`. */
export type DriveOptions = WalletWait & {
  readonly signal?: AbortSignal | undefined
  /** Ask `getTx` before issuing: the transaction may have been issued before. */
  readonly queryFirst?: boolean | undefined
  /**
   * Return early if this returns true: issuing the same transaction again is pointless. `rejections` is the number of
   * rejections so far; the servers are asked in turn.
   */
  readonly isStale?: ((rejections: number) => boolean) | undefined
}

/** Limits the requests for transactions that created inputs. */
const MAX_ANCESTORS = 16

const MAX_RESEND_MS = 60_000
const FIRST_RETRY_MS = 1_000
/** Time limit of one request. */
const REQUEST_TIMEOUT_MS = 10_000

/** Pause between polls for blocks while a call waits for an outcome: grows until a block is found. */
const FIRST_OUTCOME_POLL_MS = 30
const POLL_GROWTH = 1.7
const MAX_OUTCOME_POLL_MS = 500
/** A pause above this is cut short when a transaction is issued, because an idle node accepts it at once. */
const LONG_POLL_MS = 250

/**
 * Issues attempts until the chain decides. The same bytes are issued again with growing pauses; if a node
 * caches its rejection, another server is used, then a variant with the same inputs. A response to `issueTx` never ends
 * a payment.
 */
export class Issuer {
  private readonly state: WalletState
  /** Groups whose outcome a call waits for; one entry per call. */
  private readonly waiting: AttemptGroup[] = []
  private pollMs = FIRST_OUTCOME_POLL_MS
  private wakeFollower = () => {}
  private following = false
  /** An unexpected error of the follower, for the calls that wait. */
  private failure: unknown
  private readonly history: History

  constructor(state: WalletState) {
    this.state = state
    this.history = new History(state)
  }

  /**
   * Issues the newest attempt of a group until there is an outcome, the time limit is reached, or the caller aborts. If
   * the group has an outcome already, until it has no attempt left: attempts for some of its keys may outlive the
   * outcome.
   */
  async drive(group: AttemptGroup, options: DriveOptions): Promise<void> {
    const { clock } = this.state
    const { timeoutMs = 60_000, resendMs = 5_000, signal } = options
    const passed = stopwatch(clock)
    const remainingMs = () => timeoutMs - passed()
    const hadEnded = group.outcome !== undefined
    const { exported } = group
    const isDone = () =>
      signal?.aborted === true ||
      (hadEnded
        ? group.attempts.length === 0
        : group.outcome !== undefined || group.exported !== exported)
    this.enter(group)
    try {
      let rejections = 0
      for (let round = 0; !isDone() && remainingMs() > 0; round++) {
        if (this.failure !== undefined) throw this.failure
        if (round > 0 || options.queryFirst) await this.queryAttempts(group, remainingMs(), signal)
        if (isDone() || remainingMs() <= 0) return
        const turn = group.issues++
        await this.issue(group, turn, remainingMs(), signal)
        if (group.lastRejection !== undefined) rejections++
        if (options.isStale?.(rejections)) return
        const isRemembered = group.lastRejection !== undefined
        const base = isRemembered ? FIRST_RETRY_MS : resendMs
        const pauseMs = Math.min(base * 2 ** round, MAX_RESEND_MS, remainingMs())
        if (!isDone() && pauseMs > 0)
          await whileUndecided(group, signal, (undecided) => this.sleep(pauseMs, undecided))
        if (isRemembered && !isDone())
          await this.search(group, turn, { totalMs: Math.max(1, remainingMs()), signal })
        if (isRemembered && !isDone()) await this.vary(group, rejections)
      }
    } finally {
      this.waiting.splice(this.waiting.indexOf(group), 1)
    }
  }

  /** Asks the node for the attempts of a group. A failure is kept as its last error. */
  private async queryAttempts(
    group: AttemptGroup,
    remainingMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const totalMs = Math.max(1, Math.min(remainingMs, REQUEST_TIMEOUT_MS))
    try {
      // A server that does not answer must not delay an outcome that a block shows meanwhile.
      await whileUndecided(group, signal, (undecided) =>
        this.state.outcomes.queryAttempts(group, { totalMs, signal: undecided }),
      )
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      group.lastError = error
    }
  }

  /** Sends the newest attempt once, to the servers in turn. */
  private async issue(
    group: AttemptGroup,
    turn: number,
    remainingMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const attempt = issuedOf(group)!
    const port = this.state.port(attempt)
    if (port === undefined) return
    await this.state.store.assertOwned()
    this.expectBlock()
    const timeoutMs = Math.max(1, Math.min(remainingMs, REQUEST_TIMEOUT_MS))
    group.lastRejection = undefined
    try {
      await port.issue(attempt.bytes, turn, { timeoutMs, signal })
      group.lastError = undefined
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      group.lastError = error
      if (!(error instanceof RpcError)) return
      const rejection = port.rejection(error, attempt.bytes)
      if (rejection.remembered) group.lastRejection = rejection
    }
  }

  /** Searches old blocks of a server that does not have an input of the newest attempt: one of them may spend it. */
  private async search(group: AttemptGroup, turn: number, call: CallOptions): Promise<void> {
    const attempt = issuedOf(group)
    const isOnX = attempt !== undefined && otherChainOf(attempt) === undefined
    if (!isOnX || !isInputNotFound(group)) return
    // Failures are repeated after the next rejection.
    await this.readAncestors(attempt, turn, call).catch(ignoreAvmError)
    await this.history.search(group, turn, call).catch(ignoreAvmError)
  }

  /**
   * Looks for the transactions that created inputs which a server does not have. It may have shown them although they are
   * not accepted: own ones are issued again, and a transaction that conflicts with one of them decides the attempt.
   */
  private async readAncestors(attempt: Attempt, turn: number, call: CallOptions): Promise<void> {
    const { chain, pending, store } = this.state
    const port = this.state.port(attempt)!
    const known = pending.watched.txsBefore(attempt)
    if (known.length > 0) await store.assertOwned()
    for (const bytes of known) await port.issue(bytes, turn, call).catch(ignoreAvmError)
    const found = new Map(known.map((bytes) => [hex.encode(idOf(bytes)), decodeTx(bytes)]))
    let { inputs } = attempt
    for (let depth = 0; depth < MAX_ANCESTORS && inputs.length > 0; depth++) {
      const parents = new Map(inputs.map(({ txID }) => [hex.encode(txID), txID]))
      const next: UTXOID[] = []
      for (const [name, txID] of [...parents].slice(0, MAX_ANCESTORS)) {
        const tx = found.get(name) ?? (await chain.findTx(txID, call))
        if (tx === undefined) continue
        const consumed = consumedUTXOs(tx.unsignedTx)
        pending.watched.addAncestor(attempt, txID, consumed)
        // Transactions that enough servers show are accepted, and so are those before them.
        if (found.has(name)) next.push(...consumed)
      }
      inputs = next
    }
  }

  /** Claims a variant with the same inputs once every server has rejected the newest attempt. */
  private async vary(group: AttemptGroup, rejections: number): Promise<void> {
    const { live } = this.state
    const attempt = issuedOf(group)
    const port = attempt && this.state.port(attempt)
    if (attempt === undefined || port === undefined) return
    if (rejections % port.serverCount() !== 0 || group.attempts.length > MAX_VARIANTS) return
    const bytes = port.variant(attempt.bytes, await this.state.backend())
    if (bytes === undefined) return
    const fromHeight = min(live.nextHeight ?? attempt.fromHeight, attempt.fromHeight)
    try {
      await this.state.claimVariant(group, attempt, { bytes, fromHeight })
    } catch (error) {
      // Another process may have recorded the outcome, which will be read from the chain here as well.
      if (!(error instanceof StoreError)) throw error
      group.lastError = error
    }
  }

  private async sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.state.clock.sleep(ms, signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** Registers a call that waits for a group, and starts the follower unless it runs. */
  private enter(group: AttemptGroup): void {
    this.waiting.push(group)
    if (this.following) return
    this.following = true
    this.failure = undefined
    this.follow().catch((error) => {
      this.failure = error
    })
  }

  /** Makes the follower poll soon. */
  private expectBlock(): void {
    if (this.pollMs <= LONG_POLL_MS) return
    this.pollMs = FIRST_OUTCOME_POLL_MS
    this.wakeFollower()
  }

  private async follow(): Promise<void> {
    this.pollMs = FIRST_OUTCOME_POLL_MS
    try {
      while (this.waiting.length > 0) await this.poll()
    } finally {
      // In the same synchronous step as the last check of `waiting`: a later call starts another loop.
      this.following = false
    }
  }

  /** Sleeps, then applies the blocks that were accepted meanwhile. */
  private async poll(): Promise<void> {
    const { live, outcomes } = this.state
    const before = live.nextHeight
    const controller = new AbortController()
    this.wakeFollower = () => controller.abort()
    await this.sleep(this.pollMs, controller.signal)
    // Blocks of other chains are not read, so the node is asked for attempts on those.
    const others = this.waiting.filter((group) => {
      const attempt = issuedOf(group)
      return attempt !== undefined && otherChainOf(attempt) !== undefined
    })
    await Promise.all(
      others.map((group) => this.queryAttempts(group, REQUEST_TIMEOUT_MS, undefined)),
    )
    try {
      if (this.waiting.length > others.length) {
        await live.sync({ totalMs: REQUEST_TIMEOUT_MS })
        // Evidence that a server withholds must not keep the next blocks from being read.
        await outcomes.decide({ totalMs: this.pollMs })
      }
    } catch (error) {
      // The next poll tries again; `queryAttempts` keeps the reason for the caller.
      if (!(error instanceof AvmError)) throw error
    }
    this.pollMs =
      live.nextHeight === before
        ? Math.min(this.pollMs * POLL_GROWTH, MAX_OUTCOME_POLL_MS)
        : FIRST_OUTCOME_POLL_MS
  }
}

/** Runs work with a signal that is aborted when the group has an outcome or the caller aborts. */
async function whileUndecided(
  group: AttemptGroup,
  signal: AbortSignal | undefined,
  work: (undecided: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController()
  const wake = () => controller.abort(signal?.reason)
  group.wake.add(wake)
  const forget = onAbort(signal, wake)
  try {
    await work(controller.signal)
  } finally {
    group.wake.delete(wake)
    forget()
  }
}
