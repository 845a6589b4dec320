import { todaysFrom } from '../helpers/todays-cases.ts'
import type { SimulationResult } from './world.ts'

/**
 * The seeds that `npm run test:sim -- SEEDS FIRST` asks for; otherwise those of `count` that are run today.
 *
 * @param every - for a slow simulation: only every n-th of the seeds that were asked for
 */
export function seedsToRun(count: number, every = 1): number[] {
  const { AVMKIT_SIM_SEEDS, AVMKIT_SIM_FIRST = 1 } = process.env
  if (AVMKIT_SIM_SEEDS === undefined) return todaysFrom(1, count)
  const asked = Array.from(
    { length: Number(AVMKIT_SIM_SEEDS) },
    (_, i) => Number(AVMKIT_SIM_FIRST) + i,
  )
  return asked.filter((_, i) => i % every === 0)
}

/** What came of several seeds. */
export type SeedsResult = Pick<SimulationResult, 'crashes' | 'transactions' | 'arrived'> & {
  /** The seeds that broke an invariant or did not end, and how. */
  readonly failures: readonly string[]
}

/** Runs seeds one after the other. */
export async function runSeeds(
  seeds: readonly number[],
  simulate: (seed: number) => Promise<SimulationResult>,
): Promise<SeedsResult> {
  const failures: string[] = []
  const sums = { crashes: 0, transactions: 0, arrived: 0 }
  for (const seed of seeds)
    try {
      const result = await simulate(seed)
      sums.crashes += result.crashes
      sums.transactions += result.transactions
      sums.arrived += result.arrived
      if (result.violations.length > 0)
        failures.push(`seed ${seed}: ${[...new Set(result.violations)].join('; ')}`)
      if (process.env.AVMKIT_SIM_TRACE) console.log(result.trace)
    } catch (error) {
      failures.push(`seed ${seed}: ${(error as Error).stack ?? error}`)
    }
  return { ...sums, failures }
}

/** Prints how much the seeds have tried. */
export function printSums(seeds: readonly number[], result: SeedsResult): void {
  const { transactions, crashes, arrived } = result
  console.log(
    `${seeds.length} seeds: ${transactions} transactions, ${crashes} crashes, ${arrived} moves arrived`,
  )
}
