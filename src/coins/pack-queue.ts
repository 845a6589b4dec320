import type { Bin } from './pack-bin.ts'
import type { Pool } from './pool.ts'
import type { UTXOStore } from './store/utxo-store.ts'

/** UTXOs of one size, and how many of them were passed: now, and when the transaction was begun. */
type Line = { readonly rows: Uint32Array; at: number; begun: number }

/**
 * UTXOs that wait, by size: those of one size fit or do not fit together. First goes the widest or, where the
 * rows come from large to small, the largest.
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

  /** Moves a UTXO into the bin and returns its row, or -1 where none fits. */
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

  /** The same for the narrowest UTXO of at least an amount, where the rows come from large to small. */
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

  /** The UTXO that is next, or -1. */
  head(): number {
    for (const line of this.lines)
      if (this.pass(line) < line.rows.length) return line.rows[line.at]!
    return -1
  }

  isEmpty(): boolean {
    return this.head() < 0
  }

  /** Passes over UTXOs that were packed meanwhile. */
  private pass(line: Line): number {
    while (line.at < line.rows.length && this.packed[line.rows[line.at]!] === 1) line.at++
    return line.at
  }

  private compareHeads(a: Line, b: Line): number {
    const [one, two] = [a.rows[a.at], b.rows[b.at]]
    if (one === undefined || two === undefined) return one === two ? 0 : one === undefined ? 1 : -1
    return this.store.compare(one, two, 'largest')
  }

  /** Remembers where a transaction begins. */
  begin(): void {
    for (const line of this.lines) line.begun = line.at
  }

  /** Goes back to there, since its UTXOs were taken out of it again. */
  rewind(): void {
    for (const line of this.lines) line.at = line.begun
  }

  left(): number[] {
    return this.lines.flatMap(({ rows }) => [...rows.filter((row) => this.packed[row] === 0)])
  }
}
