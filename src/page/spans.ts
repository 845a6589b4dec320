import { formatAddress } from '../core/base/encoding/address.ts'
import { cb58 } from '../core/base/encoding/cb58.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { CodecError } from '../core/base/errors.ts'
import { formatEVMAddress } from '../core/chain/c/evm-address.ts'
import type { Codec, Io, Tagged, Union } from '../core/codec/io.ts'
import { Reader } from '../core/codec/reader.ts'
import { quoted } from '../core/sign/text.ts'
import { networkOfTx } from '../inspect/networks.ts'

/** A part of decoded bytes: its name, its position, and its value or parts. */
export type Field = {
  /** Its own name, such as `amount` or `[2]`. */
  readonly name: string
  /** From the whole, such as `unsignedTx.outputs[2].amount`. */
  readonly path: string
  readonly start: number
  end: number
  /** The value of a field without parts. Texts are quoted and escaped. */
  readonly value?: string
  /** The name of the type that its type ID selects, or the number of elements. */
  note?: string
  readonly parts: Field[]
}

/** What could be decoded, and the error that ended it. */
export type Decoded = { readonly root: Field; readonly error?: CodecError }

/** How addresses are shown. */
export type AddressFormat = {
  readonly chain: 'X' | 'P' | 'C'
  /** Replaced by that of the network once a network ID has been decoded. */
  readonly hrp: string
}

/**
 * Decodes bytes for display: every field with its position. Unlike `decode`, it keeps what came before an error, so
 * that the user sees how far the bytes could be decoded.
 */
export function decodeSpans<T>(codec: Codec<T>, bytes: Uint8Array, prefix: AddressFormat): Decoded {
  const io = new SpanReader(bytes, prefix)
  try {
    io.version()
    io.struct(named<T>(''), codec)
    io.finish()
    return { root: io.root }
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    io.close()
    return { root: io.root, error }
  }
}

/** The paths of the placeholders that codecs receive as values. */
const paths = new WeakMap<object, string>()

/** A placeholder for a value that is not decoded yet; each of its fields is a placeholder with its own path. */
function named<T>(path: string): T {
  const placeholder = new Proxy(
    {},
    {
      get: (_target, key) =>
        typeof key === 'string' ? named(path === '' ? key : `${path}.${key}`) : undefined,
    },
  )
  paths.set(placeholder, path)
  return placeholder as T
}

function fieldPathOf(value: unknown): string {
  return paths.get(value as object) ?? ''
}

/** Runs codecs over a `Reader` and records the position of each field. */
class SpanReader implements Io {
  readonly root: Field
  private readonly reader: Reader
  /** The fields that are not complete, outermost first. */
  private readonly open: Field[]
  private readonly chain: string
  private hrp: string
  private networkID: number | undefined

  constructor(bytes: Uint8Array, { chain, hrp }: AddressFormat) {
    this.reader = new Reader(new Uint8Array(bytes))
    this.root = { name: '', path: '', start: 0, end: bytes.length, parts: [] }
    this.open = [this.root]
    this.chain = chain
    this.hrp = hrp
  }

  version(): void {
    const { offset } = this.reader
    const version = this.reader.u16(0)
    this.add('codecVersion', offset, String(version))
    if (version !== 0)
      throw new CodecError('CODEC_UNKNOWN_VERSION', `expected codec version 0, found ${version}`, 0)
  }

  finish(): void {
    this.reader.finish()
  }

  /** After an error: the fields that were not complete end where it happened. */
  close(): void {
    for (const field of this.open.slice(1)) field.end = this.reader.offset
  }

  u8(value: number): number {
    return this.leaf(value, () => this.reader.u8(0), String)
  }

  u32(value: number): number {
    const number = this.leaf(value, () => this.reader.u32(0), String)
    if (fieldPathOf(value).endsWith('networkID')) this.networkID = number
    return number
  }

  u64(value: bigint): bigint {
    return this.leaf(value, () => this.reader.u64(0n), String)
  }

  id(value: Uint8Array): Uint8Array {
    const blockchainID = this.leaf(value, () => this.reader.id(value), cb58.encode)
    const { networkID } = this
    if (networkID !== undefined && fieldPathOf(value).endsWith('blockchainID'))
      this.hrp = networkOfTx({ networkID, blockchainID }).hrp
    return blockchainID
  }

