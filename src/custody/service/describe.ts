import {
  boolean,
  type Check,
  integerFrom,
  invalid,
  list,
  located,
  object,
  text as textCheck,
  variants,
  oneOf as wordOf,
} from '../../core/base/argument.ts'
import { parseID } from '../../core/base/encoding/ids.ts'

// Descriptions of JSON values: the check that a request has to pass, and the same as JSON Schema for OpenAPI. Checks are
// those of all arguments of this library.

/** A JSON Schema. */
export type Schema = { readonly [name: string]: unknown }

/** Describes a JSON value, and what it is converted to. */
export type Field<T> = {
  readonly check: Check<T>
  readonly schema: Schema
  /** Whether it may be absent. */
  readonly isOptional?: true
}

/** What a description converts to. */
export type ValueOf<F> = F extends Field<infer T> ? T : never

/** Adds the sentence that documentation shows. */
export function described<T>(description: string, field: Field<T>): Field<T> {
  return { ...field, schema: { ...field.schema, description } }
}

/** A string. The database cannot store NUL. */
export function text(maxLength = 1_000): Field<string> {
  return {
    check: (value, at) => {
      const string = textCheck(value, at)
      if (string.length > maxLength || string.includes('\u0000'))
        throw invalid(value, at, `at most ${maxLength} characters without NUL`)
      if (/\p{Surrogate}/u.test(string)) throw invalid(value, at, 'well-formed Unicode')
      return string
    },
    schema: { type: 'string', maxLength },
  }
}

/** An integer as a string of digits: JSON numbers lose digits in most languages. */
export function digits(min: bigint, max: bigint): Field<bigint> {
  return {
    check: (value, at) => {
      const string = textCheck(value, at)
      const isInteger = /^(0|-?[1-9][0-9]{0,38})$/.test(string)
      if (!isInteger || BigInt(string) < min || BigInt(string) > max)
        throw invalid(value, at, `a string of digits from ${min} to ${max}`)
      return BigInt(string)
    },
    schema: { type: 'string', pattern: min < 0n ? '^-?[0-9]+$' : '^[0-9]+$' },
  }
}

/** An amount of an asset in its smallest unit. */
export const amount: Field<bigint> = digits(1n, 2n ** 64n - 1n)

/** A cursor or a height. */
export const position: Field<bigint> = digits(0n, 2n ** 63n - 1n)

/** A JSON integer. */
export function integer(minimum: number, maximum: number): Field<number> {
  return { check: integerFrom(minimum, maximum), schema: { type: 'integer', minimum, maximum } }
}

/** A JSON boolean. */
export const flag: Field<boolean> = { check: boolean, schema: { type: 'boolean' } }

/** Date and time as RFC 3339, with a time zone. */
export const time: Field<Date> = {
  check: (value, at) => {
    const string = textCheck(value, at)
    const date = new Date(string)
    const hasForm =
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(string) &&
      !Number.isNaN(date.getTime())
    if (!hasForm) throw invalid(value, at, 'a time such as 2026-12-31T23:59:59Z')
    return date
  },
  schema: { type: 'string', format: 'date-time' },
}

/** The ID of a transaction or an asset: cb58. */
export const id: Field<Uint8Array> = {
  check: (value, at) => {
    const string = textCheck(value, at)
    return located(at, () => parseID(string))
  },
  schema: { type: 'string', maxLength: 60, description: 'ID in cb58' },
}

/** One of a few words. */
export function oneOf<T extends string>(...words: readonly T[]): Field<T> {
  return { check: wordOf(...words), schema: { type: 'string', enum: words } }
}

/** A JSON list. */
export function listOf<T>(item: Field<T>, maxItems?: number): Field<readonly T[]> {
  const items = list(item.check)
  return {
    check: (value, at) => {
      if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems)
        throw invalid(value, at, `a list of at most ${maxItems}`)
      return items(value, at)
    },
    schema: { type: 'array', items: item.schema, ...(maxItems === undefined ? {} : { maxItems }) },
  }
}

/** A member that may be absent. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return {
    check: (value, at) => (value === undefined ? undefined : field.check(value, at)),
    schema: field.schema,
    isOptional: true,
  }
}

type Fields = { readonly [name: string]: Field<unknown> }
type Values<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** A JSON object with these members and no others. */
export function objectOf<F extends Fields>(fields: F): Field<Values<F>> & { readonly fields: F } {
  const entries = Object.entries(fields)
  const checks = Object.fromEntries(entries.map(([name, { check }]) => [name, check]))
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name)
  return {
    fields,
    check: object(checks as never) as Check<Values<F>>,
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
  }
}

/** One of several JSON objects, which the word of a member tells apart. */
export function variantsOf<F extends { readonly [word: string]: Field<unknown> }>(
  tag: string,
  fields: F,
): Field<ValueOf<F[keyof F]>> {
  const checks = Object.entries(fields).map(([word, { check }]) => [word, check])
  return {
    check: variants(tag as never, Object.fromEntries(checks)) as Check<ValueOf<F[keyof F]>>,
    schema: { oneOf: Object.values(fields).map(({ schema }) => schema) },
  }
}

/** An object without members. */
export const nothing: Field<object> & { readonly fields: Fields } = objectOf({})
