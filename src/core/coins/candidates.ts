import { ByteFrontier } from './fewest-bytes.ts'
import type { Order } from './store/columns.ts'
import { RowQueue } from './store/row-queue.ts'
import { spendSize, type UTXOStore } from './store/utxo-store.ts'

/** UTXOs of one asset that can be selected. Only the rows that are requested are read. */
export class Candidates {
  private readonly store: UTXOStore
  /** Selectable rows that are in none of `buckets`. */
  private readonly rows: readonly number[]
  /** Buckets whose rows may be selected, except for `skipped`. */
  private readonly buckets: readonly number[]
  /** Rows of the buckets that may not be selected. */
  private readonly skipped: ReadonlySet<number>

  constructor(
    store: UTXOStore,
    rows: readonly number[],
    buckets: readonly number[] = [],
    skipped: ReadonlySet<number> = new Set(),
  ) {
    this.store = store
    this.rows = rows
    this.buckets = buckets
    this.skipped = skipped
  }

  get count(): number {
    const { totals } = this.store.buckets
    let count = this.rows.length - this.skipped.size
    for (const bucket of this.buckets) count += totals.count(bucket)
    return count
  }

  get sum(): bigint {
    const { buckets } = this.store
    let sum = 0n
    for (const bucket of this.buckets) sum += buckets.totals.sum(bucket)
    for (const row of this.rows) sum += this.store.amount(row)
    for (const row of this.skipped) sum -= this.store.amount(row)
    return sum
  }

  /** Number of bytes that spending all candidates adds to a signed transaction. */
  get spendSize(): number {
    const { owners, buckets } = this.store
    let size = 0
    for (const bucket of this.buckets)
      size += buckets.totals.count(bucket) * spendSize(owners.threshold(buckets.groupOf(bucket)))
    for (const row of this.rows) size += this.store.spendSize(row)
    for (const row of this.skipped) size -= this.store.spendSize(row)
    return size
  }

  /** Returns all rows, unordered. */
  all(): Uint32Array {
    const rows = new Uint32Array(this.count + this.skipped.size)
    rows.set(this.rows)
    let end = this.rows.length
    for (const bucket of this.buckets) {
      const more = this.store.buckets.rows(bucket)
      rows.set(more, end)
      end += more.length
    }
    return this.skipped.size === 0 ? rows : rows.filter((row) => !this.skipped.has(row))
  }

  /** Iterates over the rows in ascending order of amount. */
  smallest(): Generator<number, void, undefined> {
    return this.inOrder('smallest', this.rows, this.buckets)
  }

  /** Iterates over the rows with an amount of at most `maxAmount`, in descending order. */
  largest(maxAmount?: bigint): Generator<number, void, undefined> {
    const { store } = this
    const rows =
      maxAmount === undefined
        ? this.rows
        : this.rows.filter((row) => store.amount(row) <= maxAmount)
    return this.inOrder('largest', rows, this.buckets, maxAmount)
  }

  /** Returns the best combinations for any number of bytes up to `bytes`. */
  frontier(bytes: number): ByteFrontier {
    const { store } = this
    const byThreshold = new Map<number, { rows: number[]; buckets: number[] }>()
    const entryOf = (group: number) => {
      const threshold = store.owners.threshold(group)
      const entry = byThreshold.get(threshold) ?? { rows: [], buckets: [] }
      byThreshold.set(threshold, entry)
      return entry
    }
    for (const row of this.rows) entryOf(store.groupOf(row)).rows.push(row)
    for (const bucket of this.buckets) entryOf(store.buckets.groupOf(bucket)).buckets.push(bucket)
    const classes = [...byThreshold].map(([threshold, { rows, buckets }]) => ({
      size: spendSize(threshold),
      largest: this.inOrder('largest', rows, buckets),
    }))
    return new ByteFrontier(store, classes, bytes)
  }

  private *inOrder(
    first: Order,
    rows: readonly number[],
    buckets: readonly number[],
    maxAmount?: bigint,
  ): Generator<number, void, undefined> {
    const { store, skipped } = this
    const unordered = [...rows]
    const cursors = []
    for (const bucket of buckets) {
      const tree = store.buckets.tree(bucket)
      if (tree !== undefined)
        cursors.push(first === 'largest' ? tree.largest(maxAmount) : tree.smallest())
      else
        for (const row of store.buckets.rows(bucket))
          if (maxAmount === undefined || store.amount(row) <= maxAmount) unordered.push(row)
    }
    const queue = new RowQueue(store, first, unordered, cursors)
    for (let row = queue.next(); row >= 0; row = queue.next()) if (!skipped.has(row)) yield row
  }
}