  address(value: Uint8Array): Uint8Array {
    return this.leaf(
      value,
      () => this.reader.address(value),
      (address) =>
        // Owners are lists of addresses; a single address is an account of the C-Chain.
        fieldPathOf(value).endsWith('.address')
          ? formatEVMAddress(address)
          : formatAddress({ chain: this.chain, hrp: this.hrp, address }),
    )
  }

  signature(value: Uint8Array): Uint8Array {
    return this.leaf(value, () => this.reader.signature(value), hexText)
  }

  blob(value: Uint8Array): Uint8Array {
    return this.leaf(value, () => this.reader.blob(value), hexText)
  }

  text(value: string): string {
    return this.leaf(value, () => this.reader.text(''), quoted)
  }

  list<T>(value: readonly T[], codec: Codec<T>): readonly T[] {
    return this.group(fieldPathOf(value), (field) => {
      const count = this.reader.u32(0)
      field.note = `${count} ${count === 1 ? 'element' : 'elements'}`
      if (count > 0x7fffffff)
        throw new CodecError(
          'CODEC_LENGTH_OVERFLOW',
          `expected a length up to ${0x7fffffff}, found ${count}`,
          this.reader.offset - 4,
        )
      const items: T[] = []
      for (let i = 0; i < count; i++) {
        const path = `${fieldPathOf(value)}[${i}]`
        items.push(this.group(path, () => codec(this, named<T>(path)), true))
      }
      return items
    })
  }

  struct<T>(value: T, codec: Codec<T>): T {
    const path = fieldPathOf(value)
    if (path === '') return codec(this, value)
    return this.group(path, () => codec(this, value))
  }

  typed<T extends Tagged>(value: T, union: Union<T>): T {
    const path = fieldPathOf(value)
    const read = (field: Field) => {
      const at = this.reader.offset
      const typeID = this.reader.u32(0)
      this.add(field.path === '' ? 'typeID' : `${field.path}.typeID`, at, String(typeID))
      const codec = union.codecs[typeID]
      if (codec === undefined)
        throw new CodecError(
          typeID < union.registered ? 'CODEC_WRONG_TYPE' : 'CODEC_UNKNOWN_TYPE',
          `expected type ID ${[...union.typeIDs.values()].join(', ')} at offset ${at}, found ${typeID}`,
          at,
        )
      const result = codec(this, value)
      field.note = result.type
      return result
    }
    // A list element that is a union has its group already.
    const last = this.open.at(-1)!
    return path === last.path ? read(last) : this.group(path, read)
  }

  private leaf<T>(value: unknown, read: () => T, show: (result: T) => string): T {
    const start = this.reader.offset
    const result = read()
    this.add(fieldPathOf(value), start, show(result))
    return result
  }

  private add(path: string, start: number, value: string): void {
    const { parts, path: parent } = this.open.at(-1)!
    const name = nameIn(path, parent)
    parts.push({ name, path, start, end: this.reader.offset, value, parts: [] })
  }

  /** `flatten` puts the value of an element that is a single field into the element itself. */
  private group<T>(path: string, read: (field: Field) => T, flatten = false): T {
    const outer = this.open.at(-1)!
    const start = this.reader.offset
    const field: Field = { name: nameIn(path, outer.path), path, start, end: start, parts: [] }
    outer.parts.push(field)
    this.open.push(field)
    const result = read(field)
    this.open.pop()
    field.end = this.reader.offset
    const [only] = field.parts
    if (flatten && field.parts.length === 1 && only!.path === path)
      outer.parts[outer.parts.length - 1] = { ...only!, name: field.name }
    return result
  }
}

function nameIn(path: string, parent: string): string {
  return parent !== '' && path.startsWith(parent)
    ? path.slice(parent.length).replace(/^\./, '')
    : path
}

function hexText(bytes: Uint8Array): string {
  return bytes.length === 0 ? 'empty' : `0x${hex.encode(bytes)}`
}

/** The fields that hold a byte, outermost first, without the root. */
export function fieldsAt(root: Field, offset: number): Field[] {
  const part = root.parts.find(({ start, end }) => start <= offset && offset < end)
  return part === undefined ? [] : [part, ...fieldsAt(part, offset)]
}
