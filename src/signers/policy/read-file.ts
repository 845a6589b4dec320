import { argument, type Check, invalid, type Members, object } from '../../core/base/argument.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { hrpOf } from '../../core/chain/networks.ts'
import { parseJSON } from '../../core/codec/json-text.ts'
import { hasRepeatedMembers } from '../../core/codec/repeated-members.ts'
import { PolicyError } from './errors.ts'

/** Larger files are refused before they are parsed. */
const MAX_FILE_SIZE = 4_000_000

/**
 * Reads a versioned JSON file with these members and no others. The version is checked before the members: files of a
 * later version may have others.
 *
 * @throws PolicyError `FILE_MALFORMED`, `FILE_VERSION`; ArgumentError `UNKNOWN_OPTION`, `ENC_INVALID`
 */
export function readFile<T extends object>(text: string, format: string, members: Members<T>): T {
  const json = readJSON(text, format)
  const { format: found, version, ...contents } = json
  if (found !== format)
    throw new PolicyError(
      'FILE_MALFORMED',
      `expected a file with format ${JSON.stringify(format)}`,
      {
        path: 'format',
      },
    )
  if (version !== 1)
    throw new PolicyError('FILE_VERSION', `expected version 1 of ${format}`, { path: 'version' })
  return argument(format, contents, object<T>(members))
}

function readJSON(text: string, format: string): { readonly [name: string]: unknown } {
  if (typeof text !== 'string' || text.length > MAX_FILE_SIZE || hasRepeatedMembers(text))
    throw malformed(format)
  let json: unknown
  try {
    json = parseJSON(text)
  } catch {
    // Without a cause, which would quote the text: a key file may have been opened by mistake.
    throw malformed(format)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw malformed(format)
  return json as { readonly [name: string]: unknown }
}

function malformed(format: string): PolicyError {
  return new PolicyError(
    'FILE_MALFORMED',
    `expected ${format} as a JSON object that has each member once`,
  )
}

/** A name that people read: 1 to 64 letters, digits and common signs, so that no two look alike by hidden characters. */
export const name: Check<string> = (value, at) => {
  if (
    typeof value === 'string' &&
    /^[A-Za-z0-9](?:[A-Za-z0-9 ._'&()/+-]{0,62}[A-Za-z0-9.)])?$/.test(value)
  )
    return value
  throw invalid(value, at, "a name of 1 to 64 ASCII letters, digits, spaces and ._'&()/+-")
}

/** An amount in base units, as decimal text: JSON numbers lose digits. */
export const baseUnits: Check<bigint> = (value, at) => {
  const amount =
    typeof value === 'string' && /^(0|[1-9][0-9]{0,19})$/.test(value) ? BigInt(value) : -1n
  if (amount >= 0n && amount <= MAX_U64) return amount
  throw invalid(value, at, 'an amount in base units as decimal text')
}

/** What addresses of a network must have. Networks without a name may have any prefix. */
export function expectedHRP(networkID: number): { readonly hrp?: string } {
  const hrp = hrpOf(networkID)
  return hrp === 'custom' ? {} : { hrp }
}
