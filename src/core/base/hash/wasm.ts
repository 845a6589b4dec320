/**
 * WebAssembly code as a string with one character per byte, so that parts can be joined with `+`. The module is
 * assembled on first use instead of being shipped as binary data, which could not be reviewed.
 */
type Code = string

/** Layout of the module's memory: offsets and sizes in bytes. */
export const layout = {
  /** The 64 round constants K, then the eight words of the initial hash value. */
  constants: 0,
  /** The last word of each of the four hashes after block b: 16 bytes at `lastWords + 16 * b`. */
  lastWords: 512,
  /** The message schedule W: 64 words of four lanes. */
  schedule: 1024,
  /** Padded messages, `slotSize` apart: eight blocks, and space for the last store to overrun. */
  slots: 2048,
  slotSize: 528,
  /** Input data. Up to 64 bytes after it are read and ignored. */
  data: 20_480,
  dataSize: 262_144,
} as const

/** The module's functions; addresses and sizes are in bytes. */
export type HashModule = {
  readonly memory: WebAssembly.Memory
  /** Copies a message to `slot` and adds the SHA-256 padding, up to `padded` bytes (at most 512). */
  readonly pad: (from: number, size: number, slot: number, padded: number) => void
  /** Hashes four padded messages of `padded` bytes in parallel and writes `lastWords`. */
  readonly hash: (a: number, b: number, c: number, d: number, padded: number) => void
  /** Decodes `size` hex characters (a multiple of 32) at `data`; returns the number of hex digits among them. */
  readonly unhex: (size: number) => number
}

const byte = String.fromCharCode
/** Integers in LEB128, as WebAssembly encodes them. */
const leb = (n: number): Code => (n < 128 ? byte(n) : byte((n & 127) | 128) + leb(n >>> 7))
const signedLeb = (n: number): Code =>
  n >= -64 && n < 64 ? byte(n & 127) : byte((n & 127) | 128) + signedLeb(n >> 7)
const sized = (code: Code): Code => leb(code.length) + code
const times = (n: number, piece: (i: number) => Code): Code =>
  Array.from({ length: n }, (_, i) => piece(i)).join('')
/** A SIMD instruction by its opcode in the WebAssembly specification. */
const simd = (op: number): Code => `\xfd${leb(op)}`
const foldOp = (op: Code, [first, ...rest]: Code[]): Code =>
  rest.reduce((x, y) => x + y + op, first!)

const int = (n: number): Code => `\x41${signedLeb(n)}`
const get = (local: number): Code => `\x20${leb(local)}`
const set = (local: number, value: Code): Code => `${value}\x21${leb(local)}`
const plus = (...x: Code[]): Code => foldOp('\x6a', x)
const shiftRight = (x: Code, n: number): Code => `${x + int(n)}\x76`
const shiftLeft = (x: Code, n: number): Code => `${x + int(n)}\x74`
const storeByte = (at: Code, x: Code): Code => `${at + x}\x3a\0\0`
/** `i = start; do body while ((i += step) < end)`, unsigned. */
const loop = (i: number, start: Code, step: number, end: Code, body: Code): Code =>
  `${set(i, start)}\x03\x40${body}${plus(get(i), int(step))}\x22${leb(i)}${end}\x49\x0d\0\x0b`

const load = (at: Code, offset = 0): Code => `${at + simd(0x00)}\0${leb(offset)}`
const loadSplat = (at: Code, offset: number): Code => `${at + simd(0x09)}\0${leb(offset)}`
const store = (at: Code, offset: number, x: Code): Code => `${at + x + simd(0x0b)}\0${leb(offset)}`
const fill = (pattern: Code): Code => simd(0x0c) + pattern.repeat(16 / pattern.length)
const shuffle = (x: Code, y: Code, lanes: Code): Code => x + y + simd(0x0d) + lanes
const and = (...x: Code[]): Code => foldOp(simd(0x4e), x)
const or = (...x: Code[]): Code => foldOp(simd(0x50), x)
const xor = (...x: Code[]): Code => foldOp(simd(0x51), x)
const add = (...x: Code[]): Code => foldOp(simd(0xae), x)
const shr = (x: Code, n: number): Code => x + int(n) + simd(0xad)
const rotr = (x: Code, n: number): Code => xor(shr(x, n), x + int(32 - n) + simd(0xab))

