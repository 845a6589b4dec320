import { beforeAll, describe, expect, it } from 'vitest'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { printSums, runSeeds, seedsToRun } from './seeds.ts'
import { simulate } from './simulation.ts'

/** `npm run test:sim -- SEEDS FIRST` sets them. */
const seeds = seedsToRun(60)

let backend: Secp256k1Backend
beforeAll(async () => {
  backend = await loadWasmBackend()
})

describe('payments under faults, lies and crashes', () => {
  it(
    `keep the invariants for ${seeds.length} seeds`,
    async () => {
      const result = await runSeeds(seeds, (seed) => simulate(seed, backend))
      printSums(seeds, result)
      expect(result.failures).toEqual([])
      // A simulation without payments would prove nothing.
      expect(result.transactions).toBeGreaterThan(0)
    },
    24 * 3600_000,
  )

  it('give the same run for the same seed', async () => {
    for (const seed of [3, 17])
      expect(await simulate(seed, backend)).toEqual(await simulate(seed, backend))
  }, 600_000)
})
