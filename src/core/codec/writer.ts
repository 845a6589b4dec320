import { CodecError } from '../base/errors.ts'
import { quoted } from '../base/hints.ts'
import { isBytes } from '../base/require.ts'
import { type Codec, type Io, SIZE, type Tagged, type Union } from './io.ts'
import { bytesFromText } from './text.ts'

/** A larger buffer is replaced by one of this size before the next value is written. */
const MAX_REUSED_SIZE = 1 << 20

/** Encodes values by running struct functions over them; checks the range of every number and length. */
export class Writer implements Io {
  private bytes = new Uint8Array(1 << 16)
  private view = new DataView(this.bytes.buffer)
  /** The length of `bytes`. */
  private limit = this.bytes.length
  private at = 0
  /** Result of the last lookup in `typed`. */
  private typeIDs: ReadonlyMap<string, number> | undefined
  private type: string | undefined
  private typeID = 0

  get offset(): number {
    return this.at
  }

  u8(value: number): number {
    if (typeof value !== 'number' || (value & 0xff) !== value)
      throw this.bad('an integer from 0 to 255', value)
    const at = this.reserve(1)
    this.bytes[at] = value
    return value
  }

  u16(value: number): number {
    const at = this.reserve(2)
    this.view.setUint16(at, value)
    return value
  }

  u32(value: number): number {
    if (typeof value !== 'number' || value >>> 0 !== value)
      throw this.bad('an integer from 0 to 4294967295', value)
    const at = this.reserve(4)
    this.view.setUint32(at, value)
    return value
  }

  u64(value: bigint): bigint {
    if (typeof value !== 'bigint' || BigInt.asUintN(64, value) !== value)
      throw this.bad('a bigint from 0 to 18446744073709551615', value)
    const at = this.reserve(8)
    this.view.setBigUint64(at, value)
    return value
  }

  id(value: Uint8Array): Uint8Array {
    return this.fixed(value, SIZE.id)
  }

  address(value: Uint8Array): Uint8Array {
    return this.fixed(value, SIZE.address)
  }

  signature(value: Uint8Array): Uint8Array {
    return this.fixed(value, SIZE.signature)
  }

  blob(value: Uint8Array): Uint8Array {
    if (!isBytes(value)) throw this.bad('a Uint8Array', value)
    this.u32(value.length)
    const at = this.reserve(value.length)
    this.bytes.set(value, at)
    return value
  }

  text(value: string): string {
    const bytes = typeof value === 'string' ? bytesFromText(value) : undefined
    if (bytes === undefined || bytes.length > 0xffff)
      throw this.bad('text of at most 65535 bytes', value)
    this.u16(bytes.length)
    const at = this.reserve(bytes.length)
    this.bytes.set(bytes, at)
    return value
  }

  list<T>(value: readonly T[], codec: Codec<T>): readonly T[] {
    if (!Array.isArray(value)) throw this.bad('an array', value)
    this.uncheckedU32(value.length)
    for (let i = 0; i < value.length; i++) {
      const item = value[i]
      // Not `struct`, to save a call per element.
      if (item === undefined || item === null) throw this.bad('a value', item)
      codec(this, item)
    }
    return value
  }

  struct<T>(value: T, codec: Codec<T>): T {
    if (value === undefined || value === null) throw this.bad('a value', value)
    return codec(this, value)
  }

  typed<T extends Tagged>(value: T, union: Union<T>): T {
    // Consecutive items usually have the same type, so the last lookup is cached.
    if (value?.type !== this.type || union.typeIDs !== this.typeIDs)
      this.lookUpType(value?.type, union.typeIDs)
    this.uncheckedU32(this.typeID)
    return union.codecs[this.typeID]!(this, value)
  }

  /** Writes a u32 that needs no check. */
  private uncheckedU32(value: number): void {
    const at = this.reserve(4)
    this.view.setUint32(at, value)
  }

  private lookUpType(type: string, typeIDs: ReadonlyMap<string, number>): void {
    const typeID = typeIDs.get(type)
    if (typeID === undefined)
      throw this.bad(`an object of type ${[...typeIDs.keys()].join(' or ')}`, type)
    this.typeIDs = typeIDs
    this.type = type
    this.typeID = typeID
  }

  /** Returns a copy of the bytes written. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.at)
  }

  /** Discards the bytes written. */
  reset(): void {
    this.at = 0
    if (this.bytes.length > MAX_REUSED_SIZE) this.resize(MAX_REUSED_SIZE)
  }

  private fixed(value: Uint8Array, size: number): Uint8Array {
    if (!isBytes(value) || value.length !== size)
      throw this.bad(`a Uint8Array of ${size} bytes`, value)
    const at = this.reserve(size)
    this.bytes.set(value, at)
    return value
  }

  /**
   * Returns the offset of the next `size` bytes. May replace `bytes` and `view`, so it must be called before using
   * them.
   */
  private reserve(size: number): number {
    const at = this.at
    this.at = at + size
    if (this.at > this.limit) this.resize(Math.max(2 * this.limit, this.at))
    return at
  }

  private resize(size: number): void {
    const bytes = new Uint8Array(size)
    bytes.set(this.bytes.subarray(0, this.at))
    this.bytes = bytes
    this.limit = size
    this.view = new DataView(bytes.buffer)
  }

  private bad(expected: string, found: unknown): CodecError {
    return new CodecError(
      'CODEC_BAD_VALUE',
      `expected ${expected}, found ${describe(found)}`,
      this.at,
    )
  }
}

/** Describes a value in an error message, without its content if it is long. */
export function describe(value: unknown): string {
  if (isBytes(value)) return `${value.length} bytes`
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint') return `${value}n`.slice(0, 40)
  return value !== null && typeof value === 'object' ? 'an object' : String(value)
}
