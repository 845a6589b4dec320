import { isBytes } from '../../core/base/require.ts'
import { bytesMember, encodedText, expectID, type HexEncoding } from './encoded.ts'
import type { Params } from './method.ts'
import { type ID, idBytes, idText } from './params.ts'
import type { Reply } from './reply.ts'

/**
 * Parameters of a method that returns a transaction.
 *
 * @inline
 */
export type TxParams = { readonly txID: ID; readonly encoding?: HexEncoding | undefined }

/**
 * Parameters of a method that issues a transaction, or its bytes.
 *
 * @inline
 */
export type IssueParams<Tx> = {
  readonly tx: Tx | Uint8Array
  /**
   * `hexnc` has no checksum.
   *
   * @defaultValue `hex`
   */
  readonly encoding?: HexEncoding | undefined
}

/** Formats the parameters of a method that returns a transaction. */
export function txParams({ txID, encoding = 'hex' }: TxParams): Params {
  return { txID: idText(txID), encoding }
}

/** Reads the bytes of a transaction and checks that they have the requested ID. */
export function txBytes(
  r: Reply,
  { txID, encoding }: TxParams,
  idOf: (bytes: Uint8Array) => Uint8Array,
): Uint8Array {
  const bytes = bytesMember(r, 'tx', encoding)
  expectID(r, 'tx', idBytes(txID), idOf(bytes))
  return bytes
}

/** Formats the parameters of a method that issues a transaction. */
export function issueParams<Tx>(
  { tx, encoding = 'hex' }: IssueParams<Tx>,
  encodeTx: (tx: Tx) => Uint8Array,
): Params {
  const bytes = isBytes(tx) ? tx : encodeTx(tx)
  return { tx: encodedText(bytes, encoding), encoding }
}

/** Reads the ID of an issued transaction and checks that it is the expected one. */
export function issuedID(r: Reply, expected: Uint8Array): Uint8Array {
  const found = r.id('txID')
  expectID(r, 'txID', expected, found)
  return found
}
