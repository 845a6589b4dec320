import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Acceptance, Attempt } from '../store/store.ts'

/** A transaction that created an input of a pending attempt, and so must be accepted before it. */
type Ancestor = { readonly txID: Uint8Array; readonly attempt: Attempt }

/** What the ancestors of pending attempts spend: another transaction that spends it ends these attempts, too. */
export class Ancestors {
  private readonly byInput = new Map<string, Ancestor[]>()

  /** Adds a transaction that created an input of a pending attempt, or of an ancestor of it. */
  add(attempt: Attempt, txID: Uint8Array, inputs: readonly UTXOID[]): void {
    for (const id of inputs) {
      const name = utxoKey(id)
      const known = this.byInput.get(name) ?? []
      if (known.some((one) => one.attempt === attempt)) continue
      this.byInput.set(name, [...known, { txID, attempt }])
    }
  }

  /** Forgets the ancestors of attempts that have ended. */
  remove(attempts: ReadonlySet<Attempt>): void {
    for (const [name, known] of this.byInput) {
      const left = known.filter(({ attempt }) => !attempts.has(attempt))
      if (left.length === 0) this.byInput.delete(name)
      else this.byInput.set(name, left)
    }
  }

  /** Whether an ancestor spends one of these UTXOs. */
  isTouched(inputs: readonly UTXOID[]): boolean {
    return this.byInput.size > 0 && inputs.some((id) => this.byInput.has(utxoKey(id)))
  }

  /** Attempts that can never be accepted if a transaction is, because it conflicts with an ancestor of theirs. */
  excludedBy({ txID, inputs }: Pick<Acceptance, 'txID' | 'inputs'>): Attempt[] {
    const name = hex.encode(txID)
    const conflicting = inputs.flatMap((id) => this.byInput.get(utxoKey(id)) ?? [])
    return conflicting.flatMap((one) => (hex.encode(one.txID) === name ? [] : [one.attempt]))
  }
}
