import { throwIfAborted, waitFor } from '../../node/transport/time-limit.ts'

/** Lets calls that share an idempotency key run one after the other. */
export class KeyTurns {
  /** The last call of each key. */
  private readonly last = new Map<string, Promise<unknown>>()

  /** Runs `work` after all earlier calls that share a key. If the caller aborts before that, it does not start. */
  async run<T>(
    keys: readonly string[],
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const earlier = Promise.allSettled(keys.map((key) => this.last.get(key)))
    const running = earlier.then(() => {
      throwIfAborted('wallet', signal)
      return work()
    })
    for (const key of keys) this.last.set(key, running)
    const ended = running.finally(() => {
      for (const key of keys) if (this.last.get(key) === running) this.last.delete(key)
    })
    ended.catch(() => {})
    await waitFor('wallet', earlier, { signal })
    return ended
  }
}
