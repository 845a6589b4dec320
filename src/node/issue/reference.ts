import { type Check, kinds } from '../../core/base/argument.ts'
import { ID_SIZE, id } from '../../core/base/encoding/ids.ts'
import { isBytes } from '../../core/base/require.ts'
import { txBytesOf } from '../methods/tx-params.ts'

/** How a chain encodes its transactions. */
export type TxFormat<Tx> = {
  readonly encodeTx: (tx: Tx) => Uint8Array
  readonly decodeTx: (bytes: Uint8Array) => Tx
  readonly txID: (bytes: Uint8Array) => Uint8Array
}

/** A transaction that can be issued. */
export type IssuedTx = { readonly txID: Uint8Array; readonly bytes: Uint8Array }

/** A transaction given by its bytes, or by its ID only. */
export type TxReference = { readonly txID: Uint8Array; readonly bytes?: Uint8Array | undefined }

/** A signed transaction or its bytes. Invalid ones are rejected locally, with a CodecError. */
export function issuedTx<Tx>({ encodeTx, decodeTx, txID }: TxFormat<Tx>): Check<IssuedTx> {
  const toBytes = txBytesOf(encodeTx)
  return (value, at) => {
    const bytes = toBytes(value, at)
    decodeTx(bytes)
    return { txID: txID(bytes), bytes }
  }
}

/** A signed transaction, its bytes or its ID. Bytes of the length of an ID are one. */
export function txReference<Tx>(format: TxFormat<Tx>): Check<TxReference> {
  const tx = issuedTx(format)
  return kinds<TxReference>({
    object: tx,
    bytes: (value, at) =>
      isBytes(value) && value.length === ID_SIZE ? { txID: id(value, at) } : tx(value, at),
    string: (value, at) => ({ txID: id(value, at) }),
  })
}
