import { cb58 } from '../../core/base/encoding/cb58.ts'
import { parseID, parseNodeID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { type GoValue, isNamed, membersOf } from '../go/json.ts'

/** The node's error text for every argument that cannot be decoded. */
export const BAD_ARGUMENTS =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls"

/** Thrown by `RequestParams`; the envelope answers with `BAD_ARGUMENTS`. */
export class ArgumentError extends Error {}

/** Encodings of bytes in arguments. */
export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json'

/**
 * The arguments of a call, decoded as Go decodes them into a struct: names are case-insensitive, `null` counts as
 * absent, absent as zero. Methods must read every argument they declare, so that one of the wrong type is rejected
 * even if it is not used.
 */
export class RequestParams {
  private readonly value: GoValue | undefined

  constructor(value: GoValue | undefined) {
    this.value = value
  }

  string(name: string): string {
    return this.last(name, '', stringOf)
  }

  strings(name: string): string[] {
    return this.list(name, '', stringOf)
  }

  bool(name: string): boolean {
    return this.last(name, false, ({ kind, raw }) => {
      if (kind !== 'bool') throw new ArgumentError()
      return raw === 'true'
    })
  }

  /** An integer as digits or as a string of digits. */
  uint(name: string, max: bigint): bigint {
    return this.last(name, 0n, ({ raw }) => {
      const digits = /^"?([0-9]{1,400})"?$/.exec(raw)
      const number = digits === null ? undefined : BigInt(digits[1]!)
      if (number === undefined || number > max) throw new ArgumentError()
      return number
    })
  }

  /** An ID; the zero ID if absent. */
  id(name: string): Uint8Array {
    return this.last(name, new Uint8Array(32), (value) => parseQuoted(value, parseID))
  }

  ids(name: string): Uint8Array[] {
    return this.list(name, new Uint8Array(32), (item) => parseQuoted(item, parseID))
  }

  nodeIDs(name: string): string[] {
    return this.list(name, new Uint8Array(20), (item) => parseQuoted(item, parseNodeID)).map(
      (bytes) => `NodeID-${cb58.encode(bytes)}`,
    )
  }

  encoding(): Encoding {
    return this.last<Encoding>('encoding', 'hex', ({ raw }) => {
      const found = /^"(hex|hexc|hexnc|json)"$/.exec(raw.toLowerCase())
      if (found === null) throw new ArgumentError()
      return found[1] as Encoding
    })
  }

  /** The members of an object argument; if given twice, they are merged. */
  object(name: string): RequestParams {
    const values = this.members(name).filter(({ kind }) => kind !== 'null')
    if (values.some(({ kind }) => kind !== 'object')) throw new ArgumentError()
    const last = values.at(-1)
    if (last === undefined) return new RequestParams(undefined)
    return new RequestParams({ ...last, members: values.flatMap(({ members }) => members) })
  }

  /** The arguments without those of a name. */
  without(name: string): RequestParams {
    if (this.value === undefined) return this
    const members = this.value.members.filter(([key]) => !isNamed(key, name))
    return new RequestParams({ ...this.value, members })
  }

  /** Decodes every member with this name, later ones over earlier ones; `null` changes nothing. */
  private last<T>(name: string, zero: T, read: (value: GoValue) => T): T {
    let found = zero
    for (const value of this.members(name)) if (value.kind !== 'null') found = read(value)
    return found
  }

  /** Like `last` for lists: `null` empties the list, and an item `null` keeps the earlier item at its position. */
  private list<T>(name: string, zero: T, read: (value: GoValue) => T): T[] {
    let found: T[] = []
    for (const { kind, items } of this.members(name)) {
      if (kind !== 'array' && kind !== 'null') throw new ArgumentError()
      const before = found
      found = items.map((item, i) => (item.kind === 'null' ? (before[i] ?? zero) : read(item)))
    }
    return found
  }

  private members(name: string): GoValue[] {
    return this.value === undefined ? [] : membersOf(this.value, name)
  }
}

/** Reads `params` of a request: absent, an object, or an array that starts with one. */
export function paramsOf(value: GoValue | undefined): RequestParams {
  const first = value?.kind === 'array' ? value.items[0] : value
  if (first === undefined || first.kind === 'null') return new RequestParams(undefined)
  if (first.kind !== 'object') throw new ArgumentError()
  return new RequestParams(first)
}

function stringOf(value: GoValue): string {
  if (value.kind !== 'string') throw new ArgumentError()
  return value.text
}

/** IDs are taken literally from between the quotes, without decoding escapes. */
function parseQuoted(value: GoValue, parse: (text: string) => Uint8Array): Uint8Array {
  if (value.kind !== 'string') throw new ArgumentError()
  try {
    return parse(value.raw.slice(1, -1))
  } catch (error) {
    if (error instanceof AvmError) throw new ArgumentError()
    throw error
  }
}
