import type { Clock } from '../../node/clock.ts'
import { type Limits, waitFor } from '../../node/transport/time-limit.ts'

type Poll = { readonly done: Promise<void>; callers: number }

/**
 * Polls that calls share. A call during a poll waits for the next one, which starts after it. A poll has time limits of
 * its own, so that a call with a shorter one, or one that aborts, does not end it for others.
 */
export class SharedPolls {
  private readonly clock: Clock
  private readonly poll: (isWanted: () => boolean) => Promise<void>
  private running: Poll | undefined
  private next: Poll | undefined

  /** @param poll - does the work; should end when `isWanted` is false, because none of its calls waits any longer */
  constructor(clock: Clock, poll: (isWanted: () => boolean) => Promise<void>) {
    this.clock = clock
    this.poll = poll
  }

  /** @throws AbortError, TimeoutError */
  async wait(limits: Limits): Promise<void> {
    const { running } = this
    const poll = running === undefined ? this.begin() : (this.next ?? this.begin(running.done))
    if (running === undefined) this.running = poll
    else this.next = poll
    poll.callers++
    try {
      await waitFor('wallet', poll.done, limits, this.clock)
    } finally {
      poll.callers--
    }
  }

  /** Starts a poll, after another one if there is one. */
  private begin(earlier: Promise<void> = Promise.resolve()): Poll {
    const done = earlier
      .catch(() => {})
      .then(() => this.poll(() => poll.callers > 0))
      .finally(() => {
        this.running = this.next
        this.next = undefined
      })
    const poll: Poll = { done, callers: 0 }
    return poll
  }
}
