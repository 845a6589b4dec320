import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../src/core/base/bytes/compare.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { inputOrder, sortRows } from '../../../src/core/coins/store/sort-rows.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { runs } from '../../helpers/runs.ts'
import { coin } from './samples.ts'

// Enough rows for the radix sort, with many equal amounts and many outputs of one transaction.
const many = 5000
const anyAmount = fc.oneof(
  fc.bigInt({ min: 1n, max: 3n }),
  fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
  fc.constantFrom(1n, 2n ** 32n, 2n ** 32n - 1n, 2n ** 63n),
)

describe('sortRows', () => {
  test.prop(
    [fc.array(anyAmount, { minLength: 1, maxLength: 40 }), fc.constantFrom(10, many)],
    runs(20),
  )('sorts like a plain sort of the objects', (amounts, count) => {
    const list = Array.from(
      { length: count },
      (_, i): UTXO => ({
        ...coin(`tx ${i % 700}`, amounts[i % amounts.length]!),
        outputIndex: i,
      }),
    )
    const set = new UTXOSet()
    set.add(list)
    const { store } = set.holdings({})
    const amount = (utxo: UTXO) => (utxo.output as TransferOutput).amount
    const byID = (a: UTXO, b: UTXO) => compareBytes(a.txID, b.txID) || a.outputIndex - b.outputIndex
    const ascending = (a: UTXO, b: UTXO) =>
      amount(a) < amount(b) ? -1 : amount(a) > amount(b) ? 1 : 0
    const rows = Uint32Array.from(list.keys())
    const sorted = (first: 'largest' | 'smallest') =>
      [...sortRows(store, rows, first)].map((row) => list[row]!.outputIndex)
    const plain = (compare: (a: UTXO, b: UTXO) => number) =>
      [...list].sort((a, b) => compare(a, b) || byID(a, b)).map(({ outputIndex }) => outputIndex)
    expect(sorted('smallest')).toEqual(plain(ascending))
    expect(sorted('largest')).toEqual(plain((a, b) => ascending(b, a)))
  })
})

describe('inputOrder', () => {
  // Up to 1024 rows are sorted as numbers.
  it.each([10, 1024, 1025, 3000])('sorts %s rows by transaction ID, then output index', (count) => {
    const list = Array.from(
      { length: count },
      (_, i): UTXO => ({ ...coin(`tx ${i % 900}`, 1n), outputIndex: count - i }),
    )
    const set = new UTXOSet()
    set.add(list)
    const { store } = set.holdings({})
    const sorted = [...inputOrder(store, Uint32Array.from(list.keys()))].map((row) => list[row]!)
    const byID = (a: UTXO, b: UTXO) => compareBytes(a.txID, b.txID) || a.outputIndex - b.outputIndex
    expect(sorted).toEqual([...list].sort(byID))
  })
})
