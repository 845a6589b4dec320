import { bytesOf, type Check, invalid, kinds, list, located, memberOf } from '../argument.ts'
import { copyBytes } from '../bytes/copy.ts'
import { isScalar } from '../bytes/scalar.ts'
import { ArgumentError } from '../errors.ts'
import { privateKeyHint } from '../hints.ts'
import { isBytes, requireBytes, requireText } from '../require.ts'
import { ADDRESS_SIZE } from './address.ts'
import { cb58 } from './cb58.ts'

/** Size in bytes of a transaction, asset, block or chain ID. */
export const ID_SIZE = 32

/** The ID of which all bytes are 0: a placeholder where the real one is not known or not used. */
export const ZERO_ID: Uint8Array = /* @__PURE__ */ new Uint8Array(ID_SIZE)

/** Size in bytes of a private key. */
const PRIVATE_KEY_SIZE = 32

const NODE_ID_PREFIX = 'NodeID-'
const PRIVATE_KEY_PREFIX = 'PrivateKey-'

/**
 * Parses the cb58 text of a 32-byte ID.
 *
 * @throws ArgumentError
 */
export function parseID(text: string): Uint8Array {
  return requireBytes(cb58.decode(text), 'ID', ID_SIZE)
}

/**
 * Formats a 32-byte ID as cb58.
 *
 * @throws ArgumentError `ENC_INVALID`, `ENC_WRONG_LENGTH`
 */
export function formatID(id: Uint8Array): string {
  return cb58.encode(requireBytes(id, 'ID', ID_SIZE))
}

/**
 * Parses `NodeID-…`, 20 bytes.
 *
 * @throws ArgumentError
 */
export function parseNodeID(text: string): Uint8Array {
  requireText(text, 'node ID')
  if (!text.startsWith(NODE_ID_PREFIX)) throw missingPrefix('node ID', NODE_ID_PREFIX)
  return requireBytes(cb58.decode(text.slice(NODE_ID_PREFIX.length)), 'node ID', ADDRESS_SIZE)
}

/**
 * Formats a 20-byte node ID as `NodeID-…`.
 *
 * @throws ArgumentError `ENC_INVALID`, `ENC_WRONG_LENGTH`
 */
export function formatNodeID(nodeID: Uint8Array): string {
  return NODE_ID_PREFIX + cb58.encode(requireBytes(nodeID, 'node ID', ADDRESS_SIZE))
}

/**
 * Parses `PrivateKey-…`, 32 bytes. Unlike the node, rejects 0 and values not below the group order, which are not
 * valid keys. The error message never contains part of the text.
 *
 * @throws ArgumentError
 */
export function parsePrivateKey(text: string): Uint8Array {
  requireText(text, 'private key')
  if (!text.startsWith(PRIVATE_KEY_PREFIX)) throw missingPrefix('private key', PRIVATE_KEY_PREFIX)
  let key: Uint8Array
  try {
    key = cb58.decode(text.slice(PRIVATE_KEY_PREFIX.length))
  } catch (error) {
    // The cause is omitted: its message contains a character, or the checksum, of the secret.
    const code = error instanceof ArgumentError ? error.code : 'ENC_BAD_BASE58'
    throw new ArgumentError(code, `invalid cb58 or checksum after ${PRIVATE_KEY_PREFIX}`, {
      hint: privateKeyHint(code),
    })
  }
  return checkPrivateKey(key)
}

/**
 * Formats a private key as `PrivateKey-…`. The result is as secret as the key.
 *
 * @throws ArgumentError `ENC_INVALID`, `ENC_WRONG_LENGTH`, `ENC_KEY_RANGE`
 */
export function formatPrivateKey(key: Uint8Array): string {
  return PRIVATE_KEY_PREFIX + cb58.encode(checkPrivateKey(key))
}

/** Returns `key` if it is a valid private key: 32 bytes, above 0 and below the group order. */
function checkPrivateKey(key: Uint8Array): Uint8Array {
  requireBytes(key, 'private key', PRIVATE_KEY_SIZE)
  if (!isScalar(key))
    throw new ArgumentError(
      'ENC_KEY_RANGE',
      'private key out of range: must be above 0 and below the group order',
    )
  return key
}

/**
 * Reference to an output: the transaction that created it and its position there. Text form: `<txID>:<outputIndex>`.
 */
export type UTXOID = {
  readonly txID: Uint8Array
  readonly outputIndex: number
}

const idBytes: Check<Uint8Array> = bytesOf(ID_SIZE)

/** Describes an ID as bytes or text; the copy is bytes. */
export const id: Check<Uint8Array> = kinds<Uint8Array>({
  string: (value, at) => located(at, () => parseID(value as string)),
  bytes: idBytes,
})

/** Describes a reference to an output. Other members are allowed, because UTXOs and inputs are references, too. */
export const utxoReference: Check<UTXOID> = (value, at) => {
  if (typeof value !== 'object' || value === null) throw invalid(value, at, 'a UTXO or its ID')
  const { txID, outputIndex } = value as UTXOID
  // The usual case, without paths: lists may have many thousands.
  if (isBytes(txID) && txID.length === ID_SIZE && isIndex(outputIndex))
    return { txID: copyBytes(txID), outputIndex }
  return {
    txID: idBytes(txID, memberOf(at, 'txID')),
    outputIndex: located(memberOf(at, 'outputIndex'), () => requireIndex(outputIndex)),
  }
}

/** Describes a list of references to outputs. */
export const utxoIDs: Check<readonly UTXOID[]> = list(utxoReference)

/**
 * Parses a reference to an output, `<txID>:<outputIndex>`.
 *
 * @throws ArgumentError
 */
export function parseUTXOID(text: string): UTXOID {
  requireText(text, 'UTXO reference')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes(':', colon + 1))
    throw new ArgumentError(
      'ENC_MISSING_PREFIX',
      'invalid UTXO reference: expected <txID>:<outputIndex>',
    )
  const txID = parseID(text.slice(0, colon))
  const digits = text.slice(colon + 1)
  // The number of digits is limited, so long texts are rejected before the conversion.
  const outputIndex = /^0*[0-9]{1,10}$/.test(digits) ? Number(digits) : Number.NaN
  return { txID, outputIndex: requireIndex(outputIndex) }
}

/**
 * Formats a reference to an output as `<txID>:<outputIndex>`.
 *
 * @throws ArgumentError `ENC_INVALID`, `ENC_WRONG_LENGTH`, `ENC_BAD_INDEX`
 */
export function formatUTXOID(reference: UTXOID): string {
  const { txID, outputIndex } = reference ?? {}
  return `${formatID(txID)}:${requireIndex(outputIndex)}`
}

/** Returns `index`. Rejects values that are not an integer from 0 to 2^32 − 1. */
export function requireIndex(index: number): number {
  if (!isIndex(index))
    throw new ArgumentError(
      'ENC_BAD_INDEX',
      `output index must be an integer from 0 to 4294967295, is ${index}`,
    )
  return index
}

/** Bitwise operators throw for bigints that are mixed with numbers. */
function isIndex(index: number): boolean {
  return typeof index === 'number' && index >>> 0 === index
}

function missingPrefix(what: string, prefix: string): ArgumentError {
  return new ArgumentError('ENC_MISSING_PREFIX', `${what} must start with ${prefix}`)
}
