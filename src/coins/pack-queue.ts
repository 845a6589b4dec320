import type { Bin } from './pack-bin.ts'
import type { Pool } from './pool.ts'
import type { UTXOStore } from './store/utxo-store.ts'

/** UTXOs of one size with the current position, and the position at the start of the current transaction. */
type Line = { readonly rows: Uint32Array; at: number; begun: number }

/**
 * UTXOs waiting to be packed, grouped by size: of UTXOs with the same size, either each fits or none. Takes the
 * widest first or, if the rows are in descending order, the largest.
 */
export class Queue {
  private readonly store: UTXOStore
  private readonly packed: Uint8Array
  private readonly first: 'widest' | 'largest'
  private readonly lines: Line[]

  constructor({ store }: Pool, rows: Uint32Array, packed: Uint8Array, first: 'widest' | 'largest') {
    this.store = store
    this.packed = packed
    this.first = first
    const { owners } = store
    const seen = new Uint8Array(owners.size)
    for (let i = 0; i < rows.length; i++) seen[store.groupOf(rows[i]!)] = 1
    const thresholds = new Set<number>()
    seen.forEach((is, of) => {
      if (is === 1) thresholds.add(owners.threshold(of))
    })
    this.lines = [...thresholds]
      .sort((a, b) => b - a)
      .map((threshold) => ({
        rows:
          thresholds.size === 1
            ? rows
            : rows.filter((row) => owners.threshold(store.groupOf(row)) === threshold),
        at: 0,
        begun: 0,
      }))
  }

  /** Moves a UTXO into the bin and returns its row, or -1 if none fits. */
  take(bin: Bin): number {
    for (const line of this.lines) this.pass(line)
    if (this.first === 'largest' && this.lines.length > 1)
      this.lines.sort((a, b) => this.compareHeads(a, b))
    for (const { rows, at } of this.lines) {
      const row = rows[at]
      if (row === undefined || !bin.add(row)) continue
      this.packed[row] = 1
      return row
    }
    return -1
  }

  /** Like `take`, for the narrowest UTXO of at least `amount`. Requires rows in descending order. */
  takeNarrowest(bin: Bin, amount: bigint): number {
    const { store } = this
    const heads = this.lines
      .map((line) => line.rows[this.pass(line)])
      .filter((row) => row !== undefined && store.amount(row) >= amount) as number[]
    const [row] = heads.sort((a, b) => store.spendSize(a) - store.spendSize(b))
    if (row === undefined || !bin.add(row)) return -1
    this.packed[row] = 1
    return row
  }

  /** Returns the next row, or -1. */
  head(): number {
    for (const line of this.lines)
      if (this.pass(line) < line.rows.length) return line.rows[line.at]!
    return -1
  }

  isEmpty(): boolean {
    return this.head() < 0
  }

  /** Skips UTXOs that have been packed. */
  private pass(line: Line): number {
    while (line.at < line.rows.length && this.packed[line.rows[line.at]!] === 1) line.at++
    return line.at
  }

  private compareHeads(a: Line, b: Line): number {
    const [one, two] = [a.rows[a.at], b.rows[b.at]]
    if (one === undefined || two === undefined) return one === two ? 0 : one === undefined ? 1 : -1
    return this.store.compare(one, two, 'largest')
  }

  /** Saves the position at the start of a transaction. */
  begin(): void {
    for (const line of this.lines) line.begun = line.at
  }

  /** Restores that position after the transaction was discarded. */
  rewind(): void {
    for (const line of this.lines) line.at = line.begun
  }

  left(): number[] {
    return this.lines.flatMap(({ rows }) => [...rows.filter((row) => this.packed[row] === 0)])
  }
}
