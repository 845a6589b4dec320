import { MAX_SIZE } from '../../core/codec/codec.ts'
import { type Codec, type Io, SIZE, type Tagged, type Union } from '../../core/codec/io.ts'

/** Maximum length of a list in the node's codec. */
const MAX_LENGTH = 0x7fffffff

const SHORT = 'packer has insufficient length for input'

/** Go's names of the types, by type ID. */
const GO_TYPES: readonly string[] = [
  ...['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx'].map(
    (name) => `txs.${name}`,
  ),
  ...['TransferInput', 'MintOutput', 'TransferOutput', 'MintOperation', 'Credential'].map(
    (name) => `secp256k1fx.${name}`,
  ),
  ...['MintOutput', 'TransferOutput', 'MintOperation', 'TransferOperation', 'Credential'].map(
    (name) => `nftfx.${name}`,
  ),
  ...['MintOutput', 'OwnedOutput', 'MintOperation', 'BurnOperation', 'Credential'].map(
    (name) => `propertyfx.${name}`,
  ),
  'block.StandardBlock',
]

/**
 * Go's names of the interfaces. Each is identified by a type that it allows, but no interface before it in the list.
 */
const GO_INTERFACES: readonly (readonly [string, string])[] = [
  ['StandardBlock', 'block.Block'],
  ['BaseTx', 'txs.UnsignedTx'],
  ['secp256k1fx.Credential', 'verify.Verifiable'],
  ['secp256k1fx.MintOperation', 'fxs.FxOperation'],
  ['secp256k1fx.MintOutput', 'verify.State'],
  ['secp256k1fx.TransferOutput', 'avax.TransferableOut'],
  ['secp256k1fx.TransferInput', 'avax.TransferableIn'],
]

/** The types registered in one chain's codec. */
export type GoRegistry = {
  /** Go's name of the type with each ID; undefined for unregistered IDs. */
  readonly types: readonly (string | undefined)[]
  /** Pairs of a type and an interface that allows it; a union has the interface of the first type that it contains. */
  readonly interfaces: readonly (readonly [string, string])[]
}

/** Returns the entries of type IDs that are not used. */
export function unregistered(count: number): undefined[] {
  return new Array(count).fill(undefined)
}

const X_CHAIN_REGISTRY: GoRegistry = { types: GO_TYPES, interfaces: GO_INTERFACES }

/** Carries the node's error text out of the struct functions. */
class DecodeError extends Error {}

/**
 * Returns the node's error text for bytes that the library's decoder has rejected. Used only then, so that the
 * decoder itself has no such texts. Follows `codec/manager.go` and `codec/reflectcodec/type_codec.go`.
 */
export function goDecodeError<T>(
  codec: Codec<T>,
  bytes: Uint8Array,
  registry: GoRegistry = X_CHAIN_REGISTRY,
): string {
  if (bytes.length > MAX_SIZE)
    return `byte array exceeds maximum length: ${bytes.length} > ${MAX_SIZE}`
  if (bytes.length < 2) return "couldn't unpack codec version"
  if (bytes[0] !== 0 || bytes[1] !== 0) return 'unknown codec version'
  const reader = new GoReader(bytes, registry)
  try {
    reader.struct(undefined as T, codec)
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
  return `trailing buffer space: read ${reader.at} provided ${bytes.length}`
}

/** Reads like the node's codec, only to find where it fails and with what text. */
class GoReader implements Io {
  private readonly bytes: Uint8Array
  private readonly view: DataView
  private readonly registry: GoRegistry
  at = 2

  constructor(bytes: Uint8Array, registry: GoRegistry) {
    this.bytes = bytes
    this.registry = registry
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  u8(_value: number): number {
    return this.bytes[this.take(1, 'uint8')]!
  }

  u32(_value: number): number {
    return this.view.getUint32(this.take(4, 'uint32'))
  }

  u64(_value: bigint): bigint {
    return this.view.getBigUint64(this.take(8, 'uint64'))
  }

  id(value: Uint8Array): Uint8Array {
    return this.skip(SIZE.id, value)
  }

  address(value: Uint8Array): Uint8Array {
    return this.skip(SIZE.address, value)
  }

  signature(value: Uint8Array): Uint8Array {
    return this.skip(SIZE.signature, value)
  }

  blob(value: Uint8Array): Uint8Array {
    return this.skip(this.length(), value)
  }

  text(value: string): string {
    this.take(this.view.getUint16(this.take(2, 'string')), 'string')
    return value
  }

  list<T>(_value: readonly T[], codec: Codec<T>): readonly T[] {
    const count = this.length()
    for (let i = 0; i < count; i++) this.struct(undefined as T, codec)
    return []
  }

  struct<T>(_value: T, codec: Codec<T>): T {
    // Struct functions only pass the fields of their argument back to this reader.
    return codec(this, {} as T)
  }

  typed<T extends Tagged>(value: T, union: Union<T>): T {
    const typeID = this.view.getUint32(this.take(4, 'interface'))
    const codec = union.codecs[typeID]
    if (codec !== undefined) return this.struct(value, codec)
    const type = this.registry.types[typeID]
    if (type === undefined)
      throw new DecodeError(`couldn't unmarshal interface: unknown type ID ${typeID}`)
    const entry = this.registry.interfaces.find(([type]) => union.typeIDs.has(type))
    throw new DecodeError(
      `couldn't unmarshal interface: *${type} does not implement interface ${entry?.[1]}`,
    )
  }

  private length(): number {
    const length = this.view.getUint32(this.take(4, 'slice'))
    if (length > MAX_LENGTH)
      throw new DecodeError(
        `max slice length exceeded; array length, ${length}, exceeds maximum length, ${MAX_LENGTH}`,
      )
    return length
  }

  private skip<T>(size: number, value: T): T {
    this.take(size)
    return value
  }

  private take(size: number, kind?: string): number {
    const at = this.at
    if (size > this.bytes.length - at)
      throw new DecodeError(kind === undefined ? SHORT : `couldn't unmarshal ${kind}: ${SHORT}`)
    this.at = at + size
    return at
  }
}
