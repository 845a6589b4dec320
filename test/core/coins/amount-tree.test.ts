import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { AmountTree, type TreeCursor } from '../../../src/core/coins/store/amount-tree.ts'
import type { Columns } from '../../../src/core/coins/store/columns.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { runs } from '../../helpers/runs.ts'
import { coin } from './samples.ts'

/** Rows of which half have an amount in common with many others, some of them beyond 2^53. */
function columns(count: number, different: number): Columns {
  const set = new UTXOSet()
  const utxos = Array.from({ length: count }, (_, i): UTXO => {
    const amount = i % 2 === 0 ? BigInt(1 + (i % different)) : 2n ** 62n + BigInt(i % different)
    return { ...coin(`tx ${(i * 7919) % 700}`, amount), outputIndex: i }
  })
  set.add(utxos)
  return set.holdings({}).store
}

const stores = [columns(3000, 3), columns(3000, 3000)] as const

function read(cursor: TreeCursor): number[] {
  const rows: number[] = []
  for (let row = cursor.next(); row >= 0; row = cursor.next()) rows.push(row)
  return rows
}

function expectOrder(tree: AmountTree, rows: Iterable<number>, store: Columns): void {
  const expected = (first: 'largest' | 'smallest') =>
    [...rows].sort((a, b) => store.compare(a, b, first))
  const largest = expected('largest')
  expect(read(tree.largest())).toEqual(largest)
  expect(read(tree.smallest())).toEqual(expected('smallest'))
  for (const most of [0n, 1n, 2n, 1500n, 2n ** 62n - 1n, 2n ** 62n + 1n, 2n ** 63n])
    expect(read(tree.largest(most))).toEqual(largest.filter((row) => store.amount(row) <= most))
}

describe('AmountTree', () => {
  test.prop(
    [
      fc.constantFrom(...stores),
      fc.nat(2000),
      fc.array(fc.tuple(fc.boolean(), fc.nat(2999), fc.nat(600)), { maxLength: 12 }),
    ],
    runs(40),
  )('keeps its order through insertions and deletions', (store, built, changes) => {
    const rows = new Set(Array.from({ length: built }, (_, i) => i))
    const sorted = Uint32Array.from([...rows].sort((a, b) => store.compare(a, b, 'largest')))
    const tree = new AmountTree(store, sorted)
    for (const [inserts, from, count] of changes) {
      // Neighbors in amount as well as rows that are far apart.
      const stride = count % 2 === 0 ? 1 : 7
      for (let i = 0; i < count; i++) {
        const row = (from + i * stride) % 3000
        if (inserts === rows.has(row)) continue
        if (inserts) tree.insert(row)
        else tree.delete(row)
        if (inserts) rows.add(row)
        else rows.delete(row)
      }
      expectOrder(tree, rows, store)
    }
  })

  it('keeps its order when three levels deep', () => {
    const store = columns(40_000, 40_000)
    const all = Array.from({ length: 40_000 }, (_, i) => i)
    const sorted = all.toSorted((a, b) => store.compare(a, b, 'largest'))
    // Half of them at first, then the others from the start, from the end and in between.
    const tree = new AmountTree(store, Uint32Array.from(sorted.slice(10_000, 30_000)))
    const others = [...sorted.slice(0, 10_000).toReversed(), ...sorted.slice(30_000)]
    for (const row of others) tree.insert(row)
    expect(read(tree.largest())).toEqual(sorted)
    for (const row of sorted.slice(5_000, 39_000)) tree.delete(row)
    const left = [...sorted.slice(0, 5_000), ...sorted.slice(39_000)]
    expect(read(tree.largest())).toEqual(left)
    for (const row of left) tree.delete(row)
    expect(read(tree.largest())).toEqual([])
  })

  it('can be emptied and filled again', () => {
    const [, store] = stores
    const all = Array.from({ length: 3000 }, (_, i) => i)
    const tree = new AmountTree(store, new Uint32Array(0))
    for (const order of [all, all.toReversed(), all.map((i) => (i * 1009) % 3000)]) {
      for (const row of order) tree.insert(row)
      expectOrder(tree, all, store)
      for (const row of order) tree.delete(row)
      expectOrder(tree, [], store)
    }
  })
})
