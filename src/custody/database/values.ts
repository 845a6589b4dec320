import type { Output } from '../../core/chain/x/fx.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'

/** A column of the type `bigint` or `numeric`: text, so that no digit is lost. */
export type Digits = string

/** A column of the type `bytea`. */
export type Bytes = Uint8Array

/**
 * A key as PostgreSQL can store it: its texts hold every character but NUL, which becomes `\0`; a backslash is
 * doubled.
 */
export function keyColumn(key: string): string {
  return key.replaceAll('\\', '\\\\').replaceAll('\u0000', '\\0')
}

/** The key behind a column. */
export function keyOf(column: string): string {
  return column.replaceAll(/\\([\\0])/g, (_, letter: string) => (letter === '0' ? '\u0000' : '\\'))
}

/** Whether a column is one that `keyColumn` returns for some key. `keyOf` also converts columns that are not. */
export function isKeyColumn(column: string): boolean {
  return /^(?:[^\\]|\\[\\0])*$/.test(column)
}

/** A text from outside, such as an error message, as PostgreSQL can store it: without NUL. */
export function textColumn(text: string): string {
  return text.replaceAll('\u0000', '')
}

/** Copies a column: the driver's buffers share memory with each other. */
export function bytesOf(column: Bytes): Uint8Array {
  return new Uint8Array(column)
}

/** The amount of an output; 0n if it has none. */
export function amountOf(output: Output): bigint {
  return output.type === 'secp256k1fx.TransferOutput' ? output.amount : 0n
}

/** UTXO IDs as the two lists that `unnest` takes. */
export function idColumns(ids: readonly UTXOID[]): [Uint8Array[], number[]] {
  return [ids.map(({ txID }) => txID), ids.map(({ outputIndex }) => outputIndex)]
}

/** A UTXO ID as one column: the transaction ID, then the index in 4 bytes. */
export function utxoColumn({ txID, outputIndex }: UTXOID): Uint8Array {
  const column = new Uint8Array(txID.length + 4)
  column.set(txID)
  new DataView(column.buffer).setUint32(txID.length, outputIndex)
  return column
}

/** The UTXO ID behind such a column. */
export function utxoIDOf(column: Bytes): UTXOID {
  const bytes = bytesOf(column)
  const at = bytes.length - 4
  return { txID: bytes.slice(0, at), outputIndex: new DataView(bytes.buffer).getUint32(at) }
}
