import { isPlain } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError, CodecError } from '../../core/base/errors.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { type CredentialSlot, credentialSlot } from '../../core/chain/x/fx.ts'
import { decode, MAX_SIZE, VERSION_SIZE } from '../../core/codec/codec.ts'
import type { Codec } from '../../core/codec/io.ts'
import type { AnyTx, AnyUTXO, Chain } from '../../core/sign/chain.ts'
import { CoreError, type CoreErrorCode } from './errors.ts'

// The formats of the methods `avalanche_…`, as read in ava-labs/core-vm-modules and core-extension, November 2026.

/** Parameters of `avalanche_signTransaction` and `avalanche_sendTransaction`. */
export type TxParams = {
  /** The unsigned transaction in hex, or one with some signatures. */
  readonly transactionHex: string
  readonly chainAlias: ChainAlias
  /** Positions of the addresses that sign, among those for receiving and those for change. */
  readonly externalIndices?: readonly number[] | undefined
  readonly internalIndices?: readonly number[] | undefined
  /** UTXOs in hex, without the version of the codec. */
  readonly utxos: readonly string[]
}

/** Distinct signatures that a transaction may have here. Recovering the key of one takes about 4 ms. */
const MAX_SIGNATURES = 256

/** A UTXO as Core reads it: without the version of the codec, which the node's encoding begins with. */
export function formatUTXO(encoded: Uint8Array): string {
  return `0x${hex.encode(encoded.subarray(VERSION_SIZE))}`
}

/** Reads a UTXO in hex, with or without the version of the codec. */
export function parseUTXO(chain: Chain, text: string): AnyUTXO {
  const bytes = bytesOfHex(text, 'CORE_PARAMS', 'utxos')
  const versioned = new Uint8Array(VERSION_SIZE + bytes.length)
  versioned.set(bytes, VERSION_SIZE)
  try {
    return chain.decodeUTXO(versioned)
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause
  }
  return read('CORE_PARAMS', 'utxos has an entry that is not a UTXO', () => chain.decodeUTXO(bytes))
}

/** A transaction that may have signatures. */
export type GivenTx = {
  readonly unsignedTx: AnyTx
  readonly unsignedBytes: Uint8Array
  /** Distinct signatures; zero bytes stand for missing ones. */
  readonly signatures: readonly Uint8Array[]
}

/** Reads the transaction of a request: unsigned, or with some signatures; hex with or without prefix and checksum. */
export function parseGivenTx(chain: Chain, text: string): GivenTx {
  const bytes = txBytesOf(text, 'CORE_PARAMS', 'transactionHex')
  const size = read('CORE_PARAMS', 'transactionHex is not a transaction of the chain', () =>
    unsignedSize(chain, bytes),
  )
  const unsignedBytes = bytes.slice(0, size)
  return {
    unsignedTx: chain.decodeUnsignedTx(unsignedBytes),
    unsignedBytes,
    signatures: size === bytes.length ? [] : signaturesAfter(bytes, size, 'CORE_PARAMS'),
  }
}

function unsignedSize(chain: Chain, bytes: Uint8Array): number {
  try {
    chain.decodeUnsignedTx(bytes)
    return bytes.length
  } catch (cause) {
    // What follows the unsigned transaction are the credentials, which are decoded strictly.
    if (cause instanceof CodecError && cause.code === 'CODEC_TRAILING_BYTES') return cause.offset
    throw cause
  }
}

/**
 * The signatures in a reply of `avalanche_signTransaction`. Wallets reply with the signed transaction in hex, with an
 * object that has it as `signedTransactionHex`, or with that object as JSON.
 *
 * @throws CoreError `CORE_REPLY`
 */
export function signaturesOfReply(reply: unknown, unsignedBytes: Uint8Array): Uint8Array[] {
  const bytes = txBytesOf(signedTextOf(reply), 'CORE_REPLY', 'the signed transaction')
  return signaturesOf(bytes, unsignedBytes)
}

/**
 * The distinct signatures of a signed transaction, which must be the unsigned one and its credentials.
 *
 * @throws CoreError `CORE_REPLY`
 */
export function signaturesOf(bytes: Uint8Array, unsignedBytes: Uint8Array): Uint8Array[] {
  if (!equalBytes(bytes.subarray(0, unsignedBytes.length), unsignedBytes))
    throw new CoreError('CORE_REPLY', 'the wallet has signed another transaction', {
      hint: 'do not issue it: the wallet or a program between changed it',
    })
  return signaturesAfter(bytes, unsignedBytes.length, 'CORE_REPLY')
}

function signedTextOf(reply: unknown): unknown {
  // Core for mobile devices replies with JSON, older versions with "0x" before it.
  const text = typeof reply === 'string' ? reply.replace(/^0x(?=\{)/, '') : ''
  if (text.startsWith('{'))
    return read('CORE_REPLY', 'the reply is not JSON', () => signedTextOf(JSON.parse(text)))
  if (typeof reply !== 'object' || reply === null) return reply
  const { signedTransactionHex, signedTxHex } = reply as { readonly [name: string]: unknown }
  return signedTransactionHex ?? signedTxHex
}

const credentials: Codec<readonly CredentialSlot[]> = (io, v) => io.list(v, credentialSlot)

function signaturesAfter(bytes: Uint8Array, size: number, code: CoreErrorCode): Uint8Array[] {
  // The bytes before are replaced by the version of the codec.
  const tail = new Uint8Array(VERSION_SIZE + bytes.length - size)
  tail.set(bytes.subarray(size), VERSION_SIZE)
  const list = read(code, 'invalid credentials', () => decode(credentials, tail))
  const distinct = new Map<string, Uint8Array>()
  for (const credential of list)
    if ('signatures' in credential)
      for (const signature of credential.signatures)
        if (signature.some((byte) => byte !== 0)) distinct.set(hex.encode(signature), signature)
  if (distinct.size > MAX_SIGNATURES)
    throw new CoreError(code, `more than ${MAX_SIGNATURES} different signatures`)
  return [...distinct.values()]
}

/** Bytes of a transaction in hex. Signed ones usually have a checksum, unsigned ones do not. */
function txBytesOf(value: unknown, code: CoreErrorCode, what: string): Uint8Array {
  const bytes = bytesOfHex(value, code, what)
  try {
    return checkedHex.decode(`0x${hex.encode(bytes)}`)
  } catch {
    return bytes
  }
}

/** @throws CoreError with the given code */
export function bytesOfHex(value: unknown, code: CoreErrorCode, what: string): Uint8Array {
  if (typeof value !== 'string') throw new CoreError(code, `${what} is not hex`)
  if (value.length > 2 * MAX_SIZE + 10) throw new CoreError(code, `${what} is too large`)
  return read(code, `${what} is not hex`, () => hex.decode(value))
}

/** Runs a function that reads what others wrote. */
export function read<T>(code: CoreErrorCode, message: string, run: () => T): T {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof CoreError) throw cause
    if (cause instanceof AvmError || cause instanceof SyntaxError)
      throw new CoreError(code, `${message}: ${cause.message}`, { cause })
    throw cause
  }
}

/** The members of parameters, none of which has been checked. Unknown ones are ignored, as Core does. */
export function membersOf(params: unknown): { readonly [name: string]: unknown } {
  if (isPlain(params)) return { ...params } as { readonly [name: string]: unknown }
  throw new CoreError('CORE_PARAMS', 'params is not an object')
}
