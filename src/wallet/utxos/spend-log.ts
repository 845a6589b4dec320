import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'

/** Remembers what is spent while UTXOs are listed: a list may be older than the blocks that are applied meanwhile. */
export class SpendLog {
  /** The keys of spent UTXOs, one set for each list that is being read. */
  private readonly logs = new Set<Set<string>>()

  /** Notes UTXOs that a transaction spends. */
  add(ids: readonly UTXOID[]): void {
    for (const log of this.logs) for (const id of ids) log.add(utxoKey(id))
  }

  /** Runs work, and passes it a function that tells whether a UTXO was spent since it began. */
  async during<T>(work: (isSpent: (id: UTXOID) => boolean) => Promise<T>): Promise<T> {
    const log = new Set<string>()
    this.logs.add(log)
    try {
      return await work((id) => log.has(utxoKey(id)))
    } finally {
      this.logs.delete(log)
    }
  }
}
