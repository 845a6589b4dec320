import { describe, expect, it } from 'vitest'
import { isRunToday } from '../helpers/todays-cases.ts'
import { explore } from './explore.ts'
import type { Bounds } from './world.ts'

const isComplete = process.env.AVMKIT_EXPLORE !== undefined

const bounds: Bounds = {
  pays: [['k1']],
  cancels: ['k1'],
  coins: 1,
  txs: 2,
  calls: 2,
  crashes: 1,
  restores: 0,
  foreign: 0,
  quorum: 1,
}

const batch: Partial<Bounds> = { pays: [['k1', 'k2'], ['k2']], cancels: ['k1'], coins: 2 }

/** `npm test` explores an eighth of the short ones, another every day; `npm run test:explore` all. */
const scenarios: readonly (readonly [name: string, bounds: Partial<Bounds>, isShort: boolean])[] = [
  ['a payment and its cancellation', { crashes: 0 }, true],
  ['a quorum of 2', { quorum: 2, crashes: 0 }, true],
  ['another holder and one call', { foreign: 1, crashes: 0, cancels: [], calls: 1 }, true],
  ['an older store', { quorum: 2, crashes: 0, restores: 1 }, true],
  ['another holder of the keys', { foreign: 1, crashes: 0, cancels: [] }, false],
  ['another holder and a cancellation', { foreign: 1, crashes: 0 }, false],
  ['another holder and a quorum of 2', { foreign: 1, quorum: 2, coins: 2 }, false],
  ['a crash', {}, true],
  ['a crash and a quorum of 2', { quorum: 2, txs: 3 }, true],
  ['a crash and an older store', { quorum: 2, restores: 1 }, true],
  ['two coins', { coins: 2 }, true],
  ['three attempts', { txs: 3 }, false],
  ['three attempts and an older store', { quorum: 2, txs: 3, restores: 1 }, false],
  ['another holder, three attempts and a quorum of 2', { foreign: 1, quorum: 2, txs: 3 }, false],
  ['a batch of which one is canceled', batch, true],
  ['a batch and a quorum of 2', { ...batch, quorum: 2 }, true],
]

describe('whatever happens within bounds', () => {
  for (const [i, [name, own, isShort]] of scenarios.entries())
    it.runIf(isComplete || (isShort && isRunToday(i)))(
      `no key is paid twice, no outcome is false, and every payment ends: ${name}`,
      () => {
        const start = performance.now()
        const { states, violation } = explore({ ...bounds, ...own })
        console.log(`${name}: ${states} states, ${Math.round(performance.now() - start)} ms`)
        expect(violation).toBeUndefined()
        expect(states).toBeGreaterThan(100)
      },
      3_600_000,
    )
})