function padBody(): Code {
  const [from, size, slot, padded, i] = [0, 1, 2, 3, 4] as const
  const inSlot = (offset: number): Code => plus(get(slot), get(offset))
  // The copy writes up to 15 bytes beyond the message, so the zeros are written after it.
  return (
    loop(i, int(0), 16, get(size), store(inSlot(i), 0, load(plus(get(from), get(i))))) +
    loop(i, get(size), 16, get(padded), store(inSlot(i), 0, fill('\0'))) +
    storeByte(inSlot(size), int(0x80)) +
    // The size in bits; only its lower 16 bits can be non-zero.
    storeByte(plus(inSlot(padded), int(-2)), shiftRight(get(size), 5)) +
    storeByte(plus(inSlot(padded), int(-1)), shiftLeft(get(size), 3))
  )
}

function hashBody(): Code {
  const { constants, lastWords, schedule } = layout
  const [padded, block, i, state, sum, lane, x, y] = [4, 5, 6, 7, 15, 23, 27, 28] as const

  // Converts 16 bytes of each message to four words of four lanes.
  const words = (...w: number[]): Code => w.map((n) => times(4, (b) => byte(4 * n + b))).join('')
  const bigEndian = times(16, (b) => byte(b ^ 3))
  const transpose = (offset: number, pick: Code): Code =>
    set(x, shuffle(get(lane), get(lane + 1), pick)) +
    set(y, shuffle(get(lane + 2), get(lane + 3), pick)) +
    store(get(i), offset, shuffle(get(x), get(y), words(0, 1, 4, 5))) +
    store(get(i), offset + 16, shuffle(get(x), get(y), words(2, 3, 6, 7)))
  const loadLane = (k: number): Code =>
    set(lane + k, load(get(k))) +
    set(lane + k, shuffle(get(lane + k), get(lane + k), bigEndian)) +
    set(k, plus(get(k), int(16)))
  const gather =
    times(4, loadLane) +
    transpose(schedule, words(0, 4, 1, 5)) +
    transpose(schedule + 32, words(2, 6, 3, 7))

  const w = (n: number): Code => load(get(i), schedule + 16 * n)
  const s0 = xor(rotr(get(x), 7), rotr(get(x), 18), shr(get(x), 3))
  const s1 = xor(rotr(get(y), 17), rotr(get(y), 19), shr(get(y), 10))
  const extend =
    set(x, w(1)) + set(y, w(14)) + store(get(i), schedule + 16 * 16, add(w(0), s0, w(9), s1))

  // After eight rounds each variable is back in its own local. Unrolling more rounds gained less than 10 %, and
  // browsers allow synchronous compilation of modules below 4 KB.
  const round = (n: number): Code => {
    const local = (v: number): number => state + ((v - n) & 7)
    const [a, b, c, e] = [get(local(0)), get(local(1)), get(local(2)), get(local(4))]
    const [f, g, h] = [get(local(5)), get(local(6)), get(local(7))]
    const k = loadSplat(shiftRight(get(i), 2), constants + 4 * n)
    const choice = xor(and(xor(f, g), e), g)
    const majority = xor(and(xor(a, b), c), and(a, b))
    return (
      set(x, add(h, w(n), k, xor(rotr(e, 6), rotr(e, 11), rotr(e, 25)), choice)) +
      set(local(3), add(get(local(3)), get(x))) +
      set(local(7), add(get(x), xor(rotr(a, 2), rotr(a, 13), rotr(a, 22)), majority))
    )
  }

  const compress =
    loop(i, int(0), 64, int(16 * 16), gather) +
    loop(i, int(0), 16, int(48 * 16), extend) +
    times(8, (v) => set(state + v, get(sum + v))) +
    loop(i, int(0), 8 * 16, int(64 * 16), times(8, round)) +
    times(8, (v) => set(sum + v, add(get(sum + v), get(state + v)))) +
    store(shiftRight(get(block), 2), lastWords, get(sum + 7))
  return (
    times(8, (v) => set(sum + v, loadSplat(int(0), constants + 256 + 4 * v))) +
    loop(block, int(0), 64, get(padded), compress)
  )
}

