import { cb58 } from '../base/encoding/cb58.ts'
import { hex } from '../base/encoding/hex.ts'
import { AvmError, CodecError } from '../base/errors.ts'
import { type Codec, type Io, SIZE, type Tagged, type Union } from './io.ts'
import type { AddressText } from './json-value.ts'
import { describe } from './writer.ts'

/**
 * Converts JSON to values by running struct functions over it. The values passed to its methods are unchecked JSON,
 * so every method checks its argument.
 */
export class JsonReader implements Io {
  private readonly addresses: AddressText

  constructor(addresses: AddressText) {
    this.addresses = addresses
  }

  u8(value: number): number {
    return Number(readInteger(value, 0xffn))
  }

  u32(value: number): number {
    return Number(readInteger(value, 0xffffffffn))
  }

  u64(value: bigint): bigint {
    return readInteger(value, 0xffffffffffffffffn)
  }

  id(value: Uint8Array): Uint8Array {
    return bytesOfSize(SIZE.id, value, cb58.decode)
  }

  address(value: Uint8Array): Uint8Array {
    return bytesOfSize(SIZE.address, value, this.addresses.parse)
  }

  signature(value: Uint8Array): Uint8Array {
    return bytesOfSize(SIZE.signature, value, prefixedHex)
  }

  blob(value: Uint8Array): Uint8Array {
    // The node prints a nil byte slice as null.
    return value === null ? new Uint8Array(0) : fromText(value, prefixedHex)
  }

  text(value: string): string {
    if (typeof value !== 'string') throw bad('a string', value)
    return value
  }

  list<T>(value: readonly T[], codec: Codec<T>): readonly T[] {
    // The node prints a nil list as null.
    if (value === null) return []
    if (!Array.isArray(value)) throw bad('an array', value)
    const items: T[] = []
    for (let i = 0; i < value.length; i++) items.push(this.struct(value[i] as T, codec))
    return items
  }

  struct<T>(value: T, codec: Codec<T>): T {
    if (value === undefined || value === null) throw bad('a value', value)
    return codec(this, value)
  }

  typed<T extends Tagged>(value: T, union: Union<T>): T {
    const type = (value as { type?: unknown } | null | undefined)?.type
    const typeID = typeof type === 'string' ? union.typeIDs.get(type) : undefined
    if (typeID === undefined) throw bad([...union.typeIDs.keys()].join(' or '), type)
    return union.codecs[typeID]!(this, value)
  }
}

function readInteger(value: unknown, max: bigint): bigint {
  const exact =
    typeof value === 'bigint' ? value : Number.isSafeInteger(value) ? BigInt(value as number) : -1n
  if (exact < 0n || exact > max) throw bad(`an integer from 0 to ${max}`, value)
  return exact
}

function bytesOfSize(
  size: number,
  value: unknown,
  parse: (text: string) => Uint8Array,
): Uint8Array {
  const bytes = fromText(value, parse)
  if (bytes.length !== size) throw bad(`${size} bytes`, bytes)
  return bytes
}

function fromText(value: unknown, parse: (text: string) => Uint8Array): Uint8Array {
  if (typeof value !== 'string') throw bad('a string', value)
  try {
    return parse(value)
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    throw new CodecError('CODEC_JSON_SHAPE', error.message, 0)
  }
}

function prefixedHex(text: string): Uint8Array {
  if (!text.startsWith('0x')) throw bad('hex that starts with 0x', text)
  return hex.decode(text)
}

function bad(expected: string, found: unknown): CodecError {
  return new CodecError('CODEC_JSON_SHAPE', `expected ${expected}, found ${describe(found)}`, 0)
}
