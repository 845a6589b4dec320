import { isScalar } from '../bytes/scalar.ts'
import { EncodingError } from '../errors.ts'
import { ADDRESS_SIZE } from './address.ts'
import { cb58 } from './cb58.ts'

/** Bytes of a transaction, asset, block or chain ID. */
export const ID_SIZE = 32

/** Bytes of a private key. */
const PRIVATE_KEY_SIZE = 32

const NODE_ID_PREFIX = 'NodeID-'
const PRIVATE_KEY_PREFIX = 'PrivateKey-'

/** Reads the cb58 text of a 32-byte ID. */
export function parseID(text: string): Uint8Array {
  return withSize('an ID', cb58.decode(text), ID_SIZE)
}

/** Writes a 32-byte ID as cb58. */
export function formatID(id: Uint8Array): string {
  return cb58.encode(withSize('an ID', id, ID_SIZE))
}

/** Reads `NodeID-…`, 20 bytes. */
export function parseNodeID(text: string): Uint8Array {
  if (!text.startsWith(NODE_ID_PREFIX)) throw missingPrefix(NODE_ID_PREFIX)
  return withSize('a node ID', cb58.decode(text.slice(NODE_ID_PREFIX.length)), ADDRESS_SIZE)
}

/** Writes a 20-byte node ID as `NodeID-…`. */
export function formatNodeID(nodeID: Uint8Array): string {
  return NODE_ID_PREFIX + cb58.encode(withSize('a node ID', nodeID, ADDRESS_SIZE))
}

/**
 * Reads `PrivateKey-…`, 32 bytes. Unlike the node it refuses 0 and anything from the group order on,
 * which no key is. The error never repeats the text.
 */
export function parsePrivateKey(text: string): Uint8Array {
  if (!text.startsWith(PRIVATE_KEY_PREFIX)) throw missingPrefix(PRIVATE_KEY_PREFIX)
  let key: Uint8Array
  try {
    key = cb58.decode(text.slice(PRIVATE_KEY_PREFIX.length))
  } catch (error) {
    // Without the cause: its message quotes a letter, or the checksum, of the secret.
    const code = error instanceof EncodingError ? error.code : 'ENC_BAD_BASE58'
    throw new EncodingError(
      code,
      `expected cb58 with a right checksum behind ${PRIVATE_KEY_PREFIX}`,
    )
  }
  return checkPrivateKey(key)
}

/** Writes a private key as `PrivateKey-…`. The result is as secret as the key. */
export function formatPrivateKey(key: Uint8Array): string {
  return PRIVATE_KEY_PREFIX + cb58.encode(checkPrivateKey(key))
}

/** Returns `key` if it is a private key: 32 bytes, above 0, below the group order. */
function checkPrivateKey(key: Uint8Array): Uint8Array {
  withSize('a private key', key, PRIVATE_KEY_SIZE)
  if (!isScalar(key))
    throw new EncodingError(
      'ENC_KEY_RANGE',
      'expected a private key above 0 and below the order of the curve, found one outside',
    )
  return key
}

/** Where an output stands: the name `<txID>:<outputIndex>` taken apart. */
export type OutputReference = { readonly txID: Uint8Array; readonly outputIndex: number }

/** Reads a UTXO's name, `<txID>:<outputIndex>`. */
export function parseUTXOName(text: string): OutputReference {
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes(':', colon + 1))
    throw new EncodingError('ENC_MISSING_PREFIX', 'expected <txID>:<outputIndex> with one colon')
  const txID = parseID(text.slice(0, colon))
  const digits = text.slice(colon + 1)
  // No more digits than needed, so that a long text is refused before it becomes a number.
  const outputIndex = /^0*[0-9]{1,10}$/.test(digits) ? Number(digits) : Number.NaN
  if (!(outputIndex <= 0xffffffff))
    throw new EncodingError(
      'ENC_BAD_INDEX',
      'expected an output index of decimal digits up to 4294967295 behind the colon',
    )
  return { txID, outputIndex }
}

/** Writes a UTXO's name, `<txID>:<outputIndex>`. */
export function formatUTXOName(reference: OutputReference): string {
  return `${formatID(reference.txID)}:${reference.outputIndex}`
}

function withSize(what: string, bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length !== size)
    throw new EncodingError(
      'ENC_WRONG_LENGTH',
      `expected ${what} of ${size} bytes, found ${bytes.length}`,
    )
  return bytes
}

function missingPrefix(prefix: string): EncodingError {
  return new EncodingError('ENC_MISSING_PREFIX', `expected text that starts with ${prefix}`)
}
