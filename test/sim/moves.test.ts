import { expect, it } from 'vitest'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { printSums, runSeeds, seedsToRun } from './seeds.ts'
import { simulateMoves } from './simulation.ts'

/** `npm run test:sim -- SEEDS FIRST` sets them. */
const seeds = seedsToRun(40)

it(
  `moves together with payments keep the invariants for ${seeds.length} seeds`,
  async () => {
    const backend = await loadWasmBackend()
    const result = await runSeeds(seeds, (seed) => simulateMoves(seed, backend))
    printSums(seeds, result)
    expect(result.failures).toEqual([])
    // A simulation without moves would prove nothing.
    expect(result.arrived).toBeGreaterThan(0)
  },
  24 * 3600_000,
)
