import { formatID } from '../../core/base/encoding/ids.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import { isBytes } from '../../core/base/require.ts'
import type { Json } from '../../core/codec/json.ts'
import { parseJSON } from '../../core/codec/json-text.ts'

/**
 * A result as JSON text: bigints as strings of digits, IDs in cb58, dates as RFC 3339. Undefined members are left out.
 */
export function resultJSON(value: unknown): string {
  return JSON.stringify(plain(value))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (isBytes(value)) return formatID(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

/**
 * Parses a JSON body. Members that are given twice are refused: parsers differ in which of them counts, so a proxy could have
 * checked another amount.
 *
 * @throws ArgumentError `ENC_BAD_JSON`
 */
export function parseBody(bytes: Uint8Array): Json {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ArgumentError('ENC_BAD_JSON', 'the body is not UTF-8', { cause })
  }
  let json: Json
  try {
    json = parseJSON(text)
  } catch (cause) {
    // The message of the parser repeats parts of the body.
    throw new ArgumentError('ENC_BAD_JSON', 'the body is not valid JSON', { cause })
  }
  requireDistinctMembers(text)
  return json
}

/** Strings with the colon that makes them names of members, and brackets: all that decides which object a name is in. */
const TOKENS = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}]/g

/** @throws ArgumentError `ENC_BAD_JSON` if an object of this valid JSON has a member twice */
function requireDistinctMembers(json: string): void {
  const open: Set<string>[] = []
  for (const [token, name, colon] of json.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (colon !== undefined) {
      // Escapes may spell the same name in different ways.
      const decoded = JSON.parse(`"${name}"`) as string
      const names = open.at(-1)!
      if (names.has(decoded))
        throw new ArgumentError('ENC_BAD_JSON', 'the body has a member twice', { path: decoded })
      names.add(decoded)
    }
  }
}
