import type { Columns } from './columns.ts'

/** Entries of a node. Wide nodes keep the tree flat: a million rows are found through three of them. */
const CAPACITY = 128
/** How full nodes are built, so that the first insertions do not split them. */
const BUILT = 112

/** Rows one after the other. */
export interface Cursor {
  /** The next row, or -1 at the end. */
  next(): number
}

/**
 * Rows ordered by amount, the largest first, and equal amounts by ID: a B+ tree. Inserting, deleting and finding
 * a place take logarithmic time. Rows must keep their amounts and IDs, also when they are deleted: inner nodes
 * may go on using them as bounds.
 */
export class AmountTree {
  private readonly columns: Columns
  private root: Node

  /** Takes rows that are in order already. */
  constructor(columns: Columns, sorted: Uint32Array) {
    this.columns = columns
    let level: Node[] = [new Node(false)]
    for (const row of sorted) {
      let node = level.at(-1)!
      if (node.count === BUILT) {
        const next = new Node(false)
        next.linkAfter(node)
        level.push(next)
        node = next
      }
      node.insert(node.count, columns.roughAmount(row), row)
    }
    while (level.length > 1) level = parentsOf(level)
    this.root = level[0]!
  }

  insert(row: number): void {
    const half = this.insertBelow(this.root, this.columns.roughAmount(row), row)
    if (half !== undefined) this.root = parentsOf([this.root, half])[0]!
  }

  /** Deletes a row that is in the tree. */
  delete(row: number): void {
    this.deleteBelow(this.root, this.columns.roughAmount(row), row)
    while (this.root.children?.length === 1) this.root = this.root.children[0]!
  }

  /** Rows from large to small, starting with the first amount that is at most `most`. */
  largest(most?: bigint): Cursor {
    return new Forward(most === undefined ? this.start() : this.seek(most))
  }

  /** Rows from small to large. */
  smallest(): Cursor {
    return new Backward(this, this.columns)
  }

  private start(): Place {
    let node = this.root
    while (node.children !== undefined) node = node.children[0]!
    return { leaf: node, at: 0 }
  }

  /** The end, behind the last row. */
  end(): Place {
    let node = this.root
    while (node.children !== undefined) node = node.children.at(-1)!
    return { leaf: node, at: node.count }
  }

  /** The place of the first row with at most an amount. */
  seek(most: bigint): Place {
    const rough = Number(most)
    const isBefore = (row: number) => this.columns.amount(row) > most
    let node = this.root
    while (node.children !== undefined)
      node = node.children[Math.max(0, node.rank(rough, isBefore) - 1)]!
    const at = node.rank(rough, isBefore)
    return at === node.count && node.next !== undefined
      ? { leaf: node.next, at: 0 }
      : { leaf: node, at }
  }

  /** Returns the second half of the node where it had to be split. */
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
    // Nodes that have become small join a neighbour, so that memory follows the number of rows.
    const first = at === node.count - 1 ? at - 1 : at
    if (first < 0) return
    const [left, right] = [node.children[first]!, node.children[first + 1]!]
    if (left.count + right.count > BUILT && child.count > 0) return
    left.join(right)
    node.delete(first + 1)
  }

  /** How many entries of a node come before a row or are it. */
  private rank(node: Node, rough: number, row: number): number {
    const { columns } = this
    return node.rank(rough, (other) => other === row || columns.compare(other, row, 'largest') < 0)
  }
}

/** A place between rows: before entry `at` of a leaf. */
type Place = { readonly leaf: Node; readonly at: number }

/**
 * Entries in order. In a leaf they are the rows. In an inner node each is a bound that no row of its child comes
 * before; the first child also takes rows that come before its bound.
 */
class Node {
  count = 0
  /** Amounts as doubles: beside the rows, because looking each up in the columns would miss the cache. */
  readonly amounts: Float64Array
  readonly rows: Uint32Array
  readonly children: Node[] | undefined
  /** Neighbours of a leaf. */
  next: Node | undefined
  previous: Node | undefined

  constructor(inner: boolean) {
    // One buffer for both, which saves a sixth of the memory.
    const buffer = new ArrayBuffer(12 * CAPACITY)
    this.amounts = new Float64Array(buffer, 0, CAPACITY)
    this.rows = new Uint32Array(buffer, 8 * CAPACITY, CAPACITY)
    this.children = inner ? [] : undefined
  }

  /** How many entries have a larger amount, or one that is the same double and `isBefore`. */
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

  /** Takes over all entries of the node that follows. */
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

function parentsOf(level: readonly Node[]): Node[] {
  const parents: Node[] = []
  for (const child of level) {
    if (parents.length === 0 || parents.at(-1)!.count === BUILT) parents.push(new Node(true))
    const parent = parents.at(-1)!
    parent.insert(parent.count, child.amounts[0]!, child.rows[0]!, child)
  }
  return parents
}

class Forward implements Cursor {
  private leaf: Node | undefined
  private at: number

  constructor({ leaf, at }: Place) {
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

/** From the end to the start, but each run of equal amounts from its start, since ties are ordered by ID. */
class Backward implements Cursor {
  private readonly tree: AmountTree
  private readonly columns: Columns
  /** Where the run that is being read begins: the runs before it are still to come. */
  private start: Place
  private run: Cursor | undefined
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
    // Usually the run is one row long and needs no search.
    const alone = at >= 2 && leaf.amounts[at - 2] !== leaf.amounts[at - 1]
    this.start = alone ? { leaf, at: at - 1 } : this.tree.seek(this.columns.amount(this.last))
    this.run = new Forward(this.start)
    return true
  }
}
