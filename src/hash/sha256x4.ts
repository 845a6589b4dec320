import type { Spans } from '../bytes/spans.ts'
import { checksum } from './sha256.ts'
import { type HashModule, layout, loadHashModule } from './wasm.ts'

/*
 * Why this exists: a node sends UTXOs as hex with a checksum each, and turning these into bytes and hashing them
 * one by one takes most of the time of decoding a page. Decoding 1024 UTXOs with and without the module, all
 * versions taking turns in one process: 2.26 ms against 6.75 ms with Node's own SHA-256, and 3.01 ms against
 * 9.93 ms where there is only noble's, as in browsers. (Busy machine, Node 20; the ratios are what counts.)
 *
 * What it is checked against: noble's SHA-256 and hex, in test/hash/sha256x4.test.ts: the published digests of
 * FIPS 180, every message size up to 600 bytes in several orders, random pages, and any flipped bit. The module
 * must also reproduce a known hash when it is built. Where it cannot be built, texts are decoded one by one.
 */

/**
 * Longer messages are hashed singly. Node's own hash is as fast from five blocks on, but elsewhere
 * four lanes are always faster.
 */
const maxBlocks = 8
/** In bytes, before the padding of nine or more. */
const maxSize = 503
/** Building the module takes 2 ms, so it waits until a page's worth of messages has been seen. */
const worthBuilding = 1024

let seen = 0
let shared: HashModule | null | undefined

function moduleFor(messages: number): HashModule | null {
  seen += messages
  if (shared === undefined && seen > worthBuilding) shared = loadHashModule()
  return shared ?? null
}

/**
 * One pass over many messages. They wait, padded, among those of as many blocks until there are
 * four; what is left at the end runs mixed, each result being read after its own last block.
 */
class Batch {
  readonly #module: HashModule
  readonly #rows: Uint32Array
  readonly #out: Uint32Array
  /** How many wait, by blocks. */
  readonly #waiting = new Uint8Array(maxBlocks + 1)
  /** Whose message is in a slot; slot 4 * b + k belongs to the messages of b blocks. */
  readonly #owners = new Uint32Array(4 * (maxBlocks + 1))

  constructor(module: HashModule, out: Uint32Array) {
    this.#module = module
    this.#rows = new Uint32Array(module.memory.buffer, layout.rows)
    this.#out = out
  }

  /** Has `out[owner]` filled for the message of at most `maxSize` bytes at `from` in the memory. */
  add(owner: number, from: number, size: number): void {
    const padded = (size + 72) & ~63
    const blocks = padded >> 6
    const first = 4 * blocks
    const slot = first + this.#waiting[blocks]!
    this.#owners[slot] = owner
    this.#module.pad(from, size, slotAddress(slot), padded)
    this.#waiting[blocks] = (slot + 1) & 3
    if (slot === first + 3) this.#run(first, first + 1, first + 2, slot)
  }

  finish(): void {
    const left: number[] = []
    for (let blocks = 1; blocks <= maxBlocks; blocks++)
      for (let k = 0; k < this.#waiting[blocks]!; k++) left.push(4 * blocks + k)
    for (let i = 0; i < left.length; i += 4) {
      const last = left[Math.min(i + 3, left.length - 1)]!
      this.#run(left[i]!, left[i + 1] ?? last, left[i + 2] ?? last, last)
    }
  }

  /** The last slot must be one of those with the most blocks. */
  #run(a: number, b: number, c: number, d: number): void {
    const padded = (d >> 2) << 6
    this.#module.hash(slotAddress(a), slotAddress(b), slotAddress(c), slotAddress(d), padded)
    this.#read(a, 0)
    this.#read(b, 1)
    this.#read(c, 2)
    this.#read(d, 3)
  }

  #read(slot: number, lane: number): void {
    this.#out[this.#owners[slot]!] = this.#rows[((slot >> 2) - 1) * 4 + lane]!
  }
}

function slotAddress(slot: number): number {
  return layout.slots + (slot - 4) * layout.slotSize
}

/**
 * Decodes many texts of the API's hex at once, in either case of letters, with `checksumSize` bytes of
 * checksum (4 or 0) behind each. Returns undefined when any of them is not in order, when one has more
 * than 262,144 characters, or when there is no module (yet): decoding one by one then does the work or
 * names the fault.
 */
export function decodeHexPage(
  texts: readonly string[],
  checksumSize: number,
  module: HashModule | null = moduleFor(texts.length),
): Spans | undefined {
  if (module === null) return undefined
  const shortest = 2 + 2 * checksumSize
  let digits = 0
  for (const text of texts) {
    if (!text.startsWith('0x') || text.length < shortest || text.length % 2 !== 0) return undefined
    if (text.length > layout.dataSize) return undefined
    digits += text.length
  }
  const bytes = new Uint8Array(digits / 2)
  const starts = new Uint32Array(texts.length)
  const ends = new Uint32Array(texts.length)
  const sums = new Uint32Array(texts.length)
  const memory = new Uint8Array(module.memory.buffer)
  const encoder = new TextEncoder()
  const batch = new Batch(module, sums)
  let done = 0
  for (let i = 0; i < texts.length; ) {
    const first = i
    let at = 0
    for (; i < texts.length && at + texts[i]!.length <= layout.dataSize; i++) {
      const text = texts[i]!
      encoder.encodeInto(text, memory.subarray(layout.data + at))
      starts[i] = done + at / 2 + 1
      at += text.length
      ends[i] = done + at / 2 - checksumSize
    }
    const padded = (at + 31) & ~31
    memory.fill(48, layout.data + at, layout.data + padded)
    // The prefixes are decoded with the rest: their x, one a text, is all that may not be a digit.
    if (module.unhex(padded) !== padded - (i - first)) return undefined
    bytes.set(memory.subarray(layout.data, layout.data + at / 2), done)
    for (let j = first; j < i && checksumSize > 0; j++) {
      const size = ends[j]! - starts[j]!
      if (size > maxSize) sums[j] = checksum(bytes.subarray(starts[j], ends[j]))
      else batch.add(j, layout.data + starts[j]! - done, size)
    }
    done += at / 2
  }
  batch.finish()
  for (let i = 0; i < texts.length && checksumSize > 0; i++) {
    const at = ends[i]!
    const expected =
      (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
    if (expected !== (sums[i]! | 0)) return undefined
  }
  return { bytes, starts, ends }
}
