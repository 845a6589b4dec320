/** A UTXO of which too few servers say that it exists, or that it does not. */
export type Disputed<U> = {
  readonly utxo: U
  /** Host and port of the servers that list it. */
  readonly listedBy: readonly string[]
  /** Host and port of the servers that do not list it, or list it with other content. */
  readonly missingFrom: readonly string[]
}

/** Counts answers once: more are added to a list, none is removed, so their number names them. */
export function forEachCount<T extends readonly unknown[], R>(
  count: (answers: T) => R,
): (answers: T) => R {
  let last: { readonly length: number; readonly result: R } | undefined
  return (answers) => {
    const { length } = answers
    if (last?.length !== length) last = { length, result: count(answers) }
    return last.result
  }
}

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
