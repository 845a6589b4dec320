import { AvmError } from '../../core/base/errors.ts'
import { pauseFor } from '../../node/clock.ts'
import type { Attempt } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'

/** Time limit of one request. */
export const REQUEST_TIMEOUT_MS = 10_000

/** Pause between polls for blocks while a call waits for an outcome: grows until a block is found. */
const FIRST_OUTCOME_POLL_MS = 30
const POLL_GROWTH = 1.7
/** The longest pause in the first second of waiting, and after a block; longer if polls took more than a share of it. */
const NEARBY_POLL_MS = 45
const EXPECTING_MS = 1_000
const POLL_SHARE = 0.2
const MAX_OUTCOME_POLL_MS = 500
/** A pause above this is cut short when a transaction is issued, because an idle node accepts it at once. */
const LONG_POLL_MS = 250

/** A call that waits for an outcome. */
export type Waiting = {
  /** The attempts to ask servers for: those on other chains, whose blocks are not read. */
  readonly others: () => readonly Attempt[]
}

/** Reads blocks while calls wait for outcomes. */
export class Follower {
  private readonly state: WalletState
  private readonly waiting = new Set<Waiting>()
  private pollMs = FIRST_OUTCOME_POLL_MS
  /** When the first call began to wait, or a block was found, in clock milliseconds. */
  private expectingSince = 0
  private wake = () => {}
  private isFollowing = false
  /** An unexpected error, for the calls that wait. */
  private failure: unknown

  constructor(state: WalletState) {
    this.state = state
  }

  /**
   * Follows blocks until the call leaves.
   *
   * @throws what has ended the follower since the call has entered
   */
  require(call: Waiting): void {
    if (this.waiting.has(call) && this.failure !== undefined) throw this.failure
    this.waiting.add(call)
    if (this.isFollowing) return
    this.isFollowing = true
    this.failure = undefined
    this.follow().catch((error) => {
      this.failure = error
    })
  }

  leave(call: Waiting): void {
    this.waiting.delete(call)
  }

  /** Makes the follower poll soon. */
  expectBlock(): void {
    if (this.pollMs <= LONG_POLL_MS) return
    this.pollMs = FIRST_OUTCOME_POLL_MS
    this.wake()
  }

  private async follow(): Promise<void> {
    this.pollMs = FIRST_OUTCOME_POLL_MS
    this.expectingSince = this.state.clock.now()
    try {
      while (this.waiting.size > 0) await this.poll()
    } finally {
      // In the same synchronous step as the last check of `waiting`: a later call starts another loop.
      this.isFollowing = false
    }
  }

  /** Sleeps, then applies the blocks that were accepted meanwhile. */
  private async poll(): Promise<void> {
    const { live, outcomes, clock } = this.state
    const before = live.nextHeight
    const { over, end } = pauseFor(clock, this.pollMs)
    this.wake = end
    await over
    const startedAt = clock.now()
    const calls = [...this.waiting]
    const others = calls.map(({ others }) => others()).filter(({ length }) => length > 0)
    await Promise.allSettled(
      others.map((attempts) => outcomes.queryAttempts(attempts, { totalMs: REQUEST_TIMEOUT_MS })),
    )
    try {
      if (calls.length > others.length) {
        await live.sync({ totalMs: REQUEST_TIMEOUT_MS })
        // Evidence that a server withholds must not keep the next blocks from being read.
        await outcomes.decide({ totalMs: this.pollMs })
      }
    } catch (error) {
      // The next poll tries again; the calls that wait ask by themselves, and keep the reason.
      if (!(error instanceof AvmError)) throw error
    }
    this.setPause(live.nextHeight !== before, clock.now() - startedAt)
  }

  /** @param tookMs - duration of the last poll */
  private setPause(isBlockFound: boolean, tookMs: number): void {
    const now = this.state.clock.now()
    if (isBlockFound) this.expectingSince = now
    this.pollMs = nextPause(this.pollMs, now - this.expectingSince, tookMs, isBlockFound)
  }
}

/** The pause after a poll, in milliseconds; `expectedMs` ago a call began to wait, or a block was found. */
export function nextPause(
  pauseMs: number,
  expectedMs: number,
  tookMs: number,
  isBlockFound: boolean,
): number {
  if (isBlockFound) return FIRST_OUTCOME_POLL_MS
  const nearbyMs = Math.max(NEARBY_POLL_MS, tookMs / POLL_SHARE)
  // A clock that was set back must not make polls frequent until it has caught up.
  const isExpecting = expectedMs >= 0 && expectedMs <= EXPECTING_MS
  const longest = isExpecting ? nearbyMs : MAX_OUTCOME_POLL_MS
  return Math.min(pauseMs * POLL_GROWTH, longest, MAX_OUTCOME_POLL_MS)
}
