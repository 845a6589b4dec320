import type { Columns } from './columns.ts'

/** Entries per node. Wide nodes keep the tree flat: a million rows need three levels. */
const CAPACITY = 128
/** Entries per node after construction, so that the first insertions do not split nodes. */
const INITIAL_COUNT = 112

/** Iterates over rows. */
export interface TreeCursor {
  /** The next row, or -1 at the end. */
  next(): number
}

/**
 * A B+ tree of rows in descending order of amount; equal amounts are ordered by ID. Insertion, deletion and search
 * take logarithmic time. The amount and ID of a row must not change, even after its deletion, because inner nodes may
 * still use it as a bound.
 */
export class AmountTree {
  private readonly columns: Columns
  private root: Node

  /** Builds the tree from sorted rows. */
  constructor(columns: Columns, sorted: Uint32Array) {
    this.columns = columns
    let level: Node[] = [new Node(false)]
    for (const row of sorted) {
      let node = level.at(-1)!
      if (node.count === INITIAL_COUNT) {
        const next = new Node(false)
        next.linkAfter(node)
        level.push(next)
        node = next
      }
      node.insert(node.count, columns.roughAmount(row), row)
    }
    while (level.length > 1) level = parentNodes(level)
    this.root = level[0]!
  }

  /** Adds a row. */
  insert(row: number): void {
    const half = this.insertBelow(this.root, this.columns.roughAmount(row), row)
    if (half !== undefined) this.root = parentNodes([this.root, half])[0]!
  }

  /** Deletes a row that is in the tree. */
  delete(row: number): void {
    this.deleteBelow(this.root, this.columns.roughAmount(row), row)
    while (this.root.children?.length === 1) this.root = this.root.children[0]!
  }

  /** Iterates in descending order, starting with the first amount of at most `maxAmount`. */
  largest(maxAmount?: bigint): TreeCursor {
    return new Forward(maxAmount === undefined ? this.start() : this.seek(maxAmount))
  }

  /** Iterates in ascending order. */
  smallest(): TreeCursor {
    return new Backward(this, this.columns)
  }

  private start(): LeafPosition {
    let node = this.root
    while (node.children !== undefined) node = node.children[0]!
    return { leaf: node, at: 0 }
  }

  /** The position after the last row. */
  end(): LeafPosition {
    let node = this.root
    while (node.children !== undefined) node = node.children.at(-1)!
    return { leaf: node, at: node.count }
  }

  /** Finds the first row with an amount of at most `maxAmount`. */
  seek(maxAmount: bigint): LeafPosition {
    const rough = Number(maxAmount)
    const isBefore = (row: number) => this.columns.amount(row) > maxAmount
    let node = this.root
    while (node.children !== undefined)
      node = node.children[Math.max(0, node.rank(rough, isBefore) - 1)]!
    const at = node.rank(rough, isBefore)
    return at === node.count && node.next !== undefined
      ? { leaf: node.next, at: 0 }
      : { leaf: node, at }
  }

  /** Returns the second half if the node was split. */
  private insertBelow(node: Node, rough: number, row: number): Node | undefined {
    const rank = this.rank(node, rough, row)
    if (node.children === undefined) node.insert(rank, rough, row)
    else {
      const at = Math.max(0, rank - 1)
      const half = this.insertBelow(node.children[at]!, rough, row)
      if (half !== undefined) node.insert(at + 1, half.amounts[0]!, half.rows[0]!, half)
    }
    return node.count === CAPACITY ? node.split() : undefined
  }

  private deleteBelow(node: Node, rough: number, row: number): void {
    const at = Math.max(0, this.rank(node, rough, row) - 1)
    if (node.children === undefined) {
      node.delete(at)
      return
    }
    const child = node.children[at]!
    this.deleteBelow(child, rough, row)
    if (child.count > CAPACITY / 4) return
    // Small nodes are merged with a neighbor, so that memory use follows the number of rows.
    const first = at === node.count - 1 ? at - 1 : at
    if (first < 0) return
    const [left, right] = [node.children[first]!, node.children[first + 1]!]
    if (left.count + right.count > INITIAL_COUNT && child.count > 0) return
    left.join(right)
    node.delete(first + 1)
  }

  /** Number of entries of a node that come before a row or are that row. */
  private rank(node: Node, rough: number, row: number): number {
    const { columns } = this
    return node.rank(rough, (other) => other === row || columns.compare(other, row, 'largest') < 0)
  }
}

/** A position: before entry `at` of a leaf. */
type LeafPosition = { readonly leaf: Node; readonly at: number }

/**
 * A node with sorted entries. In a leaf they are rows. In an inner node, each entry belongs to a child: no row of the
 * child comes before the entry, except in the first child.
 */
