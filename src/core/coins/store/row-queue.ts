import type { TreeCursor } from './amount-tree.ts'
import type { Columns, Order } from './columns.ts'

/**
 * A heap that merges unordered rows and ordered cursors by amount. Reading a few rows takes linear time in the number
 * of unordered rows, and logarithmic time per row read.
 */
export class RowQueue implements TreeCursor {
  private readonly columns: Columns
  private readonly first: Order
  /** The heap; the first row is on top. */
  private readonly heap: number[]
  /** The cursor that each row in the heap came from. */
  private readonly cursors = new Map<number, TreeCursor>()

  /** Takes ownership of `rows`. */
  constructor(columns: Columns, first: Order, rows: number[], cursors: readonly TreeCursor[]) {
    this.columns = columns
    this.first = first
    this.heap = rows
    for (const cursor of cursors) {
      const row = cursor.next()
      if (row < 0) continue
      this.heap.push(row)
      this.cursors.set(row, cursor)
    }
    for (let at = (this.heap.length >> 1) - 1; at >= 0; at--) this.sink(at)
  }

  next(): number {
    const { heap, cursors } = this
    const row = heap[0]
    if (row === undefined) return -1
    const cursor = cursors.get(row)
    cursors.delete(row)
    const following = cursor?.next() ?? -1
    if (cursor !== undefined && following >= 0) {
      cursors.set(following, cursor)
      heap[0] = following
    } else {
      const last = heap.pop()!
      if (heap.length > 0) heap[0] = last
    }
    this.sink(0)
    return row
  }

  /** Moves an entry down the heap. */
  private sink(from: number): void {
    const { heap, columns, first } = this
    const row = heap[from]!
    let at = from
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && columns.compare(heap[below + 1]!, heap[below]!, first) < 0)
        below++
      if (columns.compare(row, heap[below]!, first) < 0) break
      heap[at] = heap[below]!
      at = below
    }
    if (at !== from) heap[at] = row
  }
}
