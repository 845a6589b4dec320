import { runsAll } from './todays-cases.ts'

/** A number of runs or seeds: a quarter of it in `npm test`, or the number that `npm run test:fuzz` sets. */
export const runCount = (count: number): number =>
  Number(process.env.AVMKIT_FUZZ_RUNS ?? (runsAll ? count : Math.ceil(count / 4)))

/** Options of a property with this many runs, counted as by {@link runCount}. */
export const runs = (numRuns: number): { numRuns: number } => ({ numRuns: runCount(numRuns) })
