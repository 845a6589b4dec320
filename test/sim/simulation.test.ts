import { beforeAll, describe, expect, it } from 'vitest'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { seedsToRun } from './seeds.ts'
import { simulate } from './simulation.ts'

/** `npm run test:sim -- SEEDS FIRST` sets them. */
const seeds = seedsToRun(100)

describe('payments under faults and crashes', () => {
  let backend: Secp256k1Backend
  beforeAll(async () => {
    backend = await loadWasmBackend()
  })

  it(
    `keep the invariants for ${seeds.length} seeds`,
    async () => {
      const failures: string[] = []
      let crashes = 0
      let transactions = 0
      for (const seed of seeds) {
        const result = await simulate(seed, backend).catch((error) => {
          throw new Error(`seed ${seed}`, { cause: error })
        })
        crashes += result.crashes
        transactions += result.transactions
        if (result.violations.length > 0)
          failures.push(`seed ${seed}: ${[...new Set(result.violations)].join('; ')}`)
        if (process.env.AVMKIT_SIM_TRACE) console.log(result.trace)
      }
      console.log(
        `simulation: ${seeds.length} seeds, ${transactions} transactions, ${crashes} crashes`,
      )
      expect(failures).toEqual([])
      // A simulation without crashes or payments would prove nothing.
      expect(transactions).toBeGreaterThan(0)
    },
    24 * 3600_000,
  )

  it('gives the same run for the same seed', async () => {
    for (const seed of [3, 17]) {
      const [a, b] = [await simulate(seed, backend), await simulate(seed, backend)]
      expect(a).toEqual(b)
    }
  }, 600_000)
})
