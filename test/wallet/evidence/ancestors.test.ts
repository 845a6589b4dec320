import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { Ancestors } from '../../../src/wallet/evidence/ancestors.ts'
import { Rivals } from '../../../src/wallet/store/rivals.ts'
import { outputOf, shown, utxo } from '../store/samples.ts'

const id = (n: number) => new Uint8Array(32).fill(n)
const output = (n: number, outputIndex = 0): UTXOID => ({ txID: id(n), outputIndex })

describe('ancestors that an accepted transaction excludes', () => {
  // 1 spends the coin 9:0, 2 spends the output 1:0, 3 spends the coin 8:0.
  const ancestors = new Ancestors()
  ancestors.add(id(1), [output(9)])
  ancestors.add(id(2), [output(1)])
  ancestors.add(id(3), [output(8)])

  it.each<[string, number, UTXOID[], number[]]>([
    ['one that shares an input, and its descendants', 7, [output(9)], [1, 2]],
    ['only descendants of what it conflicts with', 7, [output(1)], [2]],
    ['several', 7, [output(9), output(8)], [1, 2, 3]],
    ['none without a common input', 7, [output(6)], []],
    ['not itself', 1, [output(9)], []],
    // The import of a move has the inputs of its export. What spends the change of the export is still possible.
    ['not one of which it spends an output', 7, [output(1, 1), output(9)], []],
    ['others than its parent', 7, [output(1, 1), output(9), output(8)], [3]],
  ])('%s', (_, txID, inputs, excluded) => {
    expect(ancestors.excludedBy({ txID: id(txID), inputs })).toEqual(
      new Set(excluded.map((n) => hex.encode(id(n)))),
    )
  })
})

it('the import of a move does not exclude a rival that is its export', () => {
  const rivals = new Rivals()
  const exported = shown(utxo('a'), 'export')
  rivals.add({ txID: id(1), keys: ['k'], inputs: [utxo('a')] }, rivals.of(exported))
  const change = outputOf(exported)
  const imported = { txID: id(2), inputs: [{ ...change, outputIndex: 1 }, utxo('a')] }
  expect(rivals.excludedBy(imported)).toEqual(new Set())
  expect(rivals.excludedBy({ txID: id(2), inputs: [utxo('a')] })).toEqual(
    new Set([hex.encode(exported.txID)]),
  )
})
