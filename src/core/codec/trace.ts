/*
 * Finds the field in which an error occurred. Struct functions read `value.field` immediately before they pass it on,
 * so a proxy that records the last field read shows where the error was thrown. A failed run is repeated with such a
 * proxy; successful runs have no overhead.
 */

/**
 * Repeats a failed `run` with a recording proxy of `value` and returns the path of the field that caused the error.
 */
export function failedField<T>(value: T, run: (recorder: T) => void): string {
  let lastRead = ''
  const record = (path: string) => {
    lastRead = path
  }
  try {
    run(recorderOf(value, '', record) as T)
  } catch {
    return lastRead
  }
  return ''
}

/** Placeholder for `decode`, which has no value yet: every field is the placeholder itself. */
export const blank: object = {}

/** Returns a proxy of an object that passes the path of every field read to `record`; other values unchanged. */
function recorderOf(value: unknown, path: string, record: (path: string) => void): unknown {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'symbol' || key === 'type' || key === 'length')
        return Reflect.get(target, key)
      const field = /^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
      record(field)
      return recorderOf(target === blank ? blank : Reflect.get(target, key), field, record)
    },
  })
}
