/** The value that at least `quorum` of these equal; undefined if there is none. */
export function agreedOf<T>(
  values: readonly T[],
  quorum: number,
  isSame: (a: T, b: T) => boolean,
): T | undefined {
  return values.find((value) => votesFor(values, value, isSame) >= quorum)
}

/** How many of these values are equal, at most. */
export function mostEqual<T>(values: readonly T[], isSame: (a: T, b: T) => boolean): number {
  return Math.max(0, ...values.map((value) => votesFor(values, value, isSame)))
}

function votesFor<T>(values: readonly T[], value: T, isSame: (a: T, b: T) => boolean): number {
  return values.filter((other) => isSame(other, value)).length
}

/**
 * The largest value that at least `quorum` servers have reached: fewer dishonest ones cannot raise it, and cannot lower
 * it if as many honest ones answer.
 */
export function reachedBy(values: readonly bigint[], quorum: number): bigint {
  return values.toSorted((a, b) => (a < b ? 1 : -1))[quorum - 1]!
}
