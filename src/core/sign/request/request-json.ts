import { ArgumentError, AvmError } from '../../base/errors.ts'
import { nearest } from '../../base/nearest.ts'
import type { Json } from '../../codec/json.ts'
import { isJSONObject, type JsonObject } from '../../codec/json-value.ts'
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
  /** The names seen in each open object; `undefined` for an array. */
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '{') {
      open.push(new Set())
      isName = true
    } else if (letter === '[') open.push(undefined)
    else if (letter === '}' || letter === ']') open.pop()
    else if (letter === ',') isName = open.at(-1) !== undefined
    else if (letter === ':') isName = false
    else if (letter === '"') {
      const end = endOfString(text, at)
      const names = open.at(-1)
      if (isName && names !== undefined) {
        const name = text.slice(at + 1, end)
        // Escapes allow other spellings of a name; no name of the format needs one.
        if (names.has(name) || name.includes('\\')) throw malformed('', 'each member once')
        names.add(name)
      }
      at = end
    }
  }
}

/** The position of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = start + 1; ; end++) {
    end = text.indexOf('"', end)
    if (end === -1) return text.length
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end
  }
}
