import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { runSeeds, type SeedsResult } from './seeds.ts'
import { simulate, simulateMoves } from './simulation.ts'

// A process of `npm run test:sim`, which bundles this file: as modules of vitest the simulations take twice the time.

/** A seed of one of the simulations. */
type Job = { readonly kind: 'payments' | 'moves'; readonly seed: number }

const backend = await loadWasmBackend()
const run = { payments: simulate, moves: simulateMoves }

process.on('message', async ({ kind, seed }: Job) => {
  const result: SeedsResult = await runSeeds([seed], (one) => run[kind](one, backend))
  process.send?.(result)
})
process.on('disconnect', () => process.exit())
