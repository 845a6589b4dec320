import { decode, encode, MAX_SIZE, requireEncodable } from '../../codec/codec.ts'
import type { Codec } from '../../codec/io.ts'
import { type Output, outputs } from './fx.ts'

/** An unspent output and where it was created. */
export type UTXO = {
  readonly txID: Uint8Array
  readonly outputIndex: number
  readonly assetID: Uint8Array
  readonly output: Output
}

/** Codec of a UTXO. */
export const utxo: Codec<UTXO> = (io, v) => ({
  txID: io.id(v.txID),
  outputIndex: io.u32(v.outputIndex),
  assetID: io.id(v.assetID),
  output: io.typed(v.output, outputs),
})

/** Rejects values that are not UTXOs of a chain. Encoding them checks every field, and the error names the wrong one. */
export function requireAnyUTXOs<U>(utxos: readonly U[], codec: Codec<U>): void {
  const list: Codec<{ readonly utxos: readonly U[] }> = (io, v) => ({
    utxos: io.list(v.utxos, codec),
  })
  requireEncodable(list, { utxos })
}

/**
 * Decodes a UTXO in the encoding used by the API and in shared memory.
 *
 * @throws CodecError
 */
export function decodeUTXO(bytes: Uint8Array): UTXO {
  return decode(utxo, bytes, MAX_SIZE)
}

/**
 * Encodes a UTXO in the encoding used by the API and in shared memory.
 *
 * @throws CodecError
 */
export function encodeUTXO(value: UTXO): Uint8Array {
  return encode(utxo, value)
}
