import type { Pool } from '../pool.ts'
import type { UTXOStore } from '../store/utxo-store.ts'
import type { Bin } from './pack-bin.ts'

/** UTXOs of one size with the current position, and the position at the start of the current transaction. */
type Line = { readonly rows: Uint32Array; at: number; startAt: number }

/**
 * UTXOs waiting to be packed, grouped by size in bytes: of UTXOs with the same size, either each fits or none. With
 * `first: 'widest'`, takes those with the most bytes (most signers) first; with `'largest'`, those with the largest
 * amount, which requires rows in descending order.
 */
export class Queue {
  private readonly store: UTXOStore
  /** 1 for each row of the store that has been packed. */
  private readonly packed: Uint8Array
  private readonly first: 'widest' | 'largest'
  private readonly lines: Line[]

  constructor({ store }: Pool, rows: Uint32Array, packed: Uint8Array, first: 'widest' | 'largest') {
    this.store = store
    this.packed = packed
    this.first = first
    const { owners } = store
    const occurs = new Uint8Array(owners.size)
    for (let i = 0; i < rows.length; i++) occurs[store.groupOf(rows[i]!)] = 1
    const thresholds = new Set<number>()
    occurs.forEach((flag, group) => {
      if (flag === 1) thresholds.add(owners.threshold(group))
    })
    this.lines = [...thresholds]
      .sort((a, b) => b - a)
      .map((threshold) => ({
        rows:
          thresholds.size === 1
            ? rows
            : rows.filter((row) => owners.threshold(store.groupOf(row)) === threshold),
        at: 0,
        startAt: 0,
      }))
  }

  /** Moves a UTXO into the bin and returns its row, or -1 if none fits. */
  take(bin: Bin): number {
    for (const line of this.lines) this.skipPacked(line)
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

  /** Like `take`, for the UTXO of at least `amount` with the fewest bytes. Requires rows in descending order. */
  takeNarrowest(bin: Bin, amount: bigint): number {
    const { store } = this
    const heads = this.lines
      .map((line) => line.rows[this.skipPacked(line)])
      .filter((row) => row !== undefined && store.amount(row) >= amount) as number[]
    const [row] = heads.sort((a, b) => store.spendSize(a) - store.spendSize(b))
    if (row === undefined || !bin.add(row)) return -1
    this.packed[row] = 1
    return row
  }

  /** Returns the next row, or -1. */
  head(): number {
    for (const line of this.lines)
      if (this.skipPacked(line) < line.rows.length) return line.rows[line.at]!
    return -1
  }

  isEmpty(): boolean {
    return this.head() < 0
  }

  /** Moves past UTXOs that have been packed and returns the position. */
  private skipPacked(line: Line): number {
    while (line.at < line.rows.length && this.packed[line.rows[line.at]!] === 1) line.at++
    return line.at
  }

  /** Orders lines by the amount of their next row; empty lines come last. */
  private compareHeads(a: Line, b: Line): number {
    const [headA, headB] = [a.rows[a.at], b.rows[b.at]]
    if (headA === undefined) return headB === undefined ? 0 : 1
    if (headB === undefined) return -1
    return this.store.compare(headA, headB, 'largest')
  }

  /** Saves the position at the start of a transaction. */
  begin(): void {
    for (const line of this.lines) line.startAt = line.at
  }

  /** Restores that position after the transaction was discarded. */
  rewind(): void {
    for (const line of this.lines) line.at = line.startAt
  }

  /** Returns the rows that are in no transaction. */
  unpacked(): number[] {
    return this.lines.flatMap(({ rows }) => [...rows.filter((row) => this.packed[row] === 0)])
  }
}
