import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Acceptance } from '../store/store.ts'

/** Limits the memory. The oldest ones are forgotten first, and read again when they are needed. */
const MAX_ANCESTORS = 4096

/** Transactions that created inputs of pending attempts, and so must be accepted before them. */
export class Ancestors {
  /** What each spends, by the hex of its ID. */
  private readonly inputs = new Map<string, readonly UTXOID[]>()
  /** How many of them spend a UTXO. */
  private readonly spenders = new Map<string, number>()

  /** Adds a transaction that created an input of a pending attempt, or of an ancestor of it. */
  add(txID: Uint8Array, inputs: readonly UTXOID[]): void {
    const name = hex.encode(txID)
    if (this.inputs.has(name)) return
    this.inputs.set(name, inputs)
    for (const id of inputs) this.count(id, 1)
    const [oldest] = this.inputs.keys()
    if (this.inputs.size > MAX_ANCESTORS) this.remove(oldest!)
  }

  private remove(name: string): void {
    for (const id of this.inputs.get(name) ?? []) this.count(id, -1)
    this.inputs.delete(name)
  }

  private count(id: UTXOID, change: number): void {
    const count = (this.spenders.get(utxoKey(id)) ?? 0) + change
    if (count === 0) this.spenders.delete(utxoKey(id))
    else this.spenders.set(utxoKey(id), count)
  }

  /** Whether an ancestor spends one of these UTXOs. */
  isTouched(inputs: readonly UTXOID[]): boolean {
    return this.inputs.size > 0 && inputs.some((id) => this.spenders.has(utxoKey(id)))
  }

  /**
   * IDs, as hex, of ancestors that can never be accepted if a transaction is, because they share an input with it, and of
   * those that descend from these. Not those of which it spends an output, which were accepted before it: the import of a
   * move has the inputs of its export, too.
   */
  excludedBy({ txID, inputs }: Pick<Acceptance, 'txID' | 'inputs'>): Set<string> {
    const excluded = new Set<string>()
    if (!this.isTouched(inputs)) return excluded
    const spent = new Set(inputs.map(utxoKey))
    const accepted = new Set([txID, ...inputs.map((id) => id.txID)].map(hex.encode))
    const isExcluded = (id: UTXOID) => spent.has(utxoKey(id)) || excluded.has(hex.encode(id.txID))
    for (let before = -1; before < excluded.size; ) {
      before = excluded.size
      for (const [name, consumed] of this.inputs)
        if (!accepted.has(name) && consumed.some(isExcluded)) excluded.add(name)
    }
    return excluded
  }
}
