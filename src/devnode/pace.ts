/** When blocks are made: on command, with every admitted transaction, or once a second. */
export type BlockMode = 'manual' | 'auto' | 'real'

/** The pause between two blocks of the X- and P-Chain. */
const PAUSE_MS = 1000

/** Makes blocks at the pace of its mode. */
export class Pace {
  private readonly mode: BlockMode
  /** Makes one block; false where nothing was pending. */
  private readonly build: () => boolean
  private readonly pauseMs: number
  private last = -Infinity
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(mode: BlockMode, build: () => boolean, pauseMs: number = PAUSE_MS) {
    this.mode = mode
    this.build = build
    this.pauseMs = pauseMs
  }

  /** To be called whenever something may be pending. */
  poke(): void {
    if (this.mode === 'auto') while (this.build());
    if (this.mode !== 'real' || this.timer !== undefined) return
    const wait = Math.max(0, this.last + this.pauseMs - Date.now())
    this.timer = setTimeout(() => {
      this.timer = undefined
      if (!this.tryBuild()) return
      this.last = Date.now()
      this.poke()
    }, wait)
    // Nothing is lost when a program ends before the next block: the answer did not promise one.
    ;(this.timer as { unref?: () => void }).unref?.()
  }

  private tryBuild(): boolean {
    try {
      return this.build()
    } catch {
      // A block that could not be kept: its transactions still wait, and the next one tries again.
      return false
    }
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
