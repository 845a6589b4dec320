import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { txID as idOf, utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import type { Attempt, EndedAttempt } from '../store/store.ts'

/** A transaction that created an input of a pending attempt, and so must be accepted before it. */
type Ancestor = { readonly txID: Uint8Array; readonly attempt: Attempt }

/**
 * UTXOs besides the inputs of pending attempts of which a transaction that spends them matters: those of ended attempts,
 * which may be accepted after all, the outputs that show their rivals, and the inputs of ancestors of pending attempts.
 */
export class Watched {
  private readonly ended = new Map<string, EndedAttempt>()
  /** Inputs and evidence of ended attempts. */
  private readonly ofEnded = new Set<string>()
  private readonly ancestors = new Map<string, Ancestor[]>()

  /** Replaces what is known of the ended attempts of payments. */
  setEnded(keys: readonly string[], ended: readonly EndedAttempt[]): void {
    const replaced = new Set(keys)
    for (const [name, one] of this.ended)
      if (one.keys.some((key) => replaced.has(key))) this.ended.delete(name)
    for (const one of ended) this.ended.set(hex.encode(one.txID), one)
    this.ofEnded.clear()
    for (const { inputs, evidence } of this.ended.values())
      for (const id of [...inputs, ...evidence]) this.ofEnded.add(utxoKey(id))
  }

  /** Watches the inputs of a transaction that created an input of a pending attempt. */
  addAncestor(attempt: Attempt, txID: Uint8Array, inputs: readonly UTXOID[]): void {
    for (const id of inputs) {
      const name = utxoKey(id)
      const known = this.ancestors.get(name) ?? []
      if (known.some((one) => one.attempt === attempt)) continue
      this.ancestors.set(name, [...known, { txID, attempt }])
    }
  }

  /** Forgets the ancestors of attempts that have ended. */
  remove(attempts: readonly Attempt[]): void {
    if (this.ancestors.size === 0) return
    for (const [name, known] of this.ancestors) {
      const left = known.filter(({ attempt }) => !attempts.includes(attempt))
      if (left.length === 0) this.ancestors.delete(name)
      else this.ancestors.set(name, left)
    }
  }

  /** Whether a transaction with these inputs may matter. */
  has(inputs: readonly UTXOID[]): boolean {
    return inputs.some((id) => this.ofEnded.has(utxoKey(id)) || this.ancestors.has(utxoKey(id)))
  }

  /** The ended attempt that a transaction is. */
  endedAttempt(txID: Uint8Array): EndedAttempt | undefined {
    return this.ended.get(hex.encode(txID))
  }

  /** The ended attempts that a transaction with these inputs conflicts with, or whose rivals it descends from. */
  endedFor(inputs: readonly UTXOID[]): EndedAttempt[] {
    const spent = new Set(inputs.map(utxoKey))
    return [...this.ended.values()].filter((ended) =>
      [...ended.inputs, ...ended.evidence].some((id) => spent.has(utxoKey(id))),
    )
  }

  /** The ended attempts whose rivals a transaction with these inputs descends from. */
  shownBy(inputs: readonly UTXOID[]): EndedAttempt[] {
    const spent = new Set(inputs.map(utxoKey))
    return [...this.ended.values()].filter(({ evidence }) =>
      evidence.some((id) => spent.has(utxoKey(id))),
    )
  }

  /** The transactions behind the inputs of an attempt, oldest first, that show rivals of ended attempts. */
  txsBefore({ inputs }: Attempt): Uint8Array[] {
    const before = this.shownBy(inputs).flatMap(({ txs }) => txs)
    return [...new Map(before.map((tx) => [hex.encode(tx), tx])).values()]
  }

  /**
   * IDs, as hex, of the rivals of ended attempts that can never be accepted if a transaction is, because they share an input
   * with it, and of the transactions that descend from these.
   */
  excludedBy(txID: Uint8Array, inputs: readonly UTXOID[]): Set<string> {
    const spent = new Set(inputs.map(utxoKey))
    const excluded = new Set<string>()
    for (const bytes of this.endedFor(inputs).flatMap(({ txs }) => txs)) {
      const name = hex.encode(idOf(bytes))
      const isExcluded = (id: UTXOID) => spent.has(utxoKey(id)) || excluded.has(hex.encode(id.txID))
      if (name !== hex.encode(txID) && consumedUTXOs(decodeTx(bytes).unsignedTx).some(isExcluded))
        excluded.add(name)
    }
    return excluded
  }

  /** Whether a transaction shows for the first time that a rival was not accepted. */
  isNews(txID: Uint8Array, inputs: readonly UTXOID[]): boolean {
    const isKnown = (tx: Uint8Array) => equalBytes(idOf(tx), txID)
    return (
      this.excludedBy(txID, inputs).size > 0 &&
      !this.endedFor(inputs).some(({ txs }) => txs.some(isKnown))
    )
  }

  /** Pending attempts that can never be accepted if a transaction is: it conflicts with an ancestor of theirs. */
  endedBy(txID: Uint8Array, inputs: readonly UTXOID[]): Attempt[] {
    const name = hex.encode(txID)
    const conflicting = inputs.flatMap((id) => this.ancestors.get(utxoKey(id)) ?? [])
    return conflicting.flatMap((one) => (hex.encode(one.txID) === name ? [] : [one.attempt]))
  }
}
