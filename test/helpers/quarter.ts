/**
 * `npm test` runs a quarter of the seeds, kill points and cases of its slowest tests: another one every day, so that
 * four days run all of them. `AVMKIT_TEST_SEED` repeats the quarter of a day; `npm run test:all` runs everything.
 */
export const testSeed: number = Number(
  process.env.AVMKIT_TEST_SEED ?? Math.floor(Date.now() / 86_400_000),
)

// Without this check an invalid seed would select nothing, and every test would pass.
if (!Number.isSafeInteger(testSeed)) throw new Error('AVMKIT_TEST_SEED must be an integer')

/** Whether everything is run. */
export const runsAll: boolean = process.env.AVMKIT_TEST_ALL !== undefined

/** Whether the n-th of many cases is run. */
export function isInQuarter(n: number): boolean {
  return runsAll || (n + testSeed) % 4 === 0
}

/** The cases that are run. */
export function quarterOf<T>(cases: readonly T[]): T[] {
  return cases.filter((_, i) => isInQuarter(i))
}

/** The numbers from `first` on that are run, of `count`. */
export function quarterFrom(first: number, count: number): number[] {
  return quarterOf(Array.from({ length: count }, (_, i) => first + i))
}
