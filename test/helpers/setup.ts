// `npm run test:fuzz` asks for far more cases, from a seed that it prints. Loaded only then: it takes a
// while, and every file would wait for it.
const { AVMKIT_FUZZ_RUNS, AVMKIT_FUZZ_SEED } = process.env
if (AVMKIT_FUZZ_RUNS !== undefined) {
  const { fc } = await import('@fast-check/vitest')
  fc.configureGlobal({
    numRuns: Number(AVMKIT_FUZZ_RUNS),
    ...(AVMKIT_FUZZ_SEED === undefined ? {} : { seed: Number(AVMKIT_FUZZ_SEED) }),
  })
}

export {}
