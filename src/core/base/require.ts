import { EncodingError, type ErrorDetails } from './errors.ts'

// Checks of arguments, since plain JavaScript can pass anything. Functions call them once per call, before any loop.

/** Rejects values that are not strings. */
export function requireText(value: unknown, what: string, details?: ErrorDetails): void {
  if (typeof value !== 'string') throw wrongType(value, what, 'a string', details)
}

/** Encodes text as UTF-8. Rejects lone surrogates, which TextEncoder replaces silently. */
export function utf8(text: string, what: string): Uint8Array<ArrayBuffer> {
  requireText(text, what)
  if (/\p{Surrogate}/u.test(text))
    throw new EncodingError('ENC_INVALID', `${what} contains a lone surrogate`)
  return new TextEncoder().encode(text)
}

/** Returns `value`. Rejects values that are not a Uint8Array, and those of another length if `size` is given. */
export function requireBytes(value: Uint8Array, what: string, size?: number): Uint8Array {
  if (!isBytes(value)) throw wrongType(value, what, 'a Uint8Array')
  if (value.length !== (size ?? value.length))
    throw new EncodingError(
      'ENC_WRONG_LENGTH',
      `${what} must have ${size} bytes, has ${value.length}`,
    )
  return value
}

/** Rejects values that are not objects with all the named properties. */
export function requireFields<T>(
  value: T,
  what: string,
  names: readonly (keyof T & string)[],
): void {
  if (value === null || typeof value !== 'object') throw wrongType(value, what, 'an object')
  for (const name of names)
    if (value[name] === undefined)
      throw new EncodingError('ENC_INVALID', `${what} has no property ${name}`)
}

/**
 * Rejects objects with a property whose name differs from one of `names` in upper and lower case only, such as
 * `assetId` for `assetID`: it would be ignored and the default asset paid.
 */
export function requireSpelling(value: object, what: string, names: readonly string[]): void {
  for (const name of Object.keys(value)) {
    const intended = names.find((each) => each.toLowerCase() === name.toLowerCase())
    if (intended !== undefined && intended !== name)
      throw new EncodingError('ENC_INVALID', `${what} has a property ${name}, expected ${intended}`)
  }
}

/** Rejects objects with a property that is none of `names`: what it asks for would be ignored. */
export function requireKnown(value: object, what: string, names: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new EncodingError('ENC_INVALID', `${what} has an unknown property ${unknown}`)
}

/** Rejects objects with a property that has no effect in this place: the caller would believe that it had. */
export function requireAbsent(value: object, what: string, names: readonly string[]): void {
  for (const [name, member] of Object.entries(value))
    if (member !== undefined && names.includes(name))
      throw new EncodingError('ENC_INVALID', `${name} is not a property of ${what}`)
}

/** Rejects values that are not arrays. */
export function requireList(value: unknown, what: string): void {
  if (!Array.isArray(value)) throw wrongType(value, what, 'an array')
}

/** Returns `value`. Rejects values that are not arrays, and arrays with holes, which `map` and others skip. */
export function toList<T>(value: readonly T[], what: string): readonly T[] {
  requireList(value, what)
  // Unlike `indexOf`, this visits holes.
  const hole = value.findIndex((item) => item === undefined)
  if (hole >= 0) throw new EncodingError('ENC_INVALID', `${what}[${hole}] is undefined`)
  return value
}

/** Rejects values that are neither functions nor undefined. */
export function requireFunction(value: unknown, what: string): void {
  if (value !== undefined && typeof value !== 'function') throw wrongType(value, what, 'a function')
}

/** Rejects values that cannot be iterated over. */
export function requireIterable(value: unknown, what: string): void {
  if (!(value as Iterable<unknown>)?.[Symbol.iterator]) throw wrongType(value, what, 'iterable')
}

/** Rejects values that are not integers from 0 to 2^32 − 1. */
export function requireU32(value: unknown, what: string): void {
  if (typeof value !== 'number' || value >>> 0 !== value)
    throw new EncodingError('ENC_INVALID', `${what} must be an integer from 0 to 4294967295`)
}

/** Rejects values that are not bigints. */
export function requireBigint(value: unknown, what: string): void {
  if (typeof value !== 'bigint') throw wrongType(value, what, 'a bigint')
}

/** Rejects values that are not objects with bigints as the named properties. */
export function requireBigints<T>(
  value: T,
  what: string,
  names: readonly (keyof T & string)[],
): void {
  requireFields(value, what, names)
  for (const name of names) requireBigint(value[name], `${what}.${name}`)
}

/** Rejects values that are neither booleans nor absent: a text such as `no` must not count as consent. */
export function requireBoolean(value: unknown, what: string): void {
  if (typeof (value ?? false) !== 'boolean') throw wrongType(value, what, 'a boolean')
}

/**
 * Rejects durations that are not numbers, and pauses between requests below 1 ms, which would send requests without
 * end. Comparisons with NaN are false, so a wait would never end.
 */
export function requireDurations<T extends object>(
  value: T | undefined,
  names: readonly (keyof T & string)[],
): void {
  for (const name of names) {
    const ms: unknown = value?.[name]
    const least = /poll|resend/i.test(name) ? 1 : Number.NEGATIVE_INFINITY
    if (ms !== undefined && !(typeof ms === 'number' && ms >= least))
      throw new EncodingError('ENC_INVALID', `${name} must be a number of milliseconds >= ${least}`)
  }
}

/** Returns an integer as bigint. Rejects values that are neither bigints nor safe integers. */
export function toBigint(value: bigint | number, what: string): bigint {
  const integer = Number.isSafeInteger(value) ? BigInt(value) : value
  requireBigint(integer, what)
  return integer as bigint
}

/**
 * Whether a value is a readable Uint8Array, also one of another realm, such as that of a test runner. Proxies and
 * arrays whose buffer was transferred or cut are not.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    ArrayBuffer.isView(value) &&
    ((value instanceof Uint8Array && value.length > 0) || isUnusualBytes(value))
  )
}

/** For foreign and empty ones. A function of its own, so that the usual case above is small enough to be inlined. */
function isUnusualBytes(value: ArrayBufferView): boolean {
  const bytes = value as Uint8Array
  if (bytes[Symbol.toStringTag] !== 'Uint8Array') return false
  try {
    // The length of an array without its buffer is 0, but it cannot be copied.
    return bytes.length > 0 || new Uint8Array(bytes).length === 0
  } catch {
    return false
  }
}

function wrongType(
  value: unknown,
  what: string,
  expected: string,
  details?: ErrorDetails,
): EncodingError {
  const found = value === null ? value : typeof value
  return new EncodingError('ENC_INVALID', `${what} must be ${expected}, is ${found}`, details)
}
