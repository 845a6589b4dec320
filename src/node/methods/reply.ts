import { parseID } from '../../core/base/encoding/ids.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import type { Json } from '../../core/codec/json.ts'
import { isJSONObject, type JsonObject } from '../../core/codec/json-value.ts'
import { ReplyError } from '../errors.ts'

/**
 * An object of a reply, read member by member. A missing member or one of the wrong type is an error that contains
 * the method and the member. Additional members are ignored.
 */
export class Reply {
  private readonly method: string
  private readonly path: string
  private readonly members: JsonObject

  constructor(method: string, path: string, value: Json | undefined) {
    this.method = method
    this.path = path
    if (!isJSONObject(value)) throw this.wrong('', 'an object', value)
    this.members = value
  }

  /** Whether the member exists and is not null. */
  has(field: string): boolean {
    return this.members[field] !== undefined && this.members[field] !== null
  }

  /** Whether the member is absent. Null counts as present. */
  lacks(field: string): boolean {
    return this.members[field] === undefined
  }

  /** Requires the member to exist. Null is allowed, because Go encodes an empty list that way. */
  present(field: string): this {
    if (this.lacks(field)) throw this.shape(field, 'is missing')
    return this
  }

  /** Returns the member unchanged; null if absent. */
  json(field: string): Json {
    return this.members[field] ?? null
  }

  /** Returns text. */
  string(field: string): string {
    const value = this.members[field]
    if (typeof value !== 'string') throw this.wrong(field, 'a string', value)
    return value
  }

  /** Returns text; converts an integer to text. */
  label(field: string): string {
    const value = this.members[field]
    const isInteger = typeof value === 'bigint' || Number.isSafeInteger(value)
    return isInteger ? String(value) : this.string(field)
  }

  /** Returns text, or undefined if absent. */
  optionalString(field: string): string | undefined {
    return this.has(field) ? this.string(field) : undefined
  }

  /** Returns text that must be one of `values`. */
  oneOf<T extends string>(field: string, values: readonly T[]): T {
    const text = this.string(field)
    const found = values.find((value) => value === text)
    if (found === undefined)
      throw this.mismatch(field, `one of ${values.join(', ')}`, JSON.stringify(text))
    return found
  }

  /** Returns a boolean. */
  boolean(field: string): boolean {
    const value = this.members[field]
    if (typeof value !== 'boolean') throw this.wrong(field, 'a boolean', value)
    return value
  }

  /** Returns an integer up to 2^64 - 1, from decimal text or a number. */
  u64(field: string): bigint {
    return this.integer(this.members[field], field, MAX_U64)
  }

  /** Returns an integer up to 2^64 - 1 that must be a number, as in JSON transactions. */
  bareInteger(field: string): bigint {
    return this.bare(this.members[field], field)
  }

  /** Returns an integer up to 2^32 - 1, from decimal text or a number. */
  u32(field: string): number {
    return Number(this.integer(this.members[field], field, 0xffff_ffffn))
  }

  /** Returns an integer up to 2^64 - 1, or undefined if absent. */
  optionalU64(field: string): bigint | undefined {
    return this.has(field) ? this.u64(field) : undefined
  }

