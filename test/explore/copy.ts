/**
 * A deep copy in which references to one object stay references to one object. Bytes, errors and attempts are values that
 * nobody changes, and are shared.
 */
export function deepCopy<T>(value: T, seen: Map<unknown, unknown> = new Map()): T {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array || value instanceof Error || 'fromHeight' in value) return value
  const known = seen.get(value)
  if (known !== undefined) return known as T
  if (value instanceof Map) {
    const copy = new Map()
    seen.set(value, copy)
    for (const [key, each] of value) copy.set(deepCopy(key, seen), deepCopy(each, seen))
    return copy as T
  }
  if (value instanceof Set) {
    const copy = new Set()
    seen.set(value, copy)
    for (const each of value) copy.add(deepCopy(each, seen))
    return copy as T
  }
  if (Array.isArray(value)) {
    const copy: unknown[] = []
    seen.set(value, copy)
    for (const each of value) copy.push(deepCopy(each, seen))
    return copy as T
  }
  const copy = Object.create(Object.getPrototypeOf(value))
  seen.set(value, copy)
  for (const [name, each] of Object.entries(value)) copy[name] = deepCopy(each, seen)
  return copy
}
