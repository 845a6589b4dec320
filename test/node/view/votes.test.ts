import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { agreedOf, mostEqual, reachedBy } from '../../../src/node/view/votes.ts'
import { honestMajority } from './assignments.ts'

const same = (a: unknown, b: unknown) => a === b

describe('agreedOf and mostEqual', () => {
  for (const [values, quorum, agreed, most] of [
    [[], 1, undefined, 0],
    [['a'], 1, 'a', 1],
    [['a'], 2, undefined, 1],
    [['a', 'b'], 2, undefined, 1],
    [['b', 'a', 'a'], 2, 'a', 2],
    [['a', 'b', 'a'], 2, 'a', 2],
    [['a', 'b', 'c'], 2, undefined, 1],
    [['a', 'b', 'b', 'a'], 3, undefined, 2],
    [['b', 'a', 'b', 'a', 'a'], 3, 'a', 3],
  ] as const)
    it(`of ${values.join(' ') || 'nothing'} with quorum ${quorum} are ${agreed} and ${most}`, () => {
      expect(agreedOf<string>(values, quorum, same)).toBe(agreed)
      expect(mostEqual<string>(values, same)).toBe(most)
    })

  test.prop([honestMajority(), fc.array(fc.constantFrom('x', 'y'))])(
    'give what honest servers say, whatever fewer liars than the quorum say',
    ({ isLiar, quorum }, lies) => {
      const values = isLiar.map((liar, i) => (liar ? (lies[i] ?? 'x') : 'true'))
      expect(agreedOf(values, quorum, same)).toBe('true')
    },
  )
})

describe('reachedBy', () => {
  for (const [values, quorum, reached] of [
    [[5n], 1, 5n],
    [[5n, 7n], 1, 7n],
    [[5n, 7n], 2, 5n],
    [[7n, 5n, 6n], 2, 6n],
    [[0n, 5n, 5n], 2, 5n],
    [[2n ** 62n, 5n, 4n], 2, 5n],
    [[10n, 9n, 100n, 11n, 8n], 3, 10n],
  ] as const)
    it(`of ${values.join(' ')} with quorum ${quorum} is ${reached}`, () =>
      expect(reachedBy(values, quorum)).toBe(reached))

  test.prop([honestMajority(), fc.array(fc.bigInt({ min: 0n, max: 1_000n }))])(
    'lies between what honest servers say, whatever fewer liars than the quorum say',
    ({ isLiar, quorum }, numbers) => {
      const values = isLiar.map((liar, i) =>
        liar ? (numbers[i] ?? 0n) : 400n + ((numbers[i] ?? 0n) % 20n),
      )
      const honest = values.filter((_, i) => !isLiar[i])
      const reached = reachedBy(values, quorum)
      expect(honest.some((value) => value >= reached)).toBe(true)
      expect(honest.some((value) => value <= reached)).toBe(true)
    },
  )

  it('does not change the list', () => {
    const values = [1n, 2n]
    reachedBy(values, 1)
    expect(values).toEqual([1n, 2n])
  })
})
