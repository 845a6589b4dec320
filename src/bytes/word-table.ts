const INITIAL_ROWS = 64

/*
 * One seed for the process: whoever makes up the keys (a node that lies about UTXOs) cannot aim at one
 * slot. Nothing that leaves this folder depends on it.
 */
const seed = (Math.random() * 0x1_0000_0000) >>> 0

/**
 * Numbers distinct keys of a fixed number of 32-bit words in the order of their arrival. Keys stand in one
 * typed array and are found by open addressing, so a million of them are no million objects.
 */
export class WordTable {
  readonly width: number
  /** Key `n` is `words[n * width … (n + 1) * width)`; big-endian words, so they compare like the bytes. */
  words: Uint32Array
  size = 0
  /** Pairs of hash and number + 1; 0 for a free slot. */
  private slots: Uint32Array

  constructor(width: number) {
    this.width = width
    this.words = new Uint32Array(INITIAL_ROWS * width)
    this.slots = new Uint32Array(4 * INITIAL_ROWS)
  }

  /** The number of a key, or -1. */
  find(key: Uint32Array): number {
    return this.slots[this.slotOf(key, this.hash(key)) + 1]! - 1
  }

  /** The number of a key, which is new where it equals the size before the call. */
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
    // Above three quarters runs of full slots grow long.
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
    // By two: a slot is 8 bytes, and with four times as many up to 46 bytes per key would be free slots.
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

  /** MurmurHash3's mixing, over all words: the first ones alone could be chosen to collide. */
  private hash(key: Uint32Array): number {
    let hash = seed
    for (let i = 0; i < this.width; i++) {
      let word = Math.imul(key[i]!, 0xcc9e2d51)
      word = (word << 15) | (word >>> 17)
      hash ^= Math.imul(word, 0x1b873593)
      hash = (hash << 13) | (hash >>> 19)
      hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  }
}

/** A copy of a column of `width` values per row with room for half as many rows again. */
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

/** Reads `width` big-endian words from bytes into `key`. */
export function readWords(view: DataView, at: number, key: Uint32Array, width: number): void {
  for (let i = 0; i < width; i++) key[i] = view.getUint32(at + 4 * i)
}

const scratch = /* @__PURE__ */ new Uint8Array(32)
const scratchView: DataView = /* @__PURE__ */ new DataView(scratch.buffer)

/** Writes the first words of key `number` of a table out as bytes: 8 words at most. */
export function wordBytes(table: WordTable, number: number, words: number): Uint8Array {
  const at = number * table.width
  for (let i = 0; i < words; i++) scratchView.setUint32(4 * i, table.words[at + i]!)
  // Copying an array whole takes two thirds of the time of filling a new one byte by byte.
  return words === 8 ? new Uint8Array(scratch) : scratch.slice(0, 4 * words)
}
