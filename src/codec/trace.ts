/*
 * Finds the field in which an error occurred. Struct functions read `value.field` directly before they pass it on, so
 * a proxy that records the last field read knows where the error was thrown. A failed run is repeated with such a
 * proxy; successful runs have no overhead.
 */

/**
 * Repeats a failed `run` with a recording proxy of `value` and returns the path of the field that caused the error.
 */
export function fieldReached<T>(value: T, run: (noting: T) => void): string {
  let reached = ''
  const note = (path: string) => {
    reached = path
  }
  try {
    run(noting(value, '', note) as T)
  } catch {
    return reached
  }
  return ''
}

/** Placeholder for `decode`, which has no value yet: every field is the placeholder itself. */
export const blank: object = {}

function noting(value: unknown, path: string, note: (path: string) => void): unknown {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'symbol' || key === 'type' || key === 'length')
        return Reflect.get(target, key)
      const field = /^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
      note(field)
      return noting(target === blank ? blank : Reflect.get(target, key), field, note)
    },
  })
}
