/** Requests that may be made: `burst` at once, then `perSecond`. */
export type Rate = { readonly perSecond: number; readonly burst: number }

/** Maximum number of names that are remembered; the ones that were idle for longest are forgotten first. */
const MAX_NAMES = 10_000

/** Limits the rate of events by name: a token bucket for each. */
export class RateLimit {
  private readonly rate: Rate
  private readonly now: () => number
  private readonly buckets = new Map<string, { tokens: number; at: number }>()

  /** @param now - milliseconds of a clock that does not jump */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.rate = rate
    this.now = now
  }

  /** Counts an event. Returns 0 if it is allowed, or else the seconds until the next one is. */
  take(name: string): number {
    const { perSecond, burst } = this.rate
    const now = this.now()
    const last = this.buckets.get(name) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, last.tokens + ((now - last.at) / 1000) * perSecond)
    const isAllowed = tokens >= 1
    // Inserted anew, so that the map is in the order of the last use.
    this.buckets.delete(name)
    this.buckets.set(name, { tokens: isAllowed ? tokens - 1 : tokens, at: now })
    if (this.buckets.size > MAX_NAMES) this.buckets.delete(this.buckets.keys().next().value!)
    return isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond))
  }
}
