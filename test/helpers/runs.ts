/** A number of runs or seeds, or the number that `npm run test:fuzz` sets. */
export const runCount = (count: number): number => Number(process.env.AVMKIT_FUZZ_RUNS ?? count)

/** Options of a property with this many runs, or the number that `npm run test:fuzz` sets. */
export const runs = (numRuns: number): { numRuns: number } => ({ numRuns: runCount(numRuns) })
