import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Clock } from '../../node/clock.ts'

/** How long a block may be awaited that shows what a server has told before. */
const MAX_WAIT_MS = 15_000

/**
 * UTXOs of a transaction that a server returns as accepted although no block was read that contains it: it is ahead of
 * those that are read, or lies.
 */
export class UnseenSpends {
  private readonly clock: Clock
  private readonly ids = new Set<string>()
  /** When the last one was added, in clock milliseconds. */
  private addedAt = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  add(ids: readonly UTXOID[]): void {
    if (ids.length === 0) return
    for (const id of ids) this.ids.add(utxoKey(id))
    this.addedAt = this.clock.now()
  }

  /** A block that was read spends these UTXOs. */
  remove(ids: readonly UTXOID[]): void {
    if (this.ids.size > 0) for (const id of ids) this.ids.delete(utxoKey(id))
  }

  clear(): void {
    this.ids.clear()
  }

  /** Whether no block has shown them for so long that they may be unspent. */
  get isDoubtful(): boolean {
    // The clock may have been set back.
    return this.ids.size > 0 && Math.abs(this.clock.now() - this.addedAt) > MAX_WAIT_MS
  }
}
