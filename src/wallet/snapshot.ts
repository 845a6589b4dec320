/**
 * Copies an argument: lists, plain objects and bytes, so that an object that the caller reuses for the next call does
 * not change this one. Instances of classes are not copied.
 */
export function snapshot<T>(value: T): T {
  return copied(value) as T
}

function copied(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.slice()
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== 'object' || value === null) return value
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member)]))
}
