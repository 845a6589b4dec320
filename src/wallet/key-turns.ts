import { abortable, throwIfAborted } from './abortable.ts'

/** Lets calls that share an idempotency key run one after the other. */
export class KeyTurns {
  private readonly last = new Map<string, Promise<unknown>>()

  /** Runs `work` once all earlier calls with one of the keys have ended; not if the caller aborts before that. */
  async run<T>(
    keys: readonly string[],
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const turn = Promise.allSettled(keys.map((key) => this.last.get(key)))
    const running = turn.then(() => {
      throwIfAborted(signal)
      return work()
    })
    for (const key of keys) this.last.set(key, running)
    const ended = running.finally(() => {
      for (const key of keys) if (this.last.get(key) === running) this.last.delete(key)
    })
    ended.catch(() => {})
    await abortable(turn, signal)
    return ended
  }
}
