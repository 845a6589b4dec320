// `npm run test:fuzz` sets the number of runs and the seed. fast-check is loaded only then, because it delays every
// file.
const { AVMKIT_FUZZ_RUNS, AVMKIT_FUZZ_SEED } = process.env
if (AVMKIT_FUZZ_RUNS !== undefined) {
  const { fc } = await import('@fast-check/vitest')
  fc.configureGlobal({
    numRuns: Number(AVMKIT_FUZZ_RUNS),
    ...(AVMKIT_FUZZ_SEED === undefined ? {} : { seed: Number(AVMKIT_FUZZ_SEED) }),
  })
}

export {}
