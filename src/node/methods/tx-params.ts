import { bytesOf, type Check, kinds, object, optional } from '../../core/base/argument.ts'
import { id } from '../../core/base/encoding/ids.ts'
import { isBytes } from '../../core/base/require.ts'
import { bytesMember, encodedText, expectID, type HexEncoding, hexEncoding } from './encoded.ts'
import type { Params } from './method.ts'
import { type ID, idBytes, nameText } from './params.ts'
import type { Reply } from './reply.ts'

/**
 * Parameters of a method that returns a transaction.
 *
 * @inline
 */
export type TxParams = { readonly txID: ID; readonly encoding?: HexEncoding | undefined }

/** Describes `TxParams`. */
export const txParams: Check<TxParams> = object<TxParams>({
  txID: id,
  encoding: optional(hexEncoding),
})

/**
 * Parameters of a method about a transaction.
 *
 * @inline
 */
export type TxIDParams = { readonly txID: ID }

/** Describes `TxIDParams`. */
export const txIDParams: Check<TxIDParams> = object<TxIDParams>({ txID: id })

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

/** A signed transaction, which the codec checks, or its bytes. The copy is bytes. */
export function txBytesOf<Tx>(encodeTx: (tx: Tx) => Uint8Array): Check<Uint8Array> {
  return kinds<Uint8Array>({ object: (value) => encodeTx(value as Tx), bytes: bytesOf() })
}

/** Describes `IssueParams`. */
export function issueParams<Tx>(encodeTx: (tx: Tx) => Uint8Array): Check<IssueParams<Tx>> {
  return object<IssueParams<Tx>>({ tx: txBytesOf(encodeTx), encoding: optional(hexEncoding) })
}

/** Formats the parameters of a method that returns a transaction. */
export function txRequest({ txID, encoding = 'hex' }: TxParams): Params {
  return { txID: nameText(txID), encoding }
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
export function issueRequest<Tx>(
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