  /** Returns a decimal number, from text or a number. */
  decimal(field: string): number {
    const value = this.members[field]
    const number =
      typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value ?? Number.NaN)
    if (typeof value === 'object' || typeof value === 'boolean' || !Number.isFinite(number))
      throw this.wrong(field, 'a number', value)
    return number
  }

  /** Returns a 32-byte ID from cb58. */
  id(field: string): Uint8Array {
    return this.parsed(field, parseID)
  }

  /** Converts text with `parse`; its error becomes the cause of a ReplyError. */
  parsed<T>(field: string, parse: (text: string) => T): T {
    const text = this.string(field)
    try {
      return parse(text)
    } catch (cause) {
      const message = `is invalid: ${(cause as Error).message}`
      throw new ReplyError('REPLY_SHAPE', this.method, this.at(field), message, { cause })
    }
  }

  /** Reads a value in the place of a member, such as JSON sent as text. */
  within(field: string, value: Json): Reply {
    return new Reply(this.method, this.at(field), value)
  }

  /** Returns a member that is an object. */
  object(field: string): Reply {
    return new Reply(this.method, this.at(field), this.members[field])
  }

  /** Returns a list; null and absent mean empty, as in Go. */
  list<T>(field: string, read: (items: Items, index: number) => T): T[] {
    const value = this.members[field] ?? []
    if (!Array.isArray(value)) throw this.wrong(field, 'a list', value)
    const items: Items = {
      json: (i) => value[i],
      object: (i) => new Reply(this.method, `${this.at(field)}[${i}]`, value[i]),
      string: (i) => {
        if (typeof value[i] !== 'string') throw this.wrong(`${field}[${i}]`, 'a string', value[i])
        return value[i]
      },
      u32: (i) => Number(this.integer(value[i], `${field}[${i}]`, 0xffff_ffffn)),
      bareInteger: (i) => this.bare(value[i], `${field}[${i}]`),
    }
    return value.map((_, i) => read(items, i))
  }

  /** Returns a list that must exist. */
  requiredList<T>(field: string, read: (items: Items, index: number) => T): T[] {
    if (!this.has(field)) throw this.wrong(field, 'a list', this.members[field])
    return this.list(field, read)
  }

  /** Returns a list of texts. */
  strings(field: string): string[] {
    return this.list(field, (items, i) => items.string(i))
  }

  /** Reads an object whose keys are data; null and absent mean empty. */
  map<T>(field: string, read: (members: Reply, key: string) => T): { readonly [key: string]: T } {
    if (!this.has(field)) return {}
    const members = this.object(field)
    return members.own(read)
  }

  /** Reads every member of this object. */
  own<T>(read: (members: Reply, key: string) => T): { readonly [key: string]: T } {
    // Not by assignment: `__proto__` must become an ordinary member.
    return Object.fromEntries(Object.keys(this.members).map((key) => [key, read(this, key)]))
  }

  /** The error for a member that contradicts the request or a computed value. */
  mismatch(field: string, expected: string, found: string): ReplyError {
    const message = `should be ${expected}, is ${found}`
    return new ReplyError('REPLY_MISMATCH', this.method, this.at(field), message)
  }

  /** The error for a member of the wrong shape; for the whole object, `field` is empty. */
  shape(field: string, message: string): ReplyError {
    return new ReplyError('REPLY_SHAPE', this.method, this.at(field), message)
  }

  private integer(value: Json | undefined, field: string, max: bigint): bigint {
    const number =
      typeof value === 'bigint' || Number.isSafeInteger(value)
        ? BigInt(value as bigint | number)
        : typeof value === 'string' && /^[0-9]{1,20}$/.test(value)
          ? BigInt(value)
          : -1n
    if (number < 0n || number > max) throw this.wrong(field, `an integer up to ${max}`, value)
    return number
  }

  private bare(value: Json | undefined, field: string): bigint {
    if (typeof value === 'string') throw this.wrong(field, 'a number', value)
    return this.integer(value, field, MAX_U64)
  }

  private at(field: string): string {
    return field === '' ? this.path : `${this.path}.${field}`
  }

  private wrong(field: string, expected: string, value: Json | undefined): ReplyError {
    return this.shape(field, `should be ${expected}, is ${describeJSON(value)}`)
  }
}

/** The items of a list, by index. */
export type Items = {
  /** Returns an item unchanged. */
  readonly json: (index: number) => Json
  /** Returns an item that is an object. */
  readonly object: (index: number) => Reply
  /** Returns an item that is text. */
  readonly string: (index: number) => string
  /** Returns an integer up to 2^32 - 1, from decimal text or a number. */
  readonly u32: (index: number) => number
  /** Returns an integer that is a JSON number. */
  readonly bareInteger: (index: number) => bigint
}

function describeJSON(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return `${typeof value} ${String(JSON.stringify(String(value))).slice(0, 40)}`
}
