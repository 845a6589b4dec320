import { CodecError } from '../base/errors.ts'
import { type Codec, type Io, SIZE, type Tagged, type Union } from './io.ts'
import { textFromBytes } from './text.ts'

/** The longest list or blob that the node's codec accepts. */
const MAX_LENGTH = 0x7fffffff

/** Argument of struct functions while decoding; they only pass its (undefined) fields to the Reader. */
const BLANK: never = {} as never

/** Decodes bytes by running struct functions over them. */
export class Reader implements Io {
  private readonly bytes: Uint8Array
  private readonly view: DataView
  private readonly buffer: ArrayBufferLike
  private readonly base: number
  private readonly tracing: boolean
  private start: number
  private at: number
  private end: number

  /**
   * The results are views of `owned`, so the caller must not modify it afterwards. With `tracing`, the values passed
   * to the methods must have every field (see `trace.ts`).
   */
  constructor(owned: Uint8Array, tracing = false) {
    this.bytes = owned
    this.view = new DataView(owned.buffer, owned.byteOffset, owned.byteLength)
    this.buffer = owned.buffer
    this.base = owned.byteOffset
    this.tracing = tracing
    this.start = 0
    this.at = 0
    this.end = owned.length
  }

  /** Moves to the value from `start` to `end`. `offset` counts from `start`. */
  seek(start: number, end: number): void {
    this.start = start
    this.at = start
    this.end = end
  }

  /** Number of bytes of this value read so far. */
  get offset(): number {
    return this.at - this.start
  }

  u8(_value: number): number {
    return this.bytes[this.take(1)]!
  }

  u16(_value: number): number {
    return this.view.getUint16(this.take(2))
  }

  u32(_value: number): number {
    return this.view.getUint32(this.take(4))
  }

  u64(_value: bigint): bigint {
    return this.view.getBigUint64(this.take(8))
  }

  id(_value: Uint8Array): Uint8Array {
    return this.span(SIZE.id)
  }

  address(_value: Uint8Array): Uint8Array {
    return this.span(SIZE.address)
  }

  signature(_value: Uint8Array): Uint8Array {
    return this.span(SIZE.signature)
  }

  blob(_value: Uint8Array): Uint8Array {
    return this.span(this.length())
  }

  text(_value: string): string {
    return textFromBytes(this.span(this.u16(0)))
  }

  list<T>(value: readonly T[], codec: Codec<T>): readonly T[] {
    const count = this.length()
    // No item is smaller than 4 bytes, so for an impossible count nothing is allocated. Such a count is not rejected
    // here: like the node, the loop fails where the bytes end.
    const items: T[] = count <= (this.end - this.at) >> 2 ? new Array(count) : []
    for (let i = 0; i < count; i++) items[i] = codec(this, this.tracing ? value[i]! : BLANK)
    return items
  }

  struct<T>(value: T, codec: Codec<T>): T {
    return codec(this, this.tracing ? value : BLANK)
  }

  typed<T extends Tagged>(value: T, union: Union<T>): T {
    const typeID = this.u32(0)
    const codec = union.codecs[typeID]
    if (codec === undefined) throw wrongTypeID(typeID, union, this.offset - 4)
    return codec(this, this.tracing ? value : BLANK)
  }

  /** Throws if bytes are left over. */
  finish(): void {
    if (this.at !== this.end)
      throw new CodecError(
        'CODEC_TRAILING_BYTES',
        `${this.end - this.at} trailing bytes after ${this.offset} bytes`,
        this.offset,
      )
  }

  private take(size: number): number {
    const at = this.at
    if (size > this.end - at)
      throw new CodecError(
        'CODEC_SHORT_BUFFER',
        `unexpected end: need ${size} bytes at offset ${this.offset}, have ${this.end - at}`,
        this.offset,
      )
    this.at = at + size
    return at
  }

  private span(size: number): Uint8Array {
    const at = this.take(size)
    return new Uint8Array(this.buffer, this.base + at, size)
  }

  private length(): number {
    const length = this.u32(0)
    if (length > MAX_LENGTH)
      throw new CodecError(
        'CODEC_LENGTH_OVERFLOW',
        `length ${length} at offset ${this.offset - 4} exceeds the maximum ${MAX_LENGTH}`,
        this.offset - 4,
      )
    return length
  }
}

function wrongTypeID<T extends Tagged>(typeID: number, union: Union<T>, at: number): CodecError {
  const allowed = [...union.typeIDs].map(([name, id]) => `${id} (${name})`).join(', ')
  return new CodecError(
    typeID < union.registered ? 'CODEC_WRONG_TYPE' : 'CODEC_UNKNOWN_TYPE',
    `unexpected type ID ${typeID} at offset ${at}, expected ${allowed}`,
    at,
  )
}
