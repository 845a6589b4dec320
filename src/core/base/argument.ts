import { copyBytes } from './bytes/copy.ts'
import { ArgumentError, type ArgumentErrorDetails, AvmError } from './errors.ts'
import { bigintHint, printable } from './hints.ts'
import { MAX_U64 } from './integers.ts'
import { nearest } from './nearest.ts'
import { isBytes } from './require.ts'

// Descriptions of arguments. Plain JavaScript can pass anything, and a misspelled option that is ignored costs money, so
// every public call describes its arguments once, and checks and copies them before it reads them.

/** Where a value is: the call, and the path within its argument, such as `outputs[0].to`. */
export type Place = { readonly call: string; readonly path: string }

/** Checks a value and returns a copy that later changes of the original do not reach. */
export type Check<T> = (value: unknown, at: Place) => T

/** A check for every member of `T`. A missing or an additional member does not compile. */
export type Members<T> = { readonly [K in keyof Required<T>]: Check<T[K]> }

/**
 * Returns a checked copy of an argument. `path` is the name of an argument that is not an object of options.
 *
 * @throws ArgumentError
 */
export function argument<T>(call: string, value: unknown, check: Check<T>, path = ''): T {
  try {
    return check(value, { call, path })
  } catch (cause) {
    if (cause instanceof AvmError) throw cause
    // A getter or a proxy of the caller has failed.
    throw new ArgumentError('ENC_INVALID', `${call}: the argument cannot be read`, { cause })
  }
}

/**
 * A plain object with these members and no others. Inherited members do not count. The copy has all members, absent
 * ones as undefined, so that nothing can be inherited from `Object.prototype` later either.
 */
/* @__NO_SIDE_EFFECTS__ */
export function object<T extends object>(members: Members<T>): Check<T> {
  const names = Object.keys(members) as (keyof T & string)[]
  const checks = names.map((name) => members[name])
  return (value, at) => {
    if (!isPlain(value)) throw invalid(value, at, 'a plain object')
    const given = Object.getOwnPropertyNames(value)
    // Members mostly come in the order of the description: comparing that first takes a quarter of the time off.
    for (let i = 0; i < given.length; i++)
      if (given[i] !== names[i] && !(names as string[]).includes(given[i]!))
        throw unknownMember(given[i]!, at, names)
    const copy = {} as T
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!
      const isGiven = given[i] === name || given.includes(name)
      const member = isGiven ? (value as T)[name] : undefined
      copy[name] = checks[i]!(member, memberOf(at, name)) as T[typeof name]
    }
    return copy
  }
}

/** A plain object with any names of members. The copy has no prototype. */
/* @__NO_SIDE_EFFECTS__ */
export function record<T>(check: Check<T>): Check<{ readonly [name: string]: T }> {
  return (value, at) => {
    if (!isPlain(value)) throw invalid(value, at, 'a plain object')
    const copy: { [name: string]: T } = Object.create(null)
    for (const name of Object.keys(value))
      copy[name] = check((value as typeof copy)[name], memberOf(at, printable(name)))
    return copy
  }
}

/** A plain object of one of several types, which the member `tag` names. */
/* @__NO_SIDE_EFFECTS__ */
export function variants<T extends object>(
  tag: keyof T & string,
  checks: { readonly [name: string]: Check<T> },
): Check<T> {
  const names = oneOf(...Object.keys(checks))
  return (value, at) => {
    if (!isPlain(value)) throw invalid(value, at, 'a plain object')
    // A copy, so that the tag is not read a second time by its check.
    const copy = Object.create(null)
    for (const name of Object.getOwnPropertyNames(value)) copy[name] = (value as T)[name as keyof T]
    return checks[names(copy[tag], memberOf(at, tag))]!(copy, at)
  }
}

/** Undefined, or what `check` accepts. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, at) => (value === undefined ? undefined : check(value, at))
}

/**
 * Options that may be omitted as a whole. The copy has all members then, too: an empty object would inherit those that
 * someone has added to `Object.prototype`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function omissible<T>(check: Check<T>): Check<T> {
  return (value, at) => check(value === undefined ? {} : value, at)
}

/** An array without holes. */
/* @__NO_SIDE_EFFECTS__ */
export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw invalid(value, at, 'an array')
    // Not `map`, which skips holes.
    return Array.from({ length: value.length }, (_, i) => check(value[i], itemOf(at, i)))
  }
}

