import type { Custody, PayoutRequest, PayoutResult } from '../index.ts'

type Waiting = {
  readonly request: PayoutRequest
  readonly resolve: (added: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Most payouts that are added together. */
const MAX_TOGETHER = 1_000

/**
 * Adds payouts of concurrent requests together: while a transaction of an identity runs, its other requests wait for the
 * next. Each gets its own result, after the commit.
 */
export class RequestQueue {
  private readonly custodyAs: (identity: string) => Pick<Custody, 'requestEach'>
  private readonly queues = new Map<string, Waiting[]>()

  constructor(custodyAs: (identity: string) => Pick<Custody, 'requestEach'>) {
    this.custodyAs = custodyAs
  }

  /** Returns whether the payout was added; false if it was known. */
  add(identity: string, request: PayoutRequest): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const waiting = { request, resolve, reject }
      const queue = this.queues.get(identity)
      if (queue !== undefined) {
        queue.push(waiting)
        return
      }
      this.queues.set(identity, [waiting])
      // Requests that have arrived on other connections are read first.
      setImmediate(() => void this.run(identity))
    })
  }

  private async run(identity: string): Promise<void> {
    const queue = this.queues.get(identity)!
    while (queue.length > 0) {
      const together = queue.splice(0, MAX_TOGETHER)
      try {
        const requests = together.map(({ request }) => request)
        const results = await this.custodyAs(identity).requestEach(requests)
        for (const [i, one] of together.entries()) settle(one, results[i]!)
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
    this.queues.delete(identity)
  }
}

function settle({ resolve, reject }: Waiting, result: PayoutResult): void {
  if ('error' in result) reject(result.error)
  else resolve(result.added)
}
