import { WordTable, widened } from '../../base/bytes/word-table.ts'
import { AmountTree } from './amount-tree.ts'
import { type Columns, MARK, WORD, WORDS_PER_ROW } from './columns.ts'
import { sortRows } from './sort-rows.ts'
import { Totals } from './totals.ts'

/** Buckets with at most this many rows have no tree; callers sort them. */
const MAX_LIST_ROWS = 64

/** Rows with one of these marks are no longer in their bucket, but stay linked in its list until the list is read. */
const AWAY = MARK.removed | MARK.reserved

/** Marks a bucket that has a tree instead of a list. */
const IN_TREE = 0xffffffff

/**
 * Rows grouped by asset and owners. A bucket is an unordered list until its order is first needed, so adding a
 * million UTXOs involves no sorting. After that it is a tree, updated in logarithmic time.
 */
export class Buckets {
  /** Count and sum of each bucket. */
  readonly totals: Totals = new Totals()
  private readonly columns: Columns
  /** Keys: asset number and owner group number. */
  private readonly keys = new WordTable(2)
  private readonly key = new Uint32Array(2)
  /** First row + 1 of each list, 0 if it is empty, or `IN_TREE`. */
  private heads = new Uint32Array(16)
  private readonly trees = new Map<number, AmountTree>()
  /** Linked lists of the buckets of each owner group, as bucket + 1; 0 ends a list. */
  private firstOfGroup = new Uint32Array(16)
  private nextOfGroup = new Uint32Array(16)

  constructor(columns: Columns) {
    this.columns = columns
  }

  /** Returns the bucket of an asset and owner group, and creates it if necessary. */
  intern(asset: number, group: number): number {
    this.key[0] = asset
    this.key[1] = group
    const known = this.keys.size
    const bucket = this.keys.intern(this.key)
    if (bucket < known) return bucket
    this.totals.ensure(bucket)
    while (bucket >= this.heads.length) this.heads = widened(this.heads, 1)
    while (bucket >= this.nextOfGroup.length) this.nextOfGroup = widened(this.nextOfGroup, 1)
    while (group >= this.firstOfGroup.length) this.firstOfGroup = widened(this.firstOfGroup, 1)
    this.nextOfGroup[bucket] = this.firstOfGroup[group]!
    this.firstOfGroup[group] = bucket + 1
    return bucket
  }

  /** Returns the buckets of an owner group. */
  ofGroup(group: number): number[] {
    const buckets: number[] = []
    for (let next = this.firstOfGroup[group] ?? 0; next !== 0; next = this.nextOfGroup[next - 1]!)
      buckets.push(next - 1)
    return buckets
  }

  /** Returns the bucket of an asset and owner group, or -1. */
  find(asset: number, group: number): number {
    this.key[0] = asset
    this.key[1] = group
    return this.keys.find(this.key)
  }

  assetOf(bucket: number): number {
    return this.keys.words[2 * bucket]!
  }

  groupOf(bucket: number): number {
    return this.keys.words[2 * bucket + 1]!
  }

  /** Adds a row to its bucket. */
  add(row: number): void {
    const { words, marks } = this.columns
    const at = WORDS_PER_ROW * row
    const bucket = words[at + WORD.bucket]!
    this.totals.add(bucket, words[at + WORD.high]!, words[at + WORD.low]!)
    const head = this.heads[bucket]!
    if (head === IN_TREE) this.trees.get(bucket)!.insert(row)
    else if ((marks[row]! & MARK.listed) === 0) {
      marks[row] = marks[row]! | MARK.listed
      words[at + WORD.next] = head
      this.heads[bucket] = row + 1
    }
  }

  /** Removes a row from its bucket. From a list it is only removed by its mark, `removed` or `reserved`. */
  delete(row: number): void {
    const { words } = this.columns
    const at = WORDS_PER_ROW * row
    const bucket = words[at + WORD.bucket]!
    this.totals.subtract(bucket, words[at + WORD.high]!, words[at + WORD.low]!)
    if (this.heads[bucket] === IN_TREE) this.trees.get(bucket)!.delete(row)
  }

  /** Returns the rows of a bucket, unordered. */
  rows(bucket: number): Uint32Array {
    const rows = new Uint32Array(this.totals.count(bucket))
    if (this.heads[bucket] === IN_TREE) {
      const cursor = this.trees.get(bucket)!.largest()
      for (let i = 0; i < rows.length; i++) rows[i] = cursor.next()
    } else this.readList(bucket, rows)
    return rows
  }

  /** Reads a list and unlinks rows that are removed or reserved. */
  private readList(bucket: number, rows: Uint32Array): void {
    const { words, marks } = this.columns
    let count = 0
    let before = -1
    for (let head = this.heads[bucket]!; head !== 0; ) {
      const row = head - 1
      head = words[WORDS_PER_ROW * row + WORD.next]!
      if ((marks[row]! & AWAY) === 0) {
        rows[count++] = row
        before = row
      } else {
        marks[row] = marks[row]! & ~MARK.listed
        if (before < 0) this.heads[bucket] = head
        else words[WORDS_PER_ROW * before + WORD.next] = head
      }
    }
  }

  /** Returns the tree of a bucket, or undefined if it has few rows. */
  tree(bucket: number): AmountTree | undefined {
    if (this.heads[bucket] === IN_TREE) return this.trees.get(bucket)
    if (this.totals.count(bucket) <= MAX_LIST_ROWS) return undefined
    const sorted = sortRows(this.columns, this.rows(bucket), 'largest')
    const tree = new AmountTree(this.columns, sorted)
    this.trees.set(bucket, tree)
    this.heads[bucket] = IN_TREE
    return tree
  }
}
