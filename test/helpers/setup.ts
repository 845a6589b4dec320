import { fc } from '@fast-check/vitest'

// `npm run test:fuzz` asks for far more cases, from a seed that it prints.
const { AVMKIT_FUZZ_RUNS, AVMKIT_FUZZ_SEED } = process.env
if (AVMKIT_FUZZ_RUNS !== undefined)
  fc.configureGlobal({
    numRuns: Number(AVMKIT_FUZZ_RUNS),
    ...(AVMKIT_FUZZ_SEED === undefined ? {} : { seed: Number(AVMKIT_FUZZ_SEED) }),
  })
