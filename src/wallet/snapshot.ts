import { copyBytes } from '../bytes/copy.ts'
import { isBytes, requireFields } from '../encoding/require.ts'

/**
 * Copies options: lists, plain objects and bytes, so that an object that the caller reuses for the next call does not
 * change this one. Instances of classes, such as an AbortSignal, are not copied. `null` is treated as `undefined`.
 */
export function snapshot<T>(value: T): T {
  return copied(value ?? undefined, false) as T
}

/** Copies data in the same way, and instances of classes, such as an output, by their own properties. */
export function copyData<T>(value: T): T {
  return copied(value, true) as T
}

/** Copies the data of a call, which must be an object. */
export function copyOf<T>(argument: T): T {
  requireFields(argument, 'argument', [])
  return copyData(argument)
}

function copied(value: unknown, withInstances: boolean): unknown {
  if (isBytes(value)) return copyBytes(value)
  if (Array.isArray(value)) return value.map((item) => copied(item, withInstances))
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return new Date(value)
  if (!withInstances && !isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, copied(member, withInstances)]),
  )
}

/** Not compared with this realm's Object.prototype: objects of another window or context are plain, too. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
