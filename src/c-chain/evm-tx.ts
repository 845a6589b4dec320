import { keccak_256 } from '@noble/hashes/sha3.js'
import { concat } from '../bytes/concat.ts'
import type { Secp256k1Backend } from '../crypto/backend.ts'
import { hex } from '../encoding/hex.ts'
import { CodecError } from '../errors.ts'
import { evmAddressBytes } from './evm-address.ts'

/** Who signed an ordinary transaction of the EVM, and for what. */
export type EVMTxFacts = {
  /** Keccak-256 of the bytes. */
  readonly hash: Uint8Array
  /** EIP-155. A legacy transaction without it, which is valid on any chain, has 0n. */
  readonly chainID: bigint
  readonly nonce: bigint
  /** The account that signed, 20 bytes. */
  readonly sender: Uint8Array
}

/** The highest type of transaction (EIP-2718) that ends with a signature: EIP-7702. */
const MAX_TYPE = 4

/**
 * Reads a signed transaction of the EVM and recovers its sender.
 *
 * @throws CodecError for bytes that are not such a transaction, CryptoError for an invalid signature
 */
export function readEVMTx(bytes: Uint8Array, backend: Secp256k1Backend): EVMTxFacts {
  // A legacy transaction is a list; others begin with their type.
  const isLegacy = bytes[0]! >= LIST
  if (!isLegacy && !(bytes[0]! >= 1 && bytes[0]! <= MAX_TYPE))
    throw new CodecError('CODEC_WRONG_TYPE', 'unknown type of EVM transaction', 0)
  const fields = listItems(bytes, isLegacy ? 0 : 1)
  const [v, r, s] = fields.slice(-3).map(numberIn) as [bigint, bigint, bigint]
  const unsigned = fields.slice(0, -3).map(({ encoded }) => encoded)
  // EIP-155: v is 35 + 2 · chain ID + parity; before, it was 27 + parity.
  const isProtected = !isLegacy || v >= 35n
  const chainID = !isLegacy ? numberIn(fields[0]!) : isProtected ? (v - 35n) / 2n : 0n
  const parity = !isLegacy ? v : (v - (isProtected ? 35n : 27n)) % 2n
  if (isLegacy && isProtected) unsigned.push(encodeNumber(chainID), EMPTY, EMPTY)
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

/** First bytes of RLP items: a byte below TEXT is its own item. Up to 55 bytes, the length is added to the first. */
const TEXT = 0x80
const LIST = 0xc0
const MAX_SHORT = 55

/** The empty text, which is also 0. */
const EMPTY: Uint8Array = /* @__PURE__ */ new Uint8Array([TEXT])

type Item = { readonly encoded: Uint8Array; readonly content: Uint8Array }

/** The items of a list that takes all bytes from an offset on. */
function listItems(bytes: Uint8Array, offset: number): Item[] {
  const list = itemAt(bytes, offset)
  if (bytes[offset]! < LIST || offset + list.encoded.length !== bytes.length)
    throw new CodecError('CODEC_TRAILING_BYTES', 'expected one list', offset)
  const items: Item[] = []
  for (let at = 0; at < list.content.length; at += items.at(-1)!.encoded.length)
    items.push(itemAt(list.content, at))
  if (items.length < 5) throw new CodecError('CODEC_SHORT_BUFFER', 'too few fields', offset)
  return items
}

function itemAt(bytes: Uint8Array, at: number): Item {
  const first = bytes[at] ?? 0
  const base = first < LIST ? TEXT : LIST
  if (first < TEXT) return { encoded: bytes.slice(at, at + 1), content: bytes.slice(at, at + 1) }
  const sizeBytes = Math.max(0, first - base - MAX_SHORT)
  const start = at + 1 + sizeBytes
  const size = sizeBytes === 0 ? first - base : Number(toNumber(bytes.subarray(at + 1, start)))
  const end = start + size
  if (end > bytes.length) throw new CodecError('CODEC_SHORT_BUFFER', 'item exceeds the bytes', at)
  return { encoded: bytes.slice(at, end), content: bytes.slice(start, end) }
}

function encodeList(items: readonly Uint8Array[]): Uint8Array {
  const content = concat(items)
  const { length } = content
  if (length <= MAX_SHORT) return concat([new Uint8Array([LIST + length]), content])
  const size = bytesOf(BigInt(length))
  return concat([new Uint8Array([LIST + MAX_SHORT + size.length]), size, content])
}

function encodeNumber(value: bigint): Uint8Array {
  const bytes = bytesOf(value)
  if (value > 0n && value < BigInt(TEXT)) return bytes
  return concat([new Uint8Array([TEXT + bytes.length]), bytes])
}

/** Without leading zeros. */
function bytesOf(value: bigint): Uint8Array {
  const digits = value === 0n ? '' : value.toString(16)
  return hex.decode(digits.length % 2 === 0 ? digits : `0${digits}`)
}

function numberIn({ content }: Item): bigint {
  return toNumber(content)
}

function toNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${hex.encode(bytes)}`)
}

/** 32 bytes. */
function toWord(value: bigint): Uint8Array {
  return hex.decode(value.toString(16).padStart(64, '0'))
}
