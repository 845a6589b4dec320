import { onAbort } from '../../node/transport/abort.ts'

/** Lets calls wait for the next change of something. */
export class Changes {
  private readonly waiting = new Set<() => void>()

  /** Resolves at the next change, or when the signal is aborted. */
  next(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done)
        forget()
        resolve()
      }
      this.waiting.add(done)
      const forget = onAbort(signal, done)
    })
  }

  /** Tells all that wait. */
  notify(): void {
    for (const done of [...this.waiting]) done()
  }
}
