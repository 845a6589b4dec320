import { expect, it } from 'vitest'
import { nextPause } from '../../../src/wallet/evidence/follower.ts'

it.each([
  ['begins anew after a block', { pause: 400, expected: 0, took: 300, found: true }, 30],
  ['grows', { pause: 20, expected: 10, took: 1, found: false }, 34],
  [
    'stays short while a block is expected',
    { pause: 45, expected: 1000, took: 9, found: false },
    45,
  ],
  ['grows if the clock was set back', { pause: 45, expected: -1, took: 9, found: false }, 76.5],
  ['grows after that', { pause: 45, expected: 1001, took: 9, found: false }, 76.5],
  ['grows with the duration of polls', { pause: 45, expected: 10, took: 12, found: false }, 60],
  ['has a limit', { pause: 400, expected: 10, took: 300, found: false }, 500],
  ['has the same limit later', { pause: 400, expected: 5000, took: 1, found: false }, 500],
] as const)('the pause between polls %s', (_, { pause, expected, took, found }, ms) => {
  expect(nextPause(pause, expected, took, found)).toBeCloseTo(ms)
})
