import { describe, expect, it } from 'vitest'
import { WordTable } from '../../../../src/core/base/bytes/word-table.ts'

const WIDTH = 9

/** The inverse of an odd number modulo 2^32. */
function inverse(odd: number): number {
  let found = odd
  for (let i = 0; i < 5; i++) found = Math.imul(found, 2 - Math.imul(odd, found))
  return found
}

/** The word that MurmurHash3 mixes to a value. */
function unmixed(value: number): number {
  const word = Math.imul(value, inverse(0x1b873593))
  return Math.imul((word >>> 15) | (word << 17), inverse(0xcc9e2d51)) >>> 0
}

/** Keys that have the same MurmurHash3 for every seed: a flipped bit 18 of a word is undone by bit 31 of the next. */
function collidingKeys(): Uint32Array[] {
  return Array.from({ length: 2 ** (WIDTH - 1) }, (_, choice) => {
    const mixed = new Uint32Array(WIDTH).fill(0x12345678)
    for (let i = 0; i < WIDTH - 1; i++)
      if ((choice >> i) & 1) {
        mixed[i]! ^= 0x0004_0000
        mixed[i + 1]! ^= 0x8000_0000
      }
    return mixed.map(unmixed)
  })
}

describe('WordTable', () => {
  it('numbers distinct keys, whatever their hashes are', () => {
    const table = new WordTable(WIDTH)
    const keys = collidingKeys()
    for (let round = 0; round < 2; round++)
      for (const [i, key] of keys.entries()) expect(table.intern(key)).toBe(i)
    expect(table.find(new Uint32Array(WIDTH))).toBe(-1)
  })

  it('has different hashes for keys that collide in MurmurHash3', () => {
    const table = new WordTable(WIDTH) as unknown as { hash: (key: Uint32Array) => number }
    const hashes = new Set(collidingKeys().map((key) => table.hash(key)))
    expect(hashes.size).toBeGreaterThan(64)
  })
})
