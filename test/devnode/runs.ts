import { fc } from '@fast-check/vitest'

/** So many runs of a property, or as many as `npm run test:fuzz` asks for. */
export const runs = (numRuns: number): { numRuns: number } => ({
  numRuns: fc.readConfigureGlobal().numRuns ?? numRuns,
})
