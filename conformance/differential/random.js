// Numbers from a seed, so that a run can be repeated.

/** Returns a source of random numbers (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
  /** An integer from 0 to n − 1. */
  const below = (n) => next() % n
  return {
    next,
    below,
    pick: (list) => list[below(list.length)],
    /** True once in n times. */
    chance: (n) => below(n) === 0,
  }
}
