/**
 * The operations that a struct is described with. Each takes the value of a field and returns it: a Reader ignores
 * its argument and returns what it has read; a Writer writes its argument.
 */
export interface Io {
  /** One byte. */
  u8(value: number): number
  /** Four bytes, big-endian. */
  u32(value: number): number
  /** Eight bytes, big-endian. */
  u64(value: bigint): bigint
  /** 32 bytes. */
  id(value: Uint8Array): Uint8Array
  /** 20 bytes. */
  address(value: Uint8Array): Uint8Array
  /** 65 bytes. */
  signature(value: Uint8Array): Uint8Array
  /** u32 length, then the bytes. */
  blob(value: Uint8Array): Uint8Array
  /** u16 length, then UTF-8. See `text.ts` for bytes that are not valid UTF-8. */
  text(value: string): string
  /** u32 count, then the items. */
  list<T>(value: readonly T[], codec: Codec<T>): readonly T[]
  /** A struct inside a struct, without a type ID. */
  struct<T>(value: T, codec: Codec<T>): T
  /** u32 type ID, then the struct of that type. */
  typed<T extends Tagged>(value: T, union: Union<T>): T
}

/**
 * A struct, described once. The order of the lines is the order on the wire. With a Reader it decodes, with a Writer
 * it encodes, with the JSON classes it converts from and to JSON.
 */
export type Codec<T> = (io: Io, value: T) => T

/** A member of a union. `type` is the protocol's name of the type. */
export type Tagged = { readonly type: string }

/** The types allowed in one position, by type ID and by name. */
export type Union<T extends Tagged> = {
  /** The codec of each allowed type ID; undefined for other IDs. */
  readonly codecs: readonly (Codec<T> | undefined)[]
  /** The type ID of each allowed type, by name. */
  readonly typeIDs: ReadonlyMap<string, number>
  /** Number of type IDs that exist, including those not allowed in this position. */
  readonly registered: number
}

/** Describes the types allowed in one position, given the number of registered type IDs. */
export function union<T extends Tagged>(
  registered: number,
  members: { readonly [Name in T['type']]: readonly [number, Codec<Extract<T, { type: Name }>>] },
): Union<T> {
  const codecs: (Codec<T> | undefined)[] = new Array(registered).fill(undefined)
  const typeIDs = new Map<string, number>()
  for (const [name, [typeID, codec]] of Object.entries(members) as [string, [number, Codec<T>]][]) {
    codecs[typeID] = codec
    typeIDs.set(name, typeID)
  }
  return { codecs, typeIDs, registered }
}

/** Sizes of the fixed byte strings. */
export const SIZE = { id: 32, address: 20, signature: 65 } as const
