import { expect, it } from 'vitest'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { databaseStore } from '../../src/custody/database/store.ts'
import { simulate } from '../sim/simulation.ts'
import { empty, newDatabase } from './postgres.ts'

// `AVMKIT_SIM_SEEDS=2000 npx vitest run test/custody/simulation` runs more of them.
const seeds = Number(process.env.AVMKIT_SIM_SEEDS ?? 5)
const first = Number(process.env.AVMKIT_SIM_FIRST ?? 1)

it(
  `payments with PostgreSQL stores keep the invariants under faults for ${seeds} seeds`,
  async () => {
    const backend = await loadWasmBackend()
    const databases = [await newDatabase(), await newDatabase()]
    const failures: string[] = []
    let transactions = 0
    for (let seed = first; seed < first + seeds; seed++) {
      await Promise.all(databases.map(empty))
      let made = 0
      const newStore = async () => databaseStore(databases[made++]!)
      const result = await simulate(seed, backend, newStore)
      transactions += result.transactions
      if (result.violations.length > 0)
        failures.push(`seed ${seed}: ${[...new Set(result.violations)].join('; ')}`)
    }
    expect(failures).toEqual([])
    expect(transactions).toBeGreaterThan(0)
  },
  24 * 3600_000,
)
