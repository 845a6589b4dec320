/**
 * Runs generators in parallel, at most `limit` at a time, and yields their items as they arrive. A generator resumes
 * only after its last item was consumed, so nothing runs ahead of the consumer. When the consumer stops or a
 * generator fails, `stop` is called and the other generators are ended.
 */
export async function* mergeBounded<T>(
  starters: readonly (() => AsyncGenerator<T, void, undefined>)[],
  limit: number,
  stop: () => void,
): AsyncGenerator<T, void, undefined> {
  type Source = AsyncGenerator<T, void, undefined>
  type Turn = { readonly source: Source; readonly result: IteratorResult<T, void> }
  const running = new Map<Source, Promise<Turn>>()
  const advance = (source: Source) => {
    const turn = source.next().then((result) => ({ source, result }))
    // The error is thrown where the promise is awaited; until then it must not be reported as unhandled.
    turn.catch(() => {})
    running.set(source, turn)
  }
  let started = 0
  try {
    for (;;) {
      while (running.size < limit && started < starters.length) advance(starters[started++]!())
      if (running.size === 0) return
      const { source, result } = await Promise.race(running.values())
      if (result.done) {
        running.delete(source)
        continue
      }
      yield result.value
      advance(source)
    }
  } finally {
    stop()
    await Promise.allSettled([...running.keys()].map((source) => source.return()))
  }
}
