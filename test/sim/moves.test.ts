import { expect, it } from 'vitest'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { runSeeds, seedsToRun } from './seeds.ts'
import { simulateMoves } from './simulation.ts'

/** `npm run test:sim -- SEEDS FIRST` sets them. */
const seeds = seedsToRun(60)

it(
  `moves together with payments keep the invariants for ${seeds.length} seeds`,
  async () => {
    const backend = await loadWasmBackend()
    const { failures, arrived } = await runSeeds(seeds, (seed) => simulateMoves(seed, backend))
    expect(failures).toEqual([])
    // A simulation without moves would prove nothing.
    expect(arrived).toBeGreaterThan(0)
  },
  24 * 3600_000,
)
