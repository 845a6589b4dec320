/**
 * When blocks are produced. `manual`: on request. `auto`: at once for every transaction. `real`: when transactions are
 * pending, at most one per second by default.
 */
export type BlockMode = 'manual' | 'auto' | 'real'

/** Default minimum time between two blocks. */
const BLOCK_PAUSE_MS = 1000

/** Produces blocks according to the mode. */
export class Pace {
  private readonly mode: BlockMode
  /** Produces one block; returns false if nothing was pending. */
  private readonly build: () => boolean
  private readonly pauseMs: number
  /** Whether transactions wait for something other than another transaction, such as gas capacity. */
  private readonly isWaiting: () => boolean
  /** When the last block was produced or tried, in milliseconds. */
  private last = -Infinity
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    mode: BlockMode,
    build: () => boolean,
    pauseMs: number = BLOCK_PAUSE_MS,
    isWaiting: () => boolean = () => false,
  ) {
    this.mode = mode
    this.build = build
    this.pauseMs = pauseMs
    this.isWaiting = isWaiting
  }

  /** Must be called when a transaction may have become pending. */
  poke(): void {
    if (this.mode === 'auto') while (this.build());
    if (this.mode !== 'real' || this.timer !== undefined) return
    const wait = Math.max(0, this.last + this.pauseMs - Date.now())
    this.timer = setTimeout(() => {
      this.timer = undefined
      if (!this.tryBuild() && !this.isWaiting()) return
      this.last = Date.now()
      this.poke()
    }, wait)
    // The timer does not keep the process running, because nothing waits for the block.
    ;(this.timer as { unref?: () => void }).unref?.()
  }

  private tryBuild(): boolean {
    try {
      return this.build()
    } catch {
      // The block could not be stored. Its transactions stay pending for the next one.
      return false
    }
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
