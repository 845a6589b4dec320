import type { ChainTx } from './execute.ts'

/** Puts a transaction into the mempool without verifying it; one that is there already is fine. */
export type Submit = (item: ChainTx) => void

/**
 * The queue behind `wallet.issueTx`: the first goes to the mempool at once, each next one when its
 * predecessor is accepted. Unlike the node's, a predecessor that is dropped does not block the
 * rest.
 */
export class WalletQueue {
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

  /** To be told of every transaction that was accepted or dropped. */
  decided(key: string): void {
    if (!this.waiting.delete(key)) return
    for (const next of this.waiting.values()) {
      try {
        this.submit(next)
        return
      } catch {
        // As with the node, one that the mempool refuses is gone; nobody is there to be told.
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
