import { WordTable, widened } from '../../bytes/word-table.ts'
import { AmountTree } from './amount-tree.ts'
import { type Columns, FACT, FACTS, MARK } from './columns.ts'
import { sortRows } from './sort-rows.ts'
import { Totals } from './totals.ts'

/** Buckets of at most this many rows are not ordered: whoever wants an order sorts them. */
const FEW = 64

/** Rows with one of these marks are in a list only because nobody has read it since. */
const AWAY = MARK.removed | MARK.reserved

/** Stands for the first row of a bucket that has a tree. */
const IN_TREE = 0xffffffff

/**
 * Rows by asset and owners, in each bucket ordered by amount. A bucket is a list until its order is asked for:
 * taking in a million UTXOs costs no sorting. From then on it is a tree, kept up in logarithmic time.
 */
export class Buckets {
  /** Counts and sums of the rows in each bucket. */
  readonly totals: Totals = new Totals()
  private readonly columns: Columns
  /** The numbers of an asset and of an owner group. */
  private readonly keys = new WordTable(2)
  private readonly key = new Uint32Array(2)
  /** The first row + 1 of each list, or `IN_TREE`. */
  private heads = new Uint32Array(16)
  private readonly trees = new Map<number, AmountTree>()
  /** The first bucket + 1 of each owner group, and the next one of the same group after each bucket. */
  private firstOfGroup = new Uint32Array(16)
  private nextOfGroup = new Uint32Array(16)

  constructor(columns: Columns) {
    this.columns = columns
  }

  /** The bucket of an asset and owners, made where there is none. */
  intern(asset: number, group: number): number {
    this.key[0] = asset
    this.key[1] = group
    const known = this.keys.size
    const bucket = this.keys.intern(this.key)
    if (bucket < known) return bucket
    this.totals.reach(bucket)
    while (bucket >= this.heads.length) this.heads = widened(this.heads, 1)
    while (bucket >= this.nextOfGroup.length) this.nextOfGroup = widened(this.nextOfGroup, 1)
    while (group >= this.firstOfGroup.length) this.firstOfGroup = widened(this.firstOfGroup, 1)
    this.nextOfGroup[bucket] = this.firstOfGroup[group]!
    this.firstOfGroup[group] = bucket + 1
    return bucket
  }

  /** The buckets of an owner group. */
  ofGroup(group: number): number[] {
    const buckets: number[] = []
    for (let next = this.firstOfGroup[group] ?? 0; next !== 0; next = this.nextOfGroup[next - 1]!)
      buckets.push(next - 1)
    return buckets
  }

  /** The bucket of an asset and owners, or -1. */
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
    const { facts, marks } = this.columns
    const at = FACTS * row
    const bucket = facts[at + FACT.bucket]!
    this.totals.add(bucket, facts[at + FACT.high]!, facts[at + FACT.low]!)
    const head = this.heads[bucket]!
    if (head === IN_TREE) this.trees.get(bucket)!.insert(row)
    else if ((marks[row]! & MARK.listed) === 0) {
      marks[row] = marks[row]! | MARK.listed
      facts[at + FACT.next] = head
      this.heads[bucket] = row + 1
    }
  }

  /** Takes a row out of its bucket. Its mark, removed or reserved, does so where the bucket is a list. */
  delete(row: number): void {
    const { facts } = this.columns
    const at = FACTS * row
    const bucket = facts[at + FACT.bucket]!
    this.totals.subtract(bucket, facts[at + FACT.high]!, facts[at + FACT.low]!)
    if (this.heads[bucket] === IN_TREE) this.trees.get(bucket)!.delete(row)
  }

  /** The rows of a bucket, in no order. */
  rows(bucket: number): Uint32Array {
    const rows = new Uint32Array(this.totals.count(bucket))
    if (this.heads[bucket] === IN_TREE) {
      const cursor = this.trees.get(bucket)!.largest()
      for (let i = 0; i < rows.length; i++) rows[i] = cursor.next()
    } else this.readList(bucket, rows)
    return rows
  }

  /** Reads a list, and drops rows from it that are away. */
  private readList(bucket: number, rows: Uint32Array): void {
    const { facts, marks } = this.columns
    let count = 0
    let before = -1
    for (let head = this.heads[bucket]!; head !== 0; ) {
      const row = head - 1
      head = facts[FACTS * row + FACT.next]!
      if ((marks[row]! & AWAY) === 0) {
        rows[count++] = row
        before = row
      } else {
        marks[row] = marks[row]! & ~MARK.listed
        if (before < 0) this.heads[bucket] = head
        else facts[FACTS * before + FACT.next] = head
      }
    }
  }

  /** The order of a bucket, or undefined where it has only a few rows. */
  tree(bucket: number): AmountTree | undefined {
    if (this.heads[bucket] === IN_TREE) return this.trees.get(bucket)
    if (this.totals.count(bucket) <= FEW) return undefined
    const sorted = sortRows(this.columns, this.rows(bucket), 'largest')
    const tree = new AmountTree(this.columns, sorted)
    this.trees.set(bucket, tree)
    this.heads[bucket] = IN_TREE
    return tree
  }
}
