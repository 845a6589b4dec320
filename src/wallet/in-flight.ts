/**
 * Works on items as they are produced, a bounded number at a time. Takes no further item once one has
 * failed, waits for those under way, and then throws the first failure.
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