/** An array that is not copied and whose items the call checks as it reads them, because it may have many. */
/* @__NO_SIDE_EFFECTS__ */
export function bulk<T>(): Check<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw invalid(value, at, 'an array')
    // Unlike `indexOf`, this finds holes.
    if (value.includes(undefined)) throw invalid(value, at, 'an array without holes')
    return value
  }
}

/** Something to iterate over, but not a text or bytes. The copy is an array. */
/* @__NO_SIDE_EFFECTS__ */
export function iterable<T>(check: Check<T>): Check<readonly T[]> {
  const items = list(check)
  return (value, at) => {
    const isIterable = typeof value === 'object' && value !== null && Symbol.iterator in value
    if (!isIterable || isBytes(value)) throw invalid(value, at, 'a list')
    return items([...(value as Iterable<unknown>)], at)
  }
}

/** The kinds of values that `kinds` tells apart. */
type Kind = 'string' | 'bytes' | 'list' | 'object' | 'bigint' | 'number' | 'boolean' | 'function'

const NAMES: { readonly [kind in Kind]: string } = {
  string: 'a string',
  bytes: 'a Uint8Array',
  list: 'an array',
  object: 'an object',
  bigint: 'a bigint',
  number: 'a number',
  boolean: 'a boolean',
  function: 'a function',
}

/** A value of one of several kinds, each with its own check. */
/* @__NO_SIDE_EFFECTS__ */
export function kinds<T>(checks: { readonly [kind in Kind]?: Check<T> }): Check<T> {
  return (value, at) => {
    const kind = kindOf(value) as Kind
    const check = Object.hasOwn(checks, kind) ? checks[kind] : undefined
    if (check !== undefined) return check(value, at)
    throw invalid(
      value,
      at,
      (Object.keys(checks) as Kind[]).map((each) => NAMES[each]).join(' or '),
    )
  }
}

/** One of a few words. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<T extends string>(...words: readonly T[]): Check<T> {
  return (value, at) => {
    if (words.includes(value as T)) return value as T
    throw invalid(value, at, words.map((word) => JSON.stringify(word)).join(' or '))
  }
}

/** A member that is accepted and not read. */
export const ignored: Check<never> = () => undefined as never

/** A string. */
export const text: Check<string> = (value, at) => {
  if (typeof value !== 'string') throw invalid(value, at, NAMES.string)
  return value
}

/** A boolean: a text such as `no` must not count as consent. */
export const boolean: Check<boolean> = (value, at) => {
  if (typeof value !== 'boolean') throw invalid(value, at, NAMES.boolean)
  return value
}

/** A bigint from `min` to `max`. */
/* @__NO_SIDE_EFFECTS__ */
export function bigintFrom(min: bigint, max?: bigint): Check<bigint> {
  const range = max === undefined ? `>= ${min}` : `from ${min} to ${max}`
  return (value, at) => {
    if (typeof value !== 'bigint') throw invalid(value, at, NAMES.bigint)
    if (value < min || (max !== undefined && value > max))
      throw invalid(value, at, `a bigint ${range}`)
    return value
  }
}

/** An integer from `min` to `max`. */
/* @__NO_SIDE_EFFECTS__ */
export function integerFrom(min: number, max: number = Number.MAX_SAFE_INTEGER): Check<number> {
  return (value, at) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max)
      throw invalid(value, at, `an integer from ${min} to ${max}`)
    return value as number
  }
}

/** An integer of 32 bits without a sign. */
export const u32: Check<number> = integerFrom(0, 0xffffffff)

/** A bigint of 64 bits without a sign. */
export const u64: Check<bigint> = bigintFrom(0n, MAX_U64)

/** Milliseconds of at least `min`; Infinity is allowed. */
/* @__NO_SIDE_EFFECTS__ */
export function msFrom(min: number): Check<number> {
  return (value, at) => {
    // Comparisons with NaN are false.
    if (!(typeof value === 'number' && value >= min))
      throw invalid(value, at, `a number of milliseconds >= ${min}`)
    return value
  }
}

/** A Uint8Array, of a fixed size if one is given. */
/* @__NO_SIDE_EFFECTS__ */
export function bytesOf(size?: number): Check<Uint8Array> {
  return (value, at) => {
    if (!isBytes(value)) throw invalid(value, at, NAMES.bytes)
    if (value.length !== (size ?? value.length))
      throw failure('ENC_WRONG_LENGTH', at, `must have ${size} bytes, has ${value.length}`)
    return copyBytes(value)
  }
}

