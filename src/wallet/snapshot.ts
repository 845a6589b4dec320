import { copyBytes } from '../bytes/copy.ts'
import { isBytes, requireFields } from '../encoding/require.ts'

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
  if (isBytes(value)) return copyBytes(value)
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== 'object' || value === null) return value
  const prototype = Object.getPrototypeOf(value)
  // Not compared with this realm's Object.prototype: objects of another window or context are plain, too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)]))
}
