import type { Json } from '../codec/index.ts'

/**
 * A value as programs read it: `bigint` becomes a decimal text, since most JSON readers round it, and what
 * is undefined is left out.
 */
export function plain(value: unknown): Json {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value as Json
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, plain(member)]),
  )
}
