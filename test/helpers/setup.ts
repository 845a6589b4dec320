import { fc } from '@fast-check/vitest'
import { runsAll, testSeed } from './quarter.ts'
import { runCount } from './runs.ts'

/** Number of cases of a property that does not set its own. */
const DEFAULT_RUNS = 100

// The cases of a day are the same in every run, as the quarter is: what failed once fails when it is looked at.
const { AVMKIT_FUZZ_SEED = runsAll ? undefined : testSeed } = process.env
fc.configureGlobal({
  numRuns: runCount(DEFAULT_RUNS),
  ...(AVMKIT_FUZZ_SEED === undefined ? {} : { seed: Number(AVMKIT_FUZZ_SEED) }),
})
