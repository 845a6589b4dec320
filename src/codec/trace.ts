/*
 * Struct functions read `value.field` right before they hand it on, so a value that notes which field
 * was asked for last knows, when an error stops the run, where it happened. Runs are repeated with such a
 * value only after they failed: nothing is tracked while all goes well.
 */

/** Runs `run` with a noting stand-in for `value` and tells the field it had reached when it threw. */
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

/** For `decode`, which has no value yet: every field of a blank is another blank. */
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
