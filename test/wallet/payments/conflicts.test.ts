import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { conflictingInputs } from '../../../src/wallet/payments/conflicts.ts'

const input = (n: number): UTXOID => ({ txID: new Uint8Array(32).fill(n), outputIndex: n })

describe('conflictingInputs', () => {
  const find = (attempts: readonly (readonly number[])[], gone: readonly number[] = []) =>
    conflictingInputs(
      attempts.map((inputs) => ({ inputs: inputs.map(input) })),
      (id) => !gone.includes(id.outputIndex),
    )?.map(({ outputIndex }) => outputIndex)

  it('selects one input that all attempts share', () => {
    expect(find([[1, 2], [3, 2], [2]])).toEqual([2])
  })

  it('selects several if no input is shared by all', () => {
    const found = find([
      [1, 2],
      [2, 3],
      [4, 5],
    ])
    expect(found).toHaveLength(2)
    expect(found).toContain(2)
  })

  it('does not select inputs that are not available', () => {
    expect(find([[1, 2], [1]], [2])).toEqual([1])
    expect(
      find(
        [
          [1, 2],
          [2, 3],
        ],
        [2],
      ),
    ).toEqual([1, 3])
  })

  it('is undefined if an attempt has no available input', () => {
    expect(find([[1, 2], [2]], [2])).toBeUndefined()
    expect(find([[]])).toBeUndefined()
  })

  it('is empty without attempts', () => {
    expect(find([])).toEqual([])
  })

  const numbers = fc.uniqueArray(fc.nat(6), { maxLength: 4 })
  test.prop([fc.array(numbers, { maxLength: 5 }), fc.array(fc.nat(6))])(
    'spends an available input of every attempt, or says that there is none',
    (attempts, gone) => {
      const found = find(attempts, gone)
      const isPossible = attempts.every((inputs) => inputs.some((n) => !gone.includes(n)))
      expect(found !== undefined).toBe(isPossible)
      for (const inputs of isPossible ? attempts : [])
        expect(inputs.some((n) => found!.includes(n) && !gone.includes(n))).toBe(true)
      expect(new Set(found).size).toBe(found?.length ?? 0)
    },
  )
})
