/**
 * Checks and copies an argument now, so that later changes do not reach the iteration. An error is thrown when the
 * iteration starts, as async functions reject instead of throwing.
 */
export function iterate<T, R>(
  check: () => T,
  run: (checked: T) => AsyncIterable<R>,
): AsyncGenerator<R, void, undefined> {
  const checked = attempt(check)
  return (async function* () {
    yield* run(checked())
  })()
}

/** Calls a function now; the result is returned, or its error thrown, later. */
function attempt<T>(call: () => T): () => T {
  try {
    const value = call()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