function unhexBody(): Code {
  const [size, i, count, low, digit, letter, isDigit] = [0, 1, 2, 3, 4, 5, 6] as const
  const minus = (x: Code, c: Code): Code => x + fill(c) + simd(0x71)
  const below = (x: Code, c: Code): Code => x + fill(c) + simd(0x26)
  const countBytes = (mask: Code): Code => `${mask + simd(0x64)}\x69`
  const select = (yes: Code, no: Code, mask: Code): Code => yes + no + mask + simd(0x52)
  const letterValue = get(letter) + fill('\x0a') + simd(0x6e)
  const isHex = or(get(isDigit), below(get(letter), '\x06'))
  const high = get(digit) + int(4) + simd(0x8b)
  const next = get(digit) + int(8) + simd(0x8d)
  // Converts 16 characters to eight bytes, each in the lower half of 16 bits.
  const pairs = (offset: number): Code =>
    set(digit, load(get(i), layout.data + offset)) +
    set(letter, minus(or(get(digit), fill(' ')), 'a')) +
    set(digit, minus(get(digit), '0')) +
    set(isDigit, below(get(digit), '\x0a')) +
    set(count, plus(get(count), countBytes(isHex))) +
    set(digit, select(get(digit), letterValue, get(isDigit))) +
    and(or(high, next), fill('\xff\0'))
  const step =
    set(low, pairs(0)) +
    store(shiftRight(get(i), 1), layout.data, get(low) + pairs(16) + simd(0x66))
  return loop(i, int(0), 32, get(size), step) + get(count)
}

function assembleModule(): Uint8Array<ArrayBuffer> {
  const pages = Math.ceil((layout.data + layout.dataSize + 64) / 65_536)
  const section = (id: number, items: Code[]): Code =>
    byte(id) + sized(leb(items.length) + items.join(''))
  const type = (params: number, results: number): Code =>
    `\x60${sized('\x7f'.repeat(params))}${sized('\x7f'.repeat(results))}`
  const body = (ints: number, vectors: number, code: Code): Code =>
    sized(`\x02${leb(ints)}\x7f${leb(vectors)}\x7b${code}\x0b`)
  const code =
    '\0asm\x01\0\0\0' +
    section(1, [type(4, 0), type(5, 0), type(1, 1)]) +
    section(3, ['\0', '\x01', '\x02']) +
    section(5, [`\0${leb(pages)}`]) +
    section(7, [
      `${sized('memory')}\x02\0`,
      `${sized('pad')}\0\0`,
      `${sized('hash')}\0\x01`,
      `${sized('unhex')}\0\x02`,
    ]) +
    section(10, [body(1, 0, padBody()), body(2, 22, hashBody()), body(2, 4, unhexBody())])
  const bytes = new Uint8Array(code.length)
  for (let i = 0; i < code.length; i++) bytes[i] = code.charCodeAt(i)
  return bytes
}

/** Globals that determine whether the module can be built; tests pass their own. */
export type Host = {
  readonly WebAssembly?: {
    readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WebAssembly.Module
    readonly Instance: new (module: WebAssembly.Module) => { readonly exports: object }
  }
  readonly Bun?: unknown
}

/**
 * Builds the module. Returns null if WebAssembly or SIMD is missing, forbidden by a content security policy, or
 * slower than the platform's own hash, as on Bun.
 */
export function loadHashModule(host: Host = globalThis as Host): HashModule | null {
  const { WebAssembly: wasm, Bun: bun } = host
  if (wasm === undefined || bun !== undefined) return null
  let module: HashModule
  try {
    module = new wasm.Instance(new wasm.Module(assembleModule())).exports as HashModule
  } catch {
    return null
  }
  const words = new Uint32Array(module.memory.buffer)
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n)
  // By definition: 32 bits of the fractional parts of cube and square roots. The typed array truncates the rest.
  primes.forEach((p, i) => {
    words[layout.constants / 4 + i] = Math.cbrt(p) * 2 ** 32
    if (i < 8) words[layout.constants / 4 + 64 + i] = Math.sqrt(p) * 2 ** 32
  })
  // Platforms may round roots differently or have another byte order, so the module must reproduce a known hash.
  const { slots, lastWords, data } = layout
  module.pad(data, 0, slots, 64)
  module.hash(slots, slots, slots, slots, 64)
  return words[lastWords / 4] === 0x7852b855 ? module : null
}
