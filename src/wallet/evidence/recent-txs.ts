import { hex } from '../../core/base/encoding/hex.ts'

/** Limits the memory. */
const MAX_BYTES = 1_000_000

/**
 * The last own transactions that were accepted. A server may have shown one that it never forwarded: what spends its
 * outputs can be accepted only if it is issued again, and a store does not keep its bytes.
 */
export class RecentTxs {
  private readonly byID = new Map<string, Uint8Array>()
  private size = 0

  add(txID: Uint8Array, bytes: Uint8Array): void {
    const name = hex.encode(txID)
    if (this.byID.has(name)) return
    this.byID.set(name, bytes)
    this.size += bytes.length
    for (const [oldest, { length }] of this.byID) {
      if (this.size <= MAX_BYTES) return
      this.byID.delete(oldest)
      this.size -= length
    }
  }

  get(txID: Uint8Array): Uint8Array | undefined {
    return this.byID.get(hex.encode(txID))
  }
}
