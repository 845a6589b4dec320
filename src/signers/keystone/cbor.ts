import { concat } from '../../core/base/bytes/concat.ts'
import { KeystoneError } from './errors.ts'

/*
 * The part of CBOR (RFC 8949) that the formats of Keystone use: unsigned integers, bytes, texts, lists, maps with
 * integer keys, tags and booleans, all of definite length. Reading anything else is an error.
 */

/** A value with a tag. */
export type Tagged = { readonly tag: number; readonly value: CBOR }

/** A value of CBOR. */
export type CBOR =
  | number
  | boolean
  | string
  | Uint8Array
  | readonly CBOR[]
  | ReadonlyMap<number, CBOR>
  | Tagged

/** Whether a value has a tag. */
export function isTagged(value: CBOR | undefined): value is Tagged {
  return typeof value === 'object' && 'tag' in value
}

const UNSIGNED = 0
const BYTES = 2
const TEXT = 3
const LIST = 4
const MAP = 5
const TAG = 6
const SIMPLE = 7
const FALSE = 20
const TRUE = 21

/** Encodes a value. Integers have their shortest form. */
export function encodeCBOR(value: CBOR): Uint8Array {
  if (typeof value === 'number') return head(UNSIGNED, value)
  if (typeof value === 'boolean') return head(SIMPLE, value ? TRUE : FALSE)
  if (typeof value === 'string') {
    const bytes = new TextEncoder().encode(value)
    return concat([head(TEXT, bytes.length), bytes])
  }
  if (value instanceof Uint8Array) return concat([head(BYTES, value.length), value])
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<number, CBOR>)]
    const parts = entries.flatMap(([key, item]) => [encodeCBOR(key), encodeCBOR(item)])
    return concat([head(MAP, entries.length), ...parts])
  }
  if (isTagged(value)) return concat([head(TAG, value.tag), encodeCBOR(value.value)])
  const list = value as readonly CBOR[]
  return concat([head(LIST, list.length), ...list.map(encodeCBOR)])
}

function head(major: number, argument: number): Uint8Array {
  if (argument < 24) return new Uint8Array([(major << 5) | argument])
  const size = argument < 0x100 ? 1 : argument < 0x10000 ? 2 : 4
  const bytes = new Uint8Array(1 + size)
  bytes[0] = (major << 5) | (24 + [1, 2, 4].indexOf(size))
  for (let i = 0; i < size; i++) bytes[1 + i] = (argument >>> (8 * (size - 1 - i))) & 0xff
  return bytes
}

/** Deeper than any of the formats. */
const MAX_DEPTH = 8

/**
 * Decodes a value with no bytes after it.
 *
 * @throws KeystoneError `KEYSTONE_CBOR`
 */
export function decodeCBOR(bytes: Uint8Array): CBOR {
  const reader = new CBORReader(bytes)
  const value = reader.value(0)
  if (!reader.isAtEnd) throw badCBOR('has bytes left over')
  return value
}

class CBORReader {
  private readonly bytes: Uint8Array
  private at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length
  }

  value(depth: number): CBOR {
    if (depth > MAX_DEPTH) throw badCBOR('is nested too deeply')
    const first = this.take(1)[0]!
    const major = first >> 5
    const argument = this.argument(first & 31)
    switch (major) {
      case UNSIGNED:
        return argument
      case BYTES:
        return this.take(argument).slice()
      case TEXT:
        return this.text(argument)
      case LIST:
        return this.items(argument, () => this.value(depth + 1))
      case MAP:
        return this.map(argument, depth)
      case TAG:
        return { tag: argument, value: this.value(depth + 1) }
      case SIMPLE:
        if (argument === TRUE || argument === FALSE) return argument === TRUE
    }
    throw badCBOR('has a value of a type that is not expected')
  }

  private argument(info: number): number {
    if (info < 24) return info
    if (info > 26) throw badCBOR('has a number or length that is not expected')
    return this.take(1 << (info - 24)).reduce((sum, byte) => sum * 256 + byte, 0)
  }

  private items<T>(count: number, read: () => T): T[] {
    // Every item takes at least a byte, so nothing is allocated for an impossible number.
    if (count > this.bytes.length - this.at) throw badCBOR('is truncated')
    return Array.from({ length: count }, read)
  }

  private map(count: number, depth: number): ReadonlyMap<number, CBOR> {
    const map = new Map<number, CBOR>()
    this.items(count, () => {
      const key = this.value(depth + 1)
      if (typeof key !== 'number' || map.has(key)) throw badCBOR('has a key that is not expected')
      map.set(key, this.value(depth + 1))
    })
    return map
  }

  private text(size: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.take(size))
    } catch (cause) {
      if (cause instanceof KeystoneError) throw cause
      throw badCBOR('has a text that is not UTF-8')
    }
  }

  private take(size: number): Uint8Array {
    if (size > this.bytes.length - this.at) throw badCBOR('is truncated')
    this.at += size
    return this.bytes.subarray(this.at - size, this.at)
  }
}

/** The error for content that is not as expected. */
export function badCBOR(what: string): KeystoneError {
  return new KeystoneError('KEYSTONE_CBOR', `the CBOR content ${what}`)
}
