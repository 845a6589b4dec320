import { ZERO_ID } from '../../core/base/encoding/ids.ts'
import type { Codec } from '../../core/codec/io.ts'
import { Reader } from '../../core/codec/reader.ts'

/** Reads the fields of a struct that has no codec, one after the other. All methods throw `CodecError`. */
export class FieldReader {
  private readonly reader: Reader

  constructor(bytes: Uint8Array) {
    // A copy: the results are views of it.
    this.reader = new Reader(new Uint8Array(bytes))
  }

  u8(): number {
    return this.reader.u8(0)
  }

  u16(): number {
    return this.reader.u16(0)
  }

  u32(): number {
    return this.reader.u32(0)
  }

  u64(): bigint {
    return this.reader.u64(0n)
  }

  id(): Uint8Array {
    return this.reader.id(ZERO_ID)
  }

  address(): Uint8Array {
    return this.reader.address(ZERO_ID)
  }

  blob(): Uint8Array {
    return this.reader.blob(ZERO_ID)
  }

  text(): string {
    return this.reader.text('')
  }

  list<T>(codec: Codec<T>): readonly T[] {
    return this.reader.list([], codec)
  }

  /** A number of bytes without a length before them. */
  bytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.u8())
  }

  /** Throws if bytes are left over. */
  finish(): void {
    this.reader.finish()
  }
}
