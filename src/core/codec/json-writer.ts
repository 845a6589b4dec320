import { cb58 } from '../base/encoding/cb58.ts'
import { hex } from '../base/encoding/hex.ts'
import type { Codec, Io, Tagged, Union } from './io.ts'
import type { AddressText } from './json-value.ts'

/**
 * Converts values to JSON by running struct functions. The declared types say that each method returns its argument,
 * as `Io` requires; in fact it returns the JSON, and the object that a struct function builds from these is the
 * result.
 */
export class JsonWriter implements Io {
  private readonly addresses: AddressText

  constructor(addresses: AddressText) {
    this.addresses = addresses
  }

  u8(value: number): number {
    return value
  }

  u32(value: number): number {
    return value
  }

  u64(value: bigint): bigint {
    return value
  }

  id(value: Uint8Array): Uint8Array {
    return cb58.encode(value) as never
  }

  address(value: Uint8Array): Uint8Array {
    return this.addresses.format(value) as never
  }

  signature(value: Uint8Array): Uint8Array {
    return `0x${hex.encode(value)}` as never
  }

  blob(value: Uint8Array): Uint8Array {
    return `0x${hex.encode(value)}` as never
  }

  text(value: string): string {
    return value
  }

  list<T>(value: readonly T[], codec: Codec<T>): readonly T[] {
    return value.map((item) => codec(this, item))
  }

  struct<T>(value: T, codec: Codec<T>): T {
    return codec(this, value)
  }

  typed<T extends Tagged>(value: T, union: Union<T>): T {
    return union.codecs[union.typeIDs.get(value.type)!]!(this, value)
  }
}
