import { fc } from '@fast-check/vitest'

/** Options of a property with this many runs, or as many as `npm run test:fuzz` asks for. */
export const runs = (numRuns: number): { numRuns: number } => ({
  numRuns: fc.readConfigureGlobal().numRuns ?? numRuns,
})
