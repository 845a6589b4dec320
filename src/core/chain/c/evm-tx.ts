import { keccak_256 } from '@noble/hashes/sha3.js'
import { equalBytes } from '../../base/bytes/compare.ts'
import { concat } from '../../base/bytes/concat.ts'
import { hex } from '../../base/encoding/hex.ts'
import { CodecError } from '../../base/errors.ts'
import type { Secp256k1Backend } from '../../crypto/backend.ts'
import { evmAddressBytes } from './evm-address.ts'
import { EMPTY_STRING, encodeList, encodeNumber, LIST, MAX_SHORT, STRING } from './rlp.ts'

/** Who signed an ordinary transaction of the EVM, and for what. */
export type EVMTxDetails = {
  /** Keccak-256 of the bytes. */
  readonly hash: Uint8Array
  /** EIP-155. A legacy transaction without it, which is valid on any chain, has 0n. */
  readonly chainID: bigint
  readonly nonce: bigint
  /** The account that signed, 20 bytes. */
  readonly sender: Uint8Array
}

/**
 * Number of fields by type of transaction (EIP-2718), the last three of which are the signature: legacy, EIP-2930,
 * EIP-1559, EIP-4844, EIP-7702.
 */
const FIELD_COUNTS = [9, 11, 12, 14, 13] as const

/**
 * Reads a signed transaction of the EVM and recovers its sender.
 *
 * @throws CodecError for bytes that are not such a transaction, CryptoError for an invalid signature
 */
export function readEVMTx(bytes: Uint8Array, backend: Secp256k1Backend): EVMTxDetails {
  // A legacy transaction is a list; others begin with their type.
  const isLegacy = bytes[0]! >= LIST
  const count = isLegacy ? FIELD_COUNTS[0] : bytes[0] === 0 ? undefined : FIELD_COUNTS[bytes[0]!]
  if (count === undefined)
    throw new CodecError('CODEC_WRONG_TYPE', 'unknown type of EVM transaction', 0)
  const fields = listItems(bytes, isLegacy ? 0 : 1, count)
  const [v, r, s] = fields.slice(-3).map(numberIn) as [bigint, bigint, bigint]
  const unsigned = fields.slice(0, -3).map(({ encoded }) => encoded)
  // Signatures do not cover themselves: written in another way, they would give another hash of the transaction.
  const canonical = encodeList([...unsigned, ...[v, r, s].map(encodeNumber)])
  if (!equalBytes(canonical, bytes.subarray(isLegacy ? 0 : 1)))
    throw new CodecError('CODEC_BAD_VALUE', 'the signature is not encoded canonically', 0)
  // EIP-155: v is 35 + 2 · chain ID + parity; before, it was 27 + parity.
  const isProtected = !isLegacy || v >= 35n
  const chainID = !isLegacy ? numberIn(fields[0]!) : isProtected ? (v - 35n) / 2n : 0n
  const parity = !isLegacy ? v : isProtected ? (v - 35n) % 2n : v - 27n
  if (parity !== 0n && parity !== 1n)
    throw new CodecError('CODEC_BAD_VALUE', 'the parity of a signature is 0 or 1', 0)
  if (isLegacy && isProtected) unsigned.push(encodeNumber(chainID), EMPTY_STRING, EMPTY_STRING)
  const payload = encodeList(unsigned)
  const signed = isLegacy ? payload : concat([bytes.subarray(0, 1), payload])
  const signature = concat([toWord(r), toWord(s), new Uint8Array([Number(parity)])])
  return {
    hash: keccak_256(bytes),
    chainID,
    nonce: numberIn(fields[isLegacy ? 0 : 1]!),
    sender: evmAddressBytes(backend.recover(keccak_256(signed), signature)),
  }
}

type RLPItem = { readonly encoded: Uint8Array; readonly content: Uint8Array }

/** The items of a list that takes all bytes from an offset on and has `count` items. */
function listItems(bytes: Uint8Array, offset: number, count: number): RLPItem[] {
  const list = itemAt(bytes, offset)
  if (bytes[offset]! < LIST || offset + list.encoded.length !== bytes.length)
    throw new CodecError('CODEC_TRAILING_BYTES', 'expected one RLP list', offset)
  const items: RLPItem[] = []
  const { content } = list
  for (let at = 0; at < content.length && items.length <= count; at += items.at(-1)!.encoded.length)
    items.push(itemAt(content, at))
  if (items.length !== count)
    throw new CodecError('CODEC_BAD_VALUE', `expected ${count} fields`, offset)
  return items
}

function itemAt(bytes: Uint8Array, at: number): RLPItem {
  const first = bytes[at] ?? 0
  const base = first < LIST ? STRING : LIST
  if (first < STRING) return { encoded: bytes.slice(at, at + 1), content: bytes.slice(at, at + 1) }
  const sizeBytes = Math.max(0, first - base - MAX_SHORT)
  const start = at + 1 + sizeBytes
  const size = sizeBytes === 0 ? first - base : Number(toNumber(bytes.subarray(at + 1, start)))
  const end = start + size
  if (end > bytes.length)
    throw new CodecError('CODEC_SHORT_BUFFER', 'RLP item exceeds the bytes', at)
  return { encoded: bytes.slice(at, end), content: bytes.slice(start, end) }
}

function numberIn({ content }: RLPItem): bigint {
  return toNumber(content)
}

function toNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${hex.encode(bytes)}`)
}

/** A number as 32 bytes, big-endian. */
function toWord(value: bigint): Uint8Array {
  return hex.decode(value.toString(16).padStart(64, '0'))
}
