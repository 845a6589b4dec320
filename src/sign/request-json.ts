import type { Json } from '../codec/json.ts'
import { AvmError } from '../errors.ts'
import { SignError } from './errors.ts'

type Members = { readonly [key: string]: Json }

/** A `REQUEST_MALFORMED` that says what a member of the file should be. */
export function malformed(path: string, expected: string, cause?: unknown): SignError {
  const place = path === '' ? 'the signing request' : path
  return new SignError('REQUEST_MALFORMED', `expected ${expected} in ${place}`, {
    path,
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Runs a decoder on a member; what it refuses becomes a `REQUEST_MALFORMED` with the path. */
export function read<T>(path: string, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    if (cause instanceof SignError || !(cause instanceof AvmError)) throw cause
    throw malformed(path, 'a readable value', cause)
  }
}

/** A JSON object; with `members` it must have exactly these and may have the optional ones. */
export function recordOf(
  json: Json | undefined,
  path: string,
  members?: readonly string[],
  optional: readonly string[] = [],
): Members {
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw malformed(path, 'an object')
  const record = json as Members
  if (members === undefined) return record
  const names = Object.keys(record)
  const known = names.every((name) => members.includes(name) || optional.includes(name))
  // The names found are not repeated: whoever opens the wrong file may have opened one with secrets.
  if (!known || !members.every((name) => names.includes(name)))
    throw malformed(path, `the members ${members.join(', ')}`)
  return record
}

/** A JSON array. */
export function listOf(json: Json | undefined, path: string): readonly Json[] {
  if (!Array.isArray(json)) throw malformed(path, 'a list')
  return json
}

/** A JSON string. */
export function textOf(json: Json | undefined, path: string): string {
  if (typeof json !== 'string') throw malformed(path, 'a text')
  return json
}
