/**
 * Runs generators side by side, at most `limit` at a time, and hands out what they yield as it comes. A
 * generator goes on only when its last item was taken, so nothing runs ahead of the consumer; when the
 * consumer stops or one fails, `stop` is called and the others are ended.
 */
export async function* mergeBounded<T>(
  starts: readonly (() => AsyncGenerator<T, void, undefined>)[],
  limit: number,
  stop: () => void,
): AsyncGenerator<T, void, undefined> {
  type Source = AsyncGenerator<T, void, undefined>
  type Turn = { readonly source: Source; readonly result: IteratorResult<T, void> }
  const running = new Map<Source, Promise<Turn>>()
  const advance = (source: Source) => {
    const turn = source.next().then((result) => ({ source, result }))
    // A failure is thrown where the turn is awaited; until then it must not count as unhandled.
    turn.catch(() => {})
    running.set(source, turn)
  }
  let started = 0
  try {
    for (;;) {
      while (running.size < limit && started < starts.length) advance(starts[started++]!())
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
