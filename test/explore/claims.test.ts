import { describe, expect, it } from 'vitest'
import { isInQuarter } from '../helpers/quarter.ts'
import { type Bounds, explore } from './claims-model.ts'

/** `npm run test:explore` visits more states; `npm test` runs the larger one every fourth day. */
const isComplete = process.env.AVMKIT_EXPLORE !== undefined

const scenarios: { readonly [name: string]: Bounds } = {
  'one key, three coins': { keys: ['k1'], coins: 3, claims: isComplete ? 4 : 3, inputs: 2 },
  'two keys, alone and in a batch': {
    keys: ['k1', 'k2'],
    coins: 2,
    claims: isComplete ? 4 : 3,
    inputs: 2,
  },
}

describe('whatever is claimed and whatever a single server shows', () => {
  for (const [i, [name, bounds]] of Object.entries(scenarios).entries())
    it.runIf(isComplete || i === 0 || isInQuarter(i))(
      `the chain accepts at most one payment per key: ${name}`,
      () => {
        const start = performance.now()
        const { states, violation } = explore(bounds)
        console.log(`${name}: ${states} states, ${Math.round(performance.now() - start)} ms`)
        expect(violation).toBeUndefined()
        expect(states).toBeGreaterThan(100)
      },
      3_600_000,
    )
})
