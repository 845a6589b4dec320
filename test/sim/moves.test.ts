import { beforeAll, describe, expect, it } from 'vitest'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { simulateMoves } from './moves.ts'
import { seedsToRun } from './seeds.ts'

/** `npm run test:sim -- SEEDS FIRST` sets them. */
const seeds = seedsToRun(60)

describe('moves under faults and crashes', () => {
  let backend: Secp256k1Backend
  beforeAll(async () => {
    backend = await loadWasmBackend()
  })

  it(
    `keep the invariants for ${seeds.length} seeds`,
    async () => {
      const failures: string[] = []
      let crashes = 0
      let arrived = 0
      for (const seed of seeds) {
        const result = await simulateMoves(seed, backend).catch((error) => {
          throw new Error(`seed ${seed}`, { cause: error })
        })
        crashes += result.crashes
        arrived += result.arrived
        if (result.violations.length > 0)
          failures.push(`seed ${seed}: ${[...new Set(result.violations)].join('; ')}`)
        if (process.env.AVMKIT_SIM_TRACE) console.log(result.trace)
      }
      console.log(`simulation: ${seeds.length} seeds, ${arrived} moves arrived, ${crashes} crashes`)
      expect(failures).toEqual([])
      // A simulation without moves would prove nothing.
      expect(arrived).toBeGreaterThan(0)
    },
    24 * 3600_000,
  )
})
