/** The node's clock: the system clock until it is set, then fixed. */
export class NodeClock {
  private fixed: bigint | undefined

  constructor(fixed?: bigint) {
    this.fixed = fixed
  }

  /** Unix seconds. */
  readonly now = (): bigint => this.fixed ?? BigInt(Math.floor(Date.now() / 1000))

  set(seconds: bigint): void {
    this.fixed = seconds
  }
}
