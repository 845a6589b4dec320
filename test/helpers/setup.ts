import { fc } from '@fast-check/vitest'
import { runCount } from './runs.ts'

/** Number of cases of a property that does not set its own. */
const DEFAULT_RUNS = 100

const { AVMKIT_FUZZ_SEED } = process.env
fc.configureGlobal({
  numRuns: runCount(DEFAULT_RUNS),
  ...(AVMKIT_FUZZ_SEED === undefined ? {} : { seed: Number(AVMKIT_FUZZ_SEED) }),
})
