import type { Custody, Deposit } from '../index.ts'
import { ServiceError } from './errors.ts'

/** Requests of one identity, and of all, that may wait at the same time. */
const MAX_PER_READER = 64
const MAX_WAITING = 1_000

type Wait = {
  readonly read: () => Promise<Deposit[]>
  readonly after: bigint
  readonly waitMs: number
  readonly reader: string
  readonly signal: AbortSignal
}

/** Lets requests wait for deposits. All of them share one connection that listens, which exists only while some wait. */
export class DepositFeed {
  private readonly custody: Pick<Custody, 'followDeposits'>
  private readonly waiting = new Set<() => void>()
  private readonly perReader = new Map<string, number>()
  private listening: AbortController | undefined
  /** Number of times that waiting requests were woken. */
  private wakes = 0

  constructor(custody: Pick<Custody, 'followDeposits'>) {
    this.custody = custody
  }

  /** Reads; if there is nothing, waits for a deposit and reads again, at most for `waitMs`. */
  async read({ read, after, waitMs, reader, signal }: Wait): Promise<Deposit[]> {
    const deadline = performance.now() + waitMs
    let seen = this.wakes
    const found = await read()
    if (found.length > 0 || waitMs === 0) return found
    const count = this.perReader.get(reader) ?? 0
    if (count >= MAX_PER_READER || this.waiting.size >= MAX_WAITING)
      throw new ServiceError('RATE_LIMITED', 'too many requests wait for deposits', {
        retryAfter: 1,
      })
    this.perReader.set(reader, count + 1)
    try {
      for (;;) {
        const remaining = deadline - performance.now()
        if (remaining <= 0 || signal.aborted) return []
        // A deposit may have arrived after the last read began.
        if (seen === this.wakes) await this.next(after, remaining, signal)
        seen = this.wakes
        const deposits = await read()
        if (deposits.length > 0) return deposits
      }
    } finally {
      const left = this.perReader.get(reader)! - 1
      if (left === 0) this.perReader.delete(reader)
      else this.perReader.set(reader, left)
    }
  }

  /** Resolves after the next deposit, after a time, or when the signal is aborted. */
  private async next(after: bigint, ms: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) return end()
      this.waiting.add(end)
      this.listen(after)
    })
    if (this.waiting.size === 0) {
      this.listening?.abort()
      this.listening = undefined
    }
  }

  /** Follows deposits from a cursor after which there was none, until nobody waits. */
  private listen(after: bigint): void {
    if (this.listening !== undefined) return
    const controller = new AbortController()
    this.listening = controller
    const follow = async () => {
      try {
        const { signal } = controller
        for await (const _ of this.custody.followDeposits({ after, limit: 1_000, signal }))
          this.wake()
      } catch {
        // The readers find out why when they read again.
      }
      if (this.listening === controller) {
        this.listening = undefined
        this.wake()
      }
    }
    void follow()
  }

  private wake(): void {
    this.wakes++
    for (const end of [...this.waiting]) end()
  }
}
