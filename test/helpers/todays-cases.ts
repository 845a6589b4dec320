/**
 * `npm test` runs an eighth of the seeds, kill points and cases of its slowest tests: another one every day, so that
 * eight days run all of them. `AVMKIT_TEST_SEED` repeats those of a day; `npm run test:all` runs everything.
 */
export const testSeed: number = Number(
  process.env.AVMKIT_TEST_SEED ?? Math.floor(Date.now() / 86_400_000),
)

// Without this check an invalid seed would select nothing, and every test would pass.
if (!Number.isSafeInteger(testSeed)) throw new Error('AVMKIT_TEST_SEED must be an integer')

/** Of this many cases one is run. */
export const SHARE = 8

/** Whether everything is run. */
export const runsAll: boolean = process.env.AVMKIT_TEST_ALL !== undefined

/** Whether the n-th of many cases is run. */
export function isRunToday(n: number): boolean {
  return runsAll || (n + testSeed) % SHARE === 0
}

/** The cases that are run: of a short list one, so that none is forgotten on a day. */
export function todaysOf<T>(cases: readonly T[]): T[] {
  if (!runsAll && cases.length < SHARE) return cases.slice(testSeed % cases.length).slice(0, 1)
  return cases.filter((_, i) => isRunToday(i))
}

/** The numbers from `first` on that are run, of `count`. */
export function todaysFrom(first: number, count: number): number[] {
  return todaysOf(Array.from({ length: count }, (_, i) => first + i))
}
