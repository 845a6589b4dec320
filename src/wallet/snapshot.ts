import { requireFields } from '../encoding/require.ts'

/**
 * Copies an argument: lists, plain objects and bytes, so that an object that the caller reuses for the next call does
 * not change this one. Instances of classes are not copied. Null options are omitted ones.
 */
export function snapshot<T>(value: T): T {
  return copied(value ?? undefined) as T
}

/** Copies the argument of a call, which must be an object. */
export function copyOf<T>(argument: T): T {
  requireFields(argument, 'argument', [])
  return snapshot(argument)
}

function copied(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.slice()
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== 'object' || value === null) return value
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)]))
}
