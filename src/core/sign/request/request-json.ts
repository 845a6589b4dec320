import { ArgumentError, AvmError } from '../../base/errors.ts'
import { nearest } from '../../base/nearest.ts'
import type { Json } from '../../codec/json.ts'
import { isJSONObject, type JsonObject } from '../../codec/json-value.ts'
import { hasRepeatedMembers } from '../../codec/repeated-members.ts'
import { SignError } from '../errors.ts'

/** The `format` member of every request file. */
export const REQUEST_FORMAT = 'avmkit-signing-request'

/** The error for a member of the file that is not as expected. */
export function malformed(path: string, expected: string, cause?: unknown): SignError {
  const place = path === '' ? 'the signing request' : path
  return new SignError('REQUEST_MALFORMED', `expected ${expected} in ${place}`, { path, cause })
}

/** Runs a decoder on a member; its errors become `REQUEST_MALFORMED` with the path. */
export function readMember<T>(path: string, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    if (cause instanceof SignError || !(cause instanceof AvmError)) throw cause
    throw malformed(path, 'a valid value', cause)
  }
}

/**
 * Reads a JSON object; if `members` are given, it must have all of them, and no others but `optional` ones.
 *
 * @throws ArgumentError `UNKNOWN_OPTION` for another member
 */
export function objectOf(
  json: Json | undefined,
  path: string,
  members?: readonly string[],
  optional: readonly string[] = [],
): JsonObject {
  if (!isJSONObject(json)) throw malformed(path, 'an object')
  if (members === undefined) return json
  const known = [...members, ...optional]
  const names = Object.keys(json)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownMember(unknown, path, known)
  if (!members.every((name) => names.includes(name)))
    throw malformed(path, `the members ${members.join(', ')}`)
  return json
}

/** Only a name that resembles a known one is quoted: a file with secrets may have been opened by mistake. */
function unknownMember(name: string, path: string, known: readonly string[]): ArgumentError {
  const intended = nearest(name, known)
  const at = (member: string) => (path === '' ? member : `${path}.${member}`)
  const what =
    intended === undefined
      ? `unknown member in ${path === '' ? 'the signing request' : path}`
      : `unknown member ${at(name)}; did you mean ${intended}?`
  return new ArgumentError('UNKNOWN_OPTION', `parseRequest: ${what}`, {
    path: intended === undefined ? path : at(name),
    hint: `known: ${known.join(', ')}`,
  })
}

/** Reads a JSON array. */
export function listOf(json: Json | undefined, path: string): readonly Json[] {
  if (!Array.isArray(json)) throw malformed(path, 'an array')
  return json
}

/** Reads a JSON string. */
export function textOf(json: Json | undefined, path: string): string {
  if (typeof json !== 'string') throw malformed(path, 'a string')
  return json
}

/**
 * Refuses objects with duplicate members: JSON parsers disagree on which one counts, so two programs could read
 * different transactions from one file. Invalid JSON is left to the parser.
 *
 * @throws SignError `REQUEST_MALFORMED`
 */
export function refuseRepeatedMembers(text: string): void {
  if (hasRepeatedMembers(text)) throw malformed('', 'each member once')
}
