import { fc } from '@fast-check/vitest'

/** Options of a property with this many runs, or the number that `npm run test:fuzz` sets. */
export const runs = (numRuns: number): { numRuns: number } => ({
  numRuns: fc.readConfigureGlobal().numRuns ?? numRuns,
})
