/** A seeded random source: the same seed gives the same numbers on every machine. */
export type Random = {
  /** From 0 up to but not including 1. */
  readonly next: () => number
  /** An integer from 0 up to but not including `n`. */
  readonly below: (n: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  readonly bytes: (size: number) => Uint8Array
}

/** Mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)]!,
    bytes: (size) => Uint8Array.from({ length: size }, () => below(256)),
  }
}
