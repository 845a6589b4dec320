import { hex } from '../../core/base/encoding/hex.ts'
import { type GoValue, membersOf } from '../go/json.ts'

/** An error of the Ethereum API with its code. */
export class EthError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** A block that a call names: by number, by hash, or by a tag. */
export type BlockName = bigint | Uint8Array | 'latest' | 'pending' | undefined

/** Reads one argument. Throws a text as the node's decoder does. */
export type ArgumentReader<T> = (value: GoValue) => T

/** The node's names of blocks: only `pending` and `earliest` differ from the last accepted block. */
const TAGS: { readonly [tag: string]: BlockName } = {
  earliest: 0n,
  latest: 'latest',
  pending: 'pending',
  safe: 'latest',
  finalized: 'latest',
  accepted: 'latest',
}

const MAX_I64 = 2n ** 63n - 1n

/** The error of a decoder; the text of an argument error follows it. */
class DecodeError extends Error {}

/** An error of the text itself, which Go wraps with the type that was expected. */
class HexError extends DecodeError {}

/**
 * Reads positional arguments as the node does (`rpc/json.go`): `params` may be absent or `null`, additional arguments
 * are refused, and missing ones too.
 *
 * @throws EthError −32602
 */
export function readArguments<T extends readonly unknown[]>(
  params: GoValue | undefined,
  readers: { readonly [i in keyof T]: ArgumentReader<T[i]> },
): T {
  if (params !== undefined && params.kind !== 'null' && params.kind !== 'array')
    throw invalid('non-array args')
  const values: unknown[] = (params?.items ?? []).map((value, i) => {
    const read = readers[i]
    if (read === undefined) throw invalid(`too many arguments, want at most ${readers.length}`)
    try {
      return read(value)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      throw invalid(`invalid argument ${i}: ${error.message}`)
    }
  })
  if (values.length < readers.length)
    throw invalid(`missing value for required argument ${values.length}`)
  return values as unknown as T
}

function invalid(message: string): EthError {
  return new EthError(-32602, message)
}

/** An address; upper and lower case are accepted without checking the checksum. */
export const addressArgument: ArgumentReader<Uint8Array> = (value) =>
  fixedBytes(value, 20, 'common.Address')

/** The hash of a block. */
export const hashArgument: ArgumentReader<Uint8Array> = (value) =>
  fixedBytes(value, 32, 'common.Hash')

/** Bytes of any length. */
export const bytesArgument: ArgumentReader<Uint8Array> = (value) =>
  quotedBytes(value, 'hexutil.Bytes', (text) => decodeDigits(hexDigits(text)))

/** The ID of a subscription. */
export const subscriptionArgument: ArgumentReader<string> = ({ kind, text }) => {
  if (kind === 'null') return ''
  if (kind !== 'string')
    throw new DecodeError(`json: cannot unmarshal ${kind} into Go value of type rpc.ID`)
  return text
}

/** A boolean; `null` counts as false. */
export const booleanArgument: ArgumentReader<boolean> = ({ kind, raw }) => {
  if (kind === 'null') return false
  if (kind !== 'bool')
    throw new DecodeError(`json: cannot unmarshal ${kind} into Go value of type bool`)
  return raw === 'true'
}

/** A block by number or tag. */
export const blockArgument: ArgumentReader<BlockName> = ({ raw }) => {
  const text = /^".*"$/s.test(raw) ? raw.slice(1, -1) : raw
  if (Object.hasOwn(TAGS, text)) return TAGS[text]
  return blockNumber(text, 'block number larger than int64')
}

/** A block by number, tag or hash, or an object with a number or a hash. */
export const blockOrHashArgument: ArgumentReader<BlockName> = (value) => {
  const { kind, text } = value
  // An object of which nothing is known, and null, name no block: the method refuses them.
  if (kind === 'null') return undefined
  if (kind === 'object') return blockInObject(value)
  if (kind !== 'string')
    throw new DecodeError(`json: cannot unmarshal ${kind} into Go value of type string`)
  if (Object.hasOwn(TAGS, text)) return TAGS[text]
  return text.length === 66
    ? bytesOfText(text, 32, 'Hash')
    : blockNumber(text, 'blocknumber too high')
}

function blockInObject(value: GoValue): BlockName {
  const number = membersOf(value, 'blockNumber').at(-1)
  const hash = membersOf(value, 'blockHash').at(-1)
  const canonical = membersOf(value, 'requireCanonical')
  const isGiven = (member: GoValue | undefined): member is GoValue =>
    member !== undefined && member.kind !== 'null'
  let named: { readonly number: BlockName; readonly hash: BlockName }
  try {
    for (const flag of canonical) booleanArgument(flag)
    named = {
      number: isGiven(number) ? blockArgument(number) : undefined,
      hash: isGiven(hash) ? hashArgument(hash) : undefined,
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    // The node then reads the argument as a string.
    throw new DecodeError('json: cannot unmarshal object into Go value of type string')
  }
  if (named.number !== undefined && named.hash !== undefined)
    throw new DecodeError('cannot specify both BlockHash and BlockNumber, choose one or the other')
  return named.number ?? named.hash
}

function blockNumber(text: string, tooLarge: string): bigint {
  if (text === '') throw new HexError('empty hex string')
  if (!/^0x/i.test(text)) throw new HexError('hex string without 0x prefix')
  const digits = text.slice(2)
  if (digits === '') throw new HexError('hex string "0x"')
  if (/^0./s.test(digits)) throw new HexError('hex number with leading zero digits')
  if (!/^[0-9a-f]+$/i.test(digits)) throw new HexError('invalid hex string')
  if (digits.length > 16) throw new HexError('hex number > 64 bits')
  const number = BigInt(`0x${digits}`)
  if (number > MAX_I64) throw new DecodeError(tooLarge)
  return number
}

function fixedBytes(value: GoValue, size: number, type: string): Uint8Array {
  return quotedBytes(value, type, (text) => bytesOfText(text, size, type))
}

function quotedBytes(
  { kind, raw }: GoValue,
  type: string,
  read: (text: string) => Uint8Array,
): Uint8Array {
  const wanted = `Go value of type ${type}`
  if (kind !== 'string') throw new DecodeError(`json: cannot unmarshal non-string into ${wanted}`)
  try {
    return read(raw.slice(1, -1))
  } catch (error) {
    if (!(error instanceof HexError)) throw error
    throw new DecodeError(`json: cannot unmarshal ${error.message} into ${wanted}`)
  }
}

function bytesOfText(text: string, size: number, type: string): Uint8Array {
  const digits = hexDigits(text)
  if (digits.length !== size * 2)
    throw new DecodeError(`hex string has length ${digits.length}, want ${size * 2} for ${type}`)
  return decodeDigits(digits)
}

/** The digits of a text of whole bytes; an empty text counts as `0x`. */
function hexDigits(text: string): string {
  const digits = text.slice(2)
  if (text !== '' && !/^0x/i.test(text)) throw new HexError('hex string without 0x prefix')
  if (digits.length % 2 !== 0) throw new HexError('hex string of odd length')
  return digits
}

function decodeDigits(digits: string): Uint8Array {
  if (!/^[0-9a-f]*$/i.test(digits)) throw new HexError('invalid hex string')
  return hex.decode(digits.toLowerCase())
}