class Node {
  count = 0
  /** Amounts as doubles, stored here because a lookup in the columns would miss the cache. */
  readonly amounts: Float64Array
  readonly rows: Uint32Array
  readonly children: Node[] | undefined
  /** Neighbors of a leaf. */
  next: Node | undefined
  previous: Node | undefined

  constructor(inner: boolean) {
    // One buffer for both saves a sixth of the memory.
    const buffer = new ArrayBuffer(12 * CAPACITY)
    this.amounts = new Float64Array(buffer, 0, CAPACITY)
    this.rows = new Uint32Array(buffer, 8 * CAPACITY, CAPACITY)
    this.children = inner ? [] : undefined
  }

  /** Number of entries with a larger amount, or with the same amount (as a double) and `isBefore`. */
  rank(rough: number, isBefore: (row: number) => boolean): number {
    const { amounts, rows } = this
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >> 1
      const amount = amounts[middle]!
      if (amount > rough || (amount === rough && isBefore(rows[middle]!))) low = middle + 1
      else high = middle
    }
    return low
  }

  insert(at: number, rough: number, row: number, child?: Node): void {
    const { amounts, rows, count } = this
    if (at < count) {
      amounts.copyWithin(at + 1, at, count)
      rows.copyWithin(at + 1, at, count)
    }
    amounts[at] = rough
    rows[at] = row
    if (child !== undefined) this.children!.splice(at, 0, child)
    this.count++
  }

  delete(at: number): void {
    this.amounts.copyWithin(at, at + 1, this.count)
    this.rows.copyWithin(at, at + 1, this.count)
    this.children?.splice(at, 1)
    this.count--
  }

  /** Moves the second half of the entries to a new node. */
  split(): Node {
    const half = new Node(this.children !== undefined)
    const from = this.count >> 1
    half.append(this, from)
    this.children?.splice(from)
    this.count = from
    if (this.children === undefined) half.linkAfter(this)
    return half
  }

  /** Appends all entries of the next node. */
  join(right: Node): void {
    this.append(right, 0)
    if (this.children !== undefined) return
    this.next = right.next
    if (right.next !== undefined) right.next.previous = this
  }

  linkAfter(node: Node): void {
    this.previous = node
    this.next = node.next
    if (node.next !== undefined) node.next.previous = this
    node.next = this
  }

  private append(other: Node, from: number): void {
    this.amounts.set(other.amounts.subarray(from, other.count), this.count)
    this.rows.set(other.rows.subarray(from, other.count), this.count)
    if (other.children !== undefined) this.children!.push(...other.children.slice(from))
    this.count += other.count - from
  }
}

function parentNodes(level: readonly Node[]): Node[] {
  const parents: Node[] = []
  for (const child of level) {
    if (parents.length === 0 || parents.at(-1)!.count === INITIAL_COUNT)
      parents.push(new Node(true))
    const parent = parents.at(-1)!
    parent.insert(parent.count, child.amounts[0]!, child.rows[0]!, child)
  }
  return parents
}

class Forward implements TreeCursor {
  private leaf: Node | undefined
  private at: number

  constructor({ leaf, at }: LeafPosition) {
    this.leaf = leaf
    this.at = at
  }

  next(): number {
    while (this.leaf !== undefined && this.at >= this.leaf.count) {
      this.leaf = this.leaf.next
      this.at = 0
    }
    return this.leaf === undefined ? -1 : this.leaf.rows[this.at++]!
  }
}

/**
 * Iterates in ascending order of amount. Each run of equal amounts is read from its start, because ties are ordered
 * by ID.
 */
class Backward implements TreeCursor {
  private readonly tree: AmountTree
  private readonly columns: Columns
  /** Start of the current run; earlier runs are still to be read. */
  private start: LeafPosition
  private run: TreeCursor | undefined
  /** The last row of the run. */
  private last = -1

  constructor(tree: AmountTree, columns: Columns) {
    this.tree = tree
    this.columns = columns
    this.start = tree.end()
  }

  next(): number {
    if (this.run === undefined && !this.previousRun()) return -1
    const row = this.run!.next()
    if (row === this.last) this.run = undefined
    return row
  }

  private previousRun(): boolean {
    let { leaf, at } = this.start
    while (at === 0) {
      if (leaf.previous === undefined) return false
      leaf = leaf.previous
      at = leaf.count
    }
    this.last = leaf.rows[at - 1]!
    // Usually the run has one row and needs no search.
    const alone = at >= 2 && leaf.amounts[at - 2] !== leaf.amounts[at - 1]
    this.start = alone ? { leaf, at: at - 1 } : this.tree.seek(this.columns.amount(this.last))
    this.run = new Forward(this.start)
    return true
  }
}