/** A date that is valid. */
export const date: Check<Date> = (value, at) => {
  const time =
    Object.prototype.toString.call(value) === '[object Date]' ? Number(value) : Number.NaN
  if (Number.isNaN(time)) throw invalid(value, at, 'a valid Date')
  return new Date(time)
}

/** A function. It is called later, not copied. */
/* @__NO_SIDE_EFFECTS__ */
export function fn<T extends (...args: never[]) => unknown>(): Check<T> {
  return (value, at) => {
    if (typeof value !== 'function') throw invalid(value, at, NAMES.function)
    return value as T
  }
}

/** An object that does something, such as a client, store, clock or signal: it has these methods and is not copied. */
/* @__NO_SIDE_EFFECTS__ */
export function capability<T extends object>(
  what: string,
  ...methods: readonly (keyof T & string)[]
): Check<T> {
  return (value, at) => {
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
    if (!isObject || methods.some((name) => typeof (value as T)[name] !== 'function'))
      throw invalid(value, at, what)
    return value as T
  }
}

/** An AbortSignal, also one of another realm. */
export const signal: Check<AbortSignal> = capability<AbortSignal>(
  'an AbortSignal',
  'addEventListener',
)

/**
 * Runs `convert`, which parses a value, and adds the place of the value, if it is known, to its errors.
 *
 * @throws ArgumentError with the code of the original
 */
export function located<T>(at: Place | undefined, convert: () => T): T {
  try {
    return convert()
  } catch (error) {
    if (!at || !(error instanceof ArgumentError) || error.path !== '') throw error
    throw failure(error.code, at, error.message, { hint: error.hint, cause: error })
  }
}

/** The error for a value that is not what was expected; an undefined one is missing. */
export function invalid(value: unknown, at: Place, expected: string): ArgumentError {
  if (value === undefined)
    return new ArgumentError(
      'MISSING_OPTION',
      `${at.call}: ${at.path || 'the argument'} is missing`,
      { path: at.path, expected },
    )
  const found = describeKind(value)
  const isNumberForBigint = typeof value === 'number' && expected.startsWith(NAMES.bigint)
  return failure('ENC_INVALID', at, `expected ${expected}, found ${found}`, {
    expected,
    found,
    hint: isNumberForBigint ? bigintHint(value) : undefined,
  })
}

/** An error at a place. */
function failure(
  code: ArgumentError['code'],
  { call, path }: Place,
  problem: string,
  details: ArgumentErrorDetails = {},
): ArgumentError {
  const place = path === '' ? call : `${call}: ${path}`
  return new ArgumentError(code, `${place}: ${problem}`, { ...details, path })
}

function unknownMember(name: string, at: Place, known: readonly string[]): ArgumentError {
  const { path } = memberOf(at, printable(name))
  const intended = nearest(name, known)
  const question = intended === undefined ? '' : `; did you mean ${intended}?`
  return new ArgumentError('UNKNOWN_OPTION', `${at.call}: unknown member ${path}${question}`, {
    path,
    hint: known.length === 0 ? undefined : `known: ${known.join(', ')}`,
  })
}

/** The place of a member of the value at a place. */
export function memberOf({ call, path }: Place, name: string): Place {
  return { call, path: path === '' ? name : `${path}.${name}` }
}

/** The place of an item of the list at a place. */
export function itemOf({ call, path }: Place, index: number): Place {
  return { call, path: `${path}[${index}]` }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (isBytes(value)) return 'bytes'
  return Array.isArray(value) ? 'list' : typeof value
}

function describeKind(value: unknown): string {
  // Numbers and bigints are shown: an amount out of range is no secret, unlike a text, which may be a key.
  if (typeof value === 'number') return `the number ${value}`
  // Printing takes quadratic time.
  if (typeof value === 'bigint' && BigInt.asIntN(128, value) === value) return `the bigint ${value}`
  const kind = kindOf(value)
  if (kind === 'object' && !isPlain(value)) return 'an instance of a class'
  return Object.hasOwn(NAMES, kind) ? NAMES[kind as Kind] : kind
}

/**
 * Whether a value is an object literal. Not compared with this realm's Object.prototype: objects of another window or
 * context are plain, too.
 */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  // That of another realm.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty')
}
