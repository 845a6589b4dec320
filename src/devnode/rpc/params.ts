import { cb58 } from '../../encoding/cb58.ts'
import { parseID, parseNodeID } from '../../encoding/ids.ts'
import { AvmError } from '../../errors.ts'
import { type GoValue, member } from './go-json.ts'

/** The one text for every argument that does not decode. */
export const BAD_ARGUMENTS =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls"

/** Thrown by the readers below; the envelope answers with `BAD_ARGUMENTS`. */
export class ArgumentError extends Error {}

/** The encodings that arguments may name. */
export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json'

/**
 * The arguments of a call, read as Go reads them into a struct: names without case, `null` as
 * absent, absent as zero. Readers must be asked for every argument that the method declares, so
 * that one of the wrong type is refused even where it would not matter.
 */
export class Params {
  private readonly value: GoValue | undefined

  constructor(value: GoValue | undefined) {
    this.value = value
  }

  string(name: string): string {
    const value = this.member(name)
    return value === undefined ? '' : stringOf(value)
  }

  strings(name: string): string[] {
    const value = this.member(name)
    if (value === undefined) return []
    if (value.kind !== 'array') throw new ArgumentError()
    return value.items.map((item) => (item.kind === 'null' ? '' : stringOf(item)))
  }

  bool(name: string): boolean {
    const value = this.member(name)
    if (value === undefined) return false
    if (value.kind !== 'bool') throw new ArgumentError()
    return value.raw === 'true'
  }

  /** Bare digits or a string of them. */
  uint(name: string, max: bigint): bigint {
    const value = this.member(name)
    if (value === undefined) return 0n
    const digits = /^"?([0-9]{1,400})"?$/.exec(value.raw)
    const number = digits === null ? undefined : BigInt(digits[1]!)
    if (number === undefined || number > max) throw new ArgumentError()
    return number
  }

  /** The zero ID where it is not given. */
  id(name: string): Uint8Array {
    const value = this.member(name)
    return value === undefined ? new Uint8Array(32) : parsed(value, parseID)
  }

  nodeIDs(name: string): string[] {
    const value = this.member(name)
    if (value === undefined) return []
    if (value.kind !== 'array') throw new ArgumentError()
    return value.items.map((item) => {
      const bytes = item.kind === 'null' ? new Uint8Array(20) : parsed(item, parseNodeID)
      return `NodeID-${cb58.encode(bytes)}`
    })
  }

  encoding(): Encoding {
    const value = this.member('encoding')
    if (value === undefined) return 'hex'
    const found = /^"(hex|hexc|hexnc|json)"$/.exec(value.raw.toLowerCase())
    if (found === null) throw new ArgumentError()
    return found[1] as Encoding
  }

  /** The members of an argument that is itself an object. */
  object(name: string): Params {
    const value = this.member(name)
    if (value !== undefined && value.kind !== 'object') throw new ArgumentError()
    return new Params(value)
  }

  /** The same arguments but one. */
  without(name: string): Params {
    if (this.value === undefined) return this
    const members = this.value.members.filter(([key]) => key.toLowerCase() !== name.toLowerCase())
    return new Params({ ...this.value, members })
  }

  private member(name: string): GoValue | undefined {
    return this.value === undefined ? undefined : member(this.value, name)
  }
}

/** Takes `params` of a request: nothing, an object, or an array that begins with one. */
export function paramsOf(value: GoValue | undefined): Params {
  const first = value?.kind === 'array' ? value.items[0] : value
  if (first === undefined || first.kind === 'null') return new Params(undefined)
  if (first.kind !== 'object') throw new ArgumentError()
  return new Params(first)
}

function stringOf(value: GoValue): string {
  if (value.kind !== 'string') throw new ArgumentError()
  return value.text
}

/** IDs are taken from between the quotes as they stand: escapes are not read. */
function parsed(value: GoValue, parse: (text: string) => Uint8Array): Uint8Array {
  if (value.kind !== 'string') throw new ArgumentError()
  try {
    return parse(value.raw.slice(1, -1))
  } catch (error) {
    if (error instanceof AvmError) throw new ArgumentError()
    throw error
  }
}
