import { type Columns, ID_WORDS, type Order, WORD, WORDS_PER_ROW } from './columns.ts'

/** With fewer rows, the tables of the radix sort cost more than comparisons. */
const MIN_RADIX_ROWS = 4096
const RADIX = 1 << 11

/**
 * Sorts rows by amount in the given direction; equal amounts by ID. A radix sort over the columns: a million rows
 * take a tenth of the time of a comparison sort.
 */
export function sortRows(store: Columns, rows: Uint32Array, first: Order): Uint32Array {
  if (rows.length < MIN_RADIX_ROWS) return rows.slice().sort((a, b) => store.compare(a, b, first))
  const flip = first === 'largest' ? 0xffffffff : 0
  // The less significant half first: each pass is stable.
  const byLow = radixSorted(rows, store.words, WORDS_PER_ROW, WORD.low, flip)
  const sorted = radixSorted(byLow.rows, store.words, WORDS_PER_ROW, WORD.high, flip).rows
  const areEqual = (i: number, k: number) => store.compareAmounts(sorted[i]!, sorted[k]!) === 0
  sortTies(sorted, areEqual, (run) => sortedByID(store, run))
  return sorted
}

/** Stable radix sort by the 32-bit key at `row * stride + offset` of a table. */
function radixSorted(
  rows: Uint32Array,
  table: Uint32Array,
  stride: number,
  offset: number,
  flip: number,
): { rows: Uint32Array; keys: Uint32Array } {
  let from = rows.slice()
  // The keys are moved with their rows: looking them up in every pass would miss the cache.
  let keys = new Uint32Array(rows.length)
  for (let i = 0; i < rows.length; i++) keys[i] = table[rows[i]! * stride + offset]! ^ flip
  // Eleven bits per pass: with more, the write positions do not fit in the L1 cache.
  for (const shift of [0, 11, 22]) {
    const starts = new Uint32Array(RADIX)
    for (let i = 0; i < keys.length; i++) starts[(keys[i]! >>> shift) & (RADIX - 1)]!++
    let start = 0
    let isSameDigit = false
    for (let digit = 0; digit < RADIX; digit++) {
      const count = starts[digit]!
      isSameDigit ||= count === keys.length
      starts[digit] = start
      start += count
    }
    // A digit that all keys share does not change the order.
    if (isSameDigit) continue
    const toRows = new Uint32Array(rows.length)
    const toKeys = new Uint32Array(rows.length)
    for (let i = 0; i < keys.length; i++) {
      const to = starts[(keys[i]! >>> shift) & (RADIX - 1)]!++
      toRows[to] = from[i]!
      toKeys[to] = keys[i]!
    }
    from = toRows
    keys = toKeys
  }
  return { rows: from, keys }
}

/** Sorts rows by transaction ID, then output index. */
export function sortedByID(store: Columns, rows: Uint32Array): Uint32Array {
  const compare = (a: number, b: number) => store.compareIDs(a, b)
  if (rows.length < MIN_RADIX_ROWS) return rows.slice().sort(compare)
  const { words } = store.ids
  // The first 32 bits nearly always decide, except between outputs of the same transaction.
  const { rows: sorted, keys } = radixSorted(rows, words, ID_WORDS, 0, 0)
  const areEqual = (i: number, k: number) => keys[i] === keys[k]
  sortTies(sorted, areEqual, (run) => run.slice().sort(compare))
  return sorted
}

/** Sorts each run of equal keys in place. */
function sortTies(
  rows: Uint32Array,
  areEqual: (i: number, k: number) => boolean,
  sort: (run: Uint32Array) => Uint32Array,
): void {
  for (let start = 0; start < rows.length; ) {
    let end = start + 1
    while (end < rows.length && areEqual(start, end)) end++
    if (end - start > 1) rows.set(sort(rows.subarray(start, end)), start)
    start = end
  }
}

/** A list of rows. */
export type Rows = ArrayLike<number> & Iterable<number>

/**
 * Limit of the sort below, which combines a 32-bit word and a position below this in one double. Transactions have
 * fewer inputs.
 */
const MAX_POSITIONS = 1024

/**
 * Returns rows in input order: by transaction ID, then output index. The first words of the IDs are sorted as numbers
 * combined with the positions of their rows; only rows with equal words are compared further.
 */
export function inputOrder(store: Columns, rows: Rows): Rows {
  const compare = (a: number, b: number) => store.compareIDs(a, b)
  const { words } = store.ids
  // Often the rows are in order already.
  let at = 1
  while (at < rows.length && words[ID_WORDS * rows[at - 1]!]! < words[ID_WORDS * rows[at]!]!) at++
  if (at >= rows.length) return rows
  if (rows.length > MAX_POSITIONS) return Array.from(rows).sort(compare)
  const keys = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) keys[i] = words[ID_WORDS * rows[i]!]! * MAX_POSITIONS + i
  keys.sort()
  const sorted = new Array<number>(rows.length)
  let tied = false
  let before = -1
  for (let i = 0; i < keys.length; i++) {
    const word = Math.floor(keys[i]! / MAX_POSITIONS)
    sorted[i] = rows[keys[i]! - word * MAX_POSITIONS]!
    tied ||= word === before
    before = word
  }
  return tied ? sorted.sort(compare) : sorted
}
