import { expect, it } from 'vitest'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { empty, newDatabase, newPool } from '../custody/postgres.ts'
import { simulateCustody } from './custody.ts'
import { printSums, runSeeds, seedsToRun } from './seeds.ts'

// Every run takes seconds of real time: `npm run test:sim -- 2000` runs 40 of them.
const seeds = seedsToRun(4, 50)

it(
  `custody keeps the invariants under faults, lies and crashes for ${seeds.length} seeds`,
  async () => {
    const backend = await loadWasmBackend()
    const database = await newDatabase()
    const result = await runSeeds(seeds, async (seed) => {
      await empty(database)
      const { schema } = database
      return simulateCustody(seed, backend, { schema, newPool: () => newPool(8) })
    })
    printSums(seeds, result)
    expect(result.failures).toEqual([])
    expect(result.transactions).toBeGreaterThan(0)
  },
  24 * 3600_000,
)
