import { type Check, oneOf } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { checkedHex, require0x } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import type { PageEncoding } from '../../core/chain/x/utxo-page.ts'
import type { Json } from '../../core/codec/json.ts'
import { parseJSON } from '../../core/codec/json-text.ts'
import type { Reply } from './reply.ts'

/** Encoding of bytes in the API: with (`hex`) or without checksum (`hexnc`). */
export type HexEncoding = PageEncoding

/** Describes `HexEncoding`. */
export const hexEncoding: Check<HexEncoding> = (value, at) => {
  const hasJSON = /\.get(Tx|Block|BlockByHeight)$/.test(at.call)
  if (value === 'json' && hasJSON)
    throw new ArgumentError('ENC_INVALID', `${at.call}: ${at.path}: expected "hex" or "hexnc"`, {
      path: at.path,
      hint: `${at.call}JSON returns the JSON of the node`,
    })
  return oneOf<HexEncoding>('hex', 'hexnc')(value, at)
}

/** Encodes bytes for a request. */
export function encodedText(bytes: Uint8Array, encoding: HexEncoding): string {
  return encoding === 'hex' ? checkedHex.encode(bytes) : `0x${hex.encode(bytes)}`
}

/** Throws if an ID differs from the expected one. */
export function expectID(r: Reply, field: string, expected: Uint8Array, found: Uint8Array): void {
  if (!equalBytes(expected, found))
    throw r.mismatch(field, `of ID ${formatID(expected)}`, `of ${formatID(found)}`)
}

/** Returns the encoding stated in the reply, which determines how it is decoded. */
export function encodingOf(r: Reply, requested: HexEncoding = 'hex'): HexEncoding {
  const stated = (r.optionalString('encoding') ?? requested).toLowerCase()
  if (stated === 'hexnc') return stated
  if (stated !== 'hex' && stated !== 'hexc')
    throw r.mismatch('encoding', 'hex or hexnc', JSON.stringify(stated))
  return 'hex'
}

/** Decodes the bytes of a member in the encoding stated in the reply. */
export function bytesMember(r: Reply, field: string, requested?: HexEncoding): Uint8Array {
  return r.parsed(field, encodingOf(r, requested) === 'hex' ? checkedHex.decode : plainHex)
}

/** Decodes hex with `0x` and without a checksum. */
export function plainHex(text: string): Uint8Array {
  require0x(text)
  return hex.decode(text)
}

/** Returns a member that is an object, or JSON text of an object. */
export function jsonOf(r: Reply, field: string): Json {
  const json = r.json(field)
  if (typeof json === 'string') return r.parsed(field, parseObject)
  r.object(field)
  return json
}

function parseObject(text: string): Json {
  const json = parseJSON(text)
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw new ArgumentError('ENC_BAD_JSON', 'expected JSON text of an object')
  return json
}
