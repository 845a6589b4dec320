import { fc } from '@fast-check/vitest'
import { runCount } from './runs.ts'
import { runsAll, testSeed } from './todays-cases.ts'

/** Number of cases of a property that does not set its own. */
const DEFAULT_RUNS = 100

// The cases of a day are the same in every run, as its slow cases are: what failed once fails when it is looked at.
const { AVMKIT_FUZZ_SEED = runsAll ? undefined : testSeed } = process.env
fc.configureGlobal({
  numRuns: runCount(DEFAULT_RUNS),
  ...(AVMKIT_FUZZ_SEED === undefined ? {} : { seed: Number(AVMKIT_FUZZ_SEED) }),
})
