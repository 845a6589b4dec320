import { describe, expect, it } from 'vitest'
import { type Bounds, explore } from './claims-model.ts'

/** `npm run test:explore` visits more states. */
const isComplete = process.env.AVMKIT_EXPLORE !== undefined

const scenarios: { readonly [name: string]: Bounds } = {
  'one key, three coins': { keys: ['k1'], coins: 3, claims: isComplete ? 4 : 3, inputs: 2 },
  'two keys, alone and in a batch': {
    keys: ['k1', 'k2'],
    coins: 2,
    claims: isComplete ? 3 : 2,
    inputs: 2,
  },
}

describe('whatever is claimed and whatever a single server shows', () => {
  for (const [name, bounds] of Object.entries(scenarios))
    it(`the chain accepts at most one payment per key: ${name}`, () => {
      const start = performance.now()
      const { states, violation } = explore(bounds)
      console.log(`${name}: ${states} states, ${Math.round(performance.now() - start)} ms`)
      expect(violation).toBeUndefined()
      expect(states).toBeGreaterThan(100)
    }, 3_600_000)
})
