import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { type ArgumentErrorCode, AvmError } from '../../core/base/errors.ts'
import { nearest } from '../../core/base/nearest.ts'
import type { Json } from '../../core/codec/json.ts'
import { isJSONObject, type JsonObject } from '../../core/codec/json-value.ts'

/** A parameter of the control API that is missing, unknown (`UNKNOWN_OPTION`) or of the wrong type. */
export class ParamError extends Error {
  readonly code: ArgumentErrorCode

  constructor(message: string, code: ArgumentErrorCode = 'ENC_INVALID') {
    super(message)
    this.code = code
  }
}

/** The parameters of one call. */
export class ControlParams {
  private readonly members: JsonObject

  /** @param names - parameters of the method; others are rejected, because otherwise a typo would be ignored */
  constructor(params: Json, names: readonly string[]) {
    if (!isJSONObject(params)) throw new ParamError('expected an object of parameters')
    this.members = params
    const unknown = Object.keys(params).find((name) => !names.includes(name))
    if (unknown === undefined) return
    const intended = nearest(unknown, names)
    const advice =
      intended === undefined ? `known: ${names.join(', ') || 'none'}` : `did you mean ${intended}?`
    throw new ParamError(`unknown parameter ${unknown.slice(0, 32)}; ${advice}`, 'UNKNOWN_OPTION')
  }

  /** Reads a parameter if it is given. */
  optional<T>(name: string, read: (name: string) => T): T | undefined {
    return this.member(name) === undefined ? undefined : read(name)
  }

  text(name: string): string {
    const value = this.member(name)
    if (typeof value === 'string') return value
    throw new ParamError(`${name} must be a string`)
  }

  texts(name: string): string[] {
    const value = this.member(name)
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
    throw new ParamError(`${name} must be an array of strings`)
  }

  boolean(name: string): boolean {
    const value = this.member(name)
    if (typeof value === 'boolean') return value
    throw new ParamError(`${name} must be true or false`)
  }

  /** A whole number from 0 to 2^64-1, as a number or as a decimal string. */
  uint(name: string): bigint {
    const value = this.member(name)
    const digits = typeof value === 'string' ? value : String(value)
    const isNumber = typeof value === 'number' || typeof value === 'bigint'
    const whole = (isNumber || typeof value === 'string') && /^\d{1,20}$/.test(digits)
    if (whole && BigInt(digits) < 2n ** 64n) return BigInt(digits)
    throw new ParamError(`${name} must be a whole number from 0 to 2^64-1`)
  }

  /** A whole number from 0 to a limit. */
  count(name: string, max: number): number {
    const value = this.uint(name)
    if (value <= BigInt(max)) return Number(value)
    throw new ParamError(`${name} must be at most ${max}`)
  }

  /** A list of byte strings in hex with checksum, as everywhere in the API of the node. */
  bytes(name: string): Uint8Array[] {
    return this.texts(name).map((text) => {
      try {
        return checkedHex.decode(text)
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        throw new ParamError(`${name} must be hex with checksum: ${error.message}`)
      }
    })
  }

  isList(name: string): boolean {
    return Array.isArray(this.member(name))
  }

  objects(name: string, names: readonly string[]): ControlParams[] {
    const value = this.member(name)
    if (!Array.isArray(value)) throw new ParamError(`${name} must be an array of objects`)
    return value.map((item) => new ControlParams(item, names))
  }

  private member(name: string): Json | undefined {
    return Object.hasOwn(this.members, name) ? (this.members[name] ?? undefined) : undefined
  }
}
