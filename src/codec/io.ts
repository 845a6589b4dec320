/**
 * The verbs a struct is described with. Each takes the field's value and returns it: a Reader ignores
 * what it is given and returns what it read, a Writer writes what it is given.
 */
export interface Io {
  u8(value: number): number
  u32(value: number): number
  u64(value: bigint): bigint
  /** 32 bytes. */
  id(value: Uint8Array): Uint8Array
  /** 20 bytes. */
  address(value: Uint8Array): Uint8Array
  /** 65 bytes. */
  signature(value: Uint8Array): Uint8Array
  /** u32 length, then the bytes. */
  blob(value: Uint8Array): Uint8Array
  /** u16 length, then UTF-8; see `text.ts` for bytes that are not. */
  text(value: string): string
  /** u32 count, then the elements. */
  list<T>(value: readonly T[], codec: Codec<T>): readonly T[]
  /** A struct inside a struct, without a type ID. */
  struct<T>(value: T, codec: Codec<T>): T
  /** u32 type ID, then the struct that has it. */
  typed<T extends Tagged>(value: T, union: Union<T>): T
}

/**
 * A struct, described once: the order of the lines is the order on the wire. Run with a Reader it
 * decodes, with a Writer it encodes, with the JSON classes it converts each way.
 */
export type Codec<T> = (io: Io, value: T) => T

/** A value that is told from its alternatives by the protocol's name of its type. */
export type Tagged = { readonly type: string }

/** The types that may stand in one place, by type ID and by name. */
export type Union<T extends Tagged> = {
  /** Sparse: the codec of each allowed type ID. */
  readonly codecs: readonly (Codec<T> | undefined)[]
  readonly typeIDs: ReadonlyMap<string, number>
  /** Type IDs below this exist, though perhaps not in this place. */
  readonly registered: number
}

/** Describes the types allowed in one place, out of a registry of `registered` type IDs. */
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
