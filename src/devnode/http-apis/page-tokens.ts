import { hex } from '../../core/base/encoding/hex.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'

/** Lifetime of a token in seconds. */
const TOKEN_LIFE = 24n * 3600n

/** Handling of expired tokens. The documentation says restart; servers were observed to reject them. */
export type ExpiredTokens = 'refuse' | 'restart'

/** A position in a list, with the unix time at which its token was created. */
type ListPosition = {
  readonly listing: string
  readonly position: bigint
  readonly createdAt: bigint
}

/** Page tokens of the metrics and data APIs: UUIDs that identify a position in one list for 24 hours. */
export class PageTokens {
  private readonly places = new Map<string, ListPosition>()
  private readonly expired: ExpiredTokens
  /** Number of tokens created so far, which makes each of them unique. */
  private count = 0

  constructor(expired: ExpiredTokens) {
    this.expired = expired
  }

  /** Creates a token for a position in a list. */
  make(listing: string, position: bigint, now: bigint): string {
    const seed = new TextEncoder().encode(`${listing}:${position}:${now}:${this.count++}`)
    const token = hex
      .encode(sha256(seed))
      .replace(
        /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/,
        (_, a, b, c, d, e) => `${a}-${b}-4${c}-8${d}-${e}`,
      )
    this.places.set(token, { listing, position, createdAt: now })
    return token
  }

  /** Returns the position of a token, `start` without a token, undefined for an invalid token. */
  find(token: string | null, listing: string, start: bigint, now: bigint): bigint | undefined {
    if (token === null) return start
    const place = this.places.get(token)
    if (place === undefined || place.listing !== listing) return undefined
    if (now - place.createdAt <= TOKEN_LIFE) return place.position
    return this.expired === 'restart' ? start : undefined
  }
}
