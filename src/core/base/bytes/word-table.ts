const INITIAL_ROWS = 64

/*
 * A random seed and random odd factors per process. Keys may come from an untrusted node, which must not be able to
 * choose keys that collide: with the factors of MurmurHash3, some do for every seed. No result outside this file depends
 * on them.
 */
const seed = (Math.random() * 0x1_0000_0000) >>> 0
const firstFactor = (Math.random() * 0x1_0000_0000) | 1
const secondFactor = (Math.random() * 0x1_0000_0000) | 1

/**
 * Assigns consecutive numbers to distinct keys of a fixed number of 32-bit words. The keys are stored in one typed
 * array and found by open addressing, so a million keys do not need a million objects.
 */
export class WordTable {
  /** Words per key. */
  readonly width: number
  /** Key `n` is `words[n * width … (n + 1) * width)`. The words are big-endian, so they compare like the bytes. */
  words: Uint32Array
  /** Number of keys. */
  size = 0
  /** Pairs of (hash, number + 1); 0 marks a free slot. */
  private slots: Uint32Array

  constructor(width: number) {
    this.width = width
    this.words = new Uint32Array(INITIAL_ROWS * width)
    this.slots = new Uint32Array(4 * INITIAL_ROWS)
  }

  /** Returns the number of a key, or -1 if it is not in the table. */
  find(key: Uint32Array): number {
    return this.slots[this.slotOf(key, this.hash(key)) + 1]! - 1
  }

  /** Returns the number of a key and adds the key if it is new. The number of a new key is the previous size. */
  intern(key: Uint32Array): number {
    const hash = this.hash(key)
    const slot = this.slotOf(key, hash)
    const known = this.slots[slot + 1]!
    if (known !== 0) return known - 1
    const number = this.size++
    if (this.words.length < this.size * this.width) this.words = widened(this.words, this.width)
    const at = number * this.width
    for (let i = 0; i < this.width; i++) this.words[at + i] = key[i]!
    this.slots[slot] = hash
    this.slots[slot + 1] = this.size
    // With a load above 3/4, probe sequences become long.
    if (this.size * 2 > this.slots.length * 0.75) this.widen()
    return number
  }

  private slotOf(key: Uint32Array, hash: number): number {
    const { slots, words, width } = this
    const mask = slots.length - 1
    let slot = (hash << 1) & mask
    for (;;) {
      const number = slots[slot + 1]!
      if (number === 0) return slot
      if (slots[slot] === hash) {
        const at = (number - 1) * width
        let i = 0
        while (i < width && words[at + i] === key[i]) i++
        if (i === width) return slot
      }
      slot = (slot + 2) & mask
    }
  }

  private widen(): void {
    const old = this.slots
    // Doubling: a slot takes 8 bytes, and growing by four would leave up to 46 bytes of free slots per key.
    const slots = new Uint32Array(2 * old.length)
    const mask = slots.length - 1
    for (let i = 0; i < old.length; i += 2) {
      if (old[i + 1] === 0) continue
      let slot = (old[i]! << 1) & mask
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask
      slots[slot] = old[i]!
      slots[slot + 1] = old[i + 1]!
    }
    this.slots = slots
  }

  /** Mixes all words as MurmurHash3 does, with other factors. A hash of the first words alone would be easy to collide. */
  private hash(key: Uint32Array): number {
    let hash = seed
    for (let i = 0; i < this.width; i++) {
      let word = Math.imul(key[i]!, firstFactor)
      word = (word << 15) | (word >>> 17)
      hash ^= Math.imul(word, secondFactor)
      hash = (hash << 13) | (hash >>> 19)
      hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  }
}

/** Returns a copy of a column of `width` values per row, with space for half as many rows again. */
export function widened<T extends Uint8Array | Uint32Array | Float64Array>(
  column: T,
  width: number,
): T {
  const rows = column.length / width
  const copy = new (column.constructor as new (length: number) => T)(
    width * (rows + (rows >> 1) + 1),
  )
  copy.set(column)
  return copy
}

/** Reads `width` big-endian words from `view` at byte offset `at` into `key`. */
export function readWords(view: DataView, at: number, key: Uint32Array, width: number): void {
  for (let i = 0; i < width; i++) key[i] = view.getUint32(at + 4 * i)
}

const scratch = /* @__PURE__ */ new Uint8Array(32)
const scratchView: DataView = /* @__PURE__ */ new DataView(scratch.buffer)

/** Returns the first `words` words (at most 8) of key `number` as bytes. */
export function wordBytes(table: WordTable, number: number, words: number): Uint8Array {
  const at = number * table.width
  for (let i = 0; i < words; i++) scratchView.setUint32(4 * i, table.words[at + i]!)
  // Copying a whole array takes two thirds of the time of filling a new one byte by byte.
  return words === 8 ? new Uint8Array(scratch) : scratch.slice(0, 4 * words)
}
