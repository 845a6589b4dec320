import type { CustodyStatus } from '../index.ts'
import type { DepositFeed } from './deposit-feed.ts'
import type { RequestQueue } from './request-queue.ts'

/** What the handlers of all requests share. */
export type Shared = {
  readonly requests: RequestQueue
  readonly feed: DepositFeed
  /** The status, read at most once a second: it asks the database and all servers of the node. */
  readonly status: () => Promise<CustodyStatus>
  /** Seconds since all blocks were applied, after which `/health` fails. */
  readonly maxLagSeconds: number
}

/** Calls a function at most once per `ms`, and returns its last result in between. A failure is not kept. */
export function atMostEvery<T>(ms: number, call: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined
  let at = Number.NEGATIVE_INFINITY
  return () => {
    if (last !== undefined && performance.now() - at < ms) return last
    at = performance.now()
    const next = call()
    last = next
    next.catch(() => {
      if (last === next) last = undefined
    })
    return next
  }
}
