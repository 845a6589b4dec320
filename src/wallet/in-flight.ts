/**
 * Runs `work` on items as they are produced, at most `limit` at a time. After a failure it takes no further item,
 * waits for those in progress, and throws the first failure.
 */
export async function eachInFlight<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const failures: unknown[] = []
  let done = false
  const lane = async () => {
    while (!done && failures.length === 0) {
      try {
        const next = iterator.next()
        if (next.done) done = true
        else await work(next.value)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, limit) }, lane))
  if (!done) iterator.return?.()
  if (failures.length > 0) throw failures[0]
}
