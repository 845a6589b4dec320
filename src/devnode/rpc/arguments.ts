import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { CHECKSUM_SIZE } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { checksum } from '../../core/base/hash/sha256.ts'
import { decodeBech32Leniently } from '../go/bech32.ts'
import { goCodePoint, goQuote, goQuoteChar } from '../go/text.ts'
import { MethodError } from './envelope.ts'
import type { Encoding, RequestParams } from './params.ts'

/** Data needed to parse an address. */
export type AddressContext = {
  readonly hrp: string
  readonly chainID: Uint8Array
  /** Returns the ID of a chain by alias or ID text. */
  readonly lookup: (alias: string) => Uint8Array | undefined
}

const NO_BASE58 = /[^1-9A-HJ-NP-Za-km-z]/u
const NO_HEX = /[^0-9a-fA-F]/u

/**
 * Parses an address argument as the node does: first as cb58 of 20 bytes, then as chain alias and bech32, which is
 * decoded more leniently than this library does (`vms/components/avax/addresses.go`).
 */
export function parseServiceAddress(text: string, context: AddressContext): Uint8Array {
  const bare = readCB58(text, 20)
  if (typeof bare !== 'string') return bare
  const address = parseLocalAddress(text, context)
  if (typeof address !== 'string') return address
  throw new MethodError(`couldn't parse address ${goQuote(text)}: ${address}`)
}

/** Returns the address of this chain in a text, or the node's error text. */
export function parseLocalAddress(text: string, context: AddressContext): Uint8Array | string {
  const dash = text.indexOf('-')
  if (dash < 0) return 'no separator found in address'
  const decoded = decodeBech32Leniently(text.slice(dash + 1))
  if (typeof decoded === 'string') return decoded
  const alias = text.slice(0, dash)
  const chainID = context.lookup(alias)
  if (chainID === undefined) return `there is no ID with alias: ${alias}`
  if (decoded.hrp !== context.hrp)
    return `expected hrp ${goQuote(context.hrp)} but got ${goQuote(decoded.hrp)}`
  if (decoded.bytes.length !== 20) return wrongLength(20, decoded.bytes.length)
  if (!equalBytes(chainID, context.chainID))
    return `mismatched chainIDs: expected "${cb58.encode(context.chainID)}" but got "${cb58.encode(chainID)}"`
  return decoded.bytes
}

/** Decodes cb58 of a given size; returns the node's error text if invalid. */
export function readCB58(text: string, size: number): Uint8Array | string {
  let bytes: Uint8Array
  try {
    bytes = cb58.decode(text)
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    if (text === '') return 'base58 decoding error: zero length string'
    if (error.code === 'ENC_MISSING_CHECKSUM')
      return 'input string is smaller than the checksum size'
    if (error.code === 'ENC_BAD_CHECKSUM') return 'invalid input checksum'
    const bad = NO_BASE58.exec(text)?.[0]
    // The text is too long for any expected size. The node decodes it, in quadratic time, and finds a wrong checksum
    // unless by a chance of 1 in 2^32.
    if (bad === undefined) return 'invalid input checksum'
    if (bad > '\u007f') return 'base58 decoding error: High-bit set on invalid digit'
    return `base58 decoding error: Invalid base58 digit (${goQuoteChar(bad)})`
  }
  return bytes.length === size ? bytes : wrongLength(size, bytes.length)
}

/** Decodes bytes in one of the hex encodings; throws the node's error text (`utils/formatting/encoding.go`). */
export function decodeBytes(text: string, encoding: Encoding): Uint8Array {
  if (text === '') return new Uint8Array(0)
  if (encoding === 'json') throw new MethodError('unsupported encoding in method')
  if (!text.startsWith('0x')) throw new MethodError('missing 0x prefix to hex encoding')
  const bytes = readHex(text)
  if (encoding === 'hexnc') return bytes
  const size = bytes.length - CHECKSUM_SIZE
  if (size < 0) throw new MethodError('input string is smaller than the checksum size')
  const payload = bytes.subarray(0, size)
  const found = new DataView(bytes.buffer, bytes.byteOffset).getUint32(size)
  if (found !== checksum(payload)) throw new MethodError('invalid input checksum')
  return payload
}

function readHex(text: string): Uint8Array {
  try {
    return hex.decode(text)
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    const bad = NO_HEX.exec(text.slice(2))?.[0]
    if (bad === undefined) throw new MethodError('encoding/hex: odd length hex string')
    throw new MethodError(`encoding/hex: invalid byte: ${goCodePoint(bad)}`)
  }
}

function wrongLength(expected: number, found: number): string {
  return `invalid hash length: expected ${expected} bytes but got ${found}`
}

/** Returns the transaction ID of a call, which must not be zero. */
export function givenTxID(params: RequestParams): Uint8Array {
  const id = params.id('txID')
  if (id.every((byte) => byte === 0)) throw new MethodError('nil transaction ID')
  return id
}
