/** Number of rejections that the node remembers. */
const MAX_REMEMBERED_REJECTIONS = 64

/**
 * The reasons of the rejections that were used last, by transaction ID in hex. The same bytes are rejected again with
 * the same reason, even if they would be accepted now. Follows the cache of `vms/txs/mempool/mempool.go`.
 */
export class DropMemory {
  private readonly reasons = new Map<string, string>()

  /** Returns the reason and marks the entry as recently used. */
  reasonFor(key: string): string | undefined {
    const reason = this.reasons.get(key)
    if (reason !== undefined) this.remember(key, reason)
    return reason
  }

  remember(key: string, reason: string): void {
    this.reasons.delete(key)
    this.reasons.set(key, reason)
    if (this.reasons.size <= MAX_REMEMBERED_REJECTIONS) return
    const [oldest] = this.reasons.keys()
    this.reasons.delete(oldest!)
  }

  forget(key: string): void {
    this.reasons.delete(key)
  }

  clone(): DropMemory {
    const copy = new DropMemory()
    for (const [key, reason] of this.reasons) copy.reasons.set(key, reason)
    return copy
  }
}
