import type { ChainTx } from './execute.ts'

/** Adds a transaction to the mempool without verification; does nothing if it is pending. */
export type Submit = (item: ChainTx) => void

/**
 * The queue of `wallet.issueTx`: the first transaction goes to the mempool immediately, each next one when its
 * predecessor is accepted. Unlike in the node, a dropped predecessor does not block the queue.
 */
export class WalletQueue {
  /** Transactions in order of arrival; the first one is in the mempool. */
  private readonly waiting = new Map<string, ChainTx>()
  private readonly submit: Submit

  constructor(submit: Submit) {
    this.submit = submit
  }

  issue(item: ChainTx): void {
    if (this.waiting.has(item.key)) return
    if (this.waiting.size === 0) this.submit(item)
    this.waiting.set(item.key, item)
  }

  /** Must be called for every transaction that is accepted or dropped. */
  decided(key: string): void {
    if (!this.waiting.delete(key)) return
    for (const next of this.waiting.values()) {
      try {
        this.submit(next)
        return
      } catch {
        // As in the node, a transaction that the mempool rejects is dropped silently.
        this.waiting.delete(next.key)
      }
    }
  }

  items(): ChainTx[] {
    return [...this.waiting.values()]
  }

  restore(items: readonly ChainTx[]): void {
    this.waiting.clear()
    for (const item of items) this.waiting.set(item.key, item)
  }
}
