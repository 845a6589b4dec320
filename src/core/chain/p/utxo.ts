import { decode, encode, MAX_SIZE } from '../../codec/codec.ts'
import type { Codec } from '../../codec/io.ts'
import { type Output, outputs } from './transferables.ts'

/** An unspent output of the P-Chain, and the transaction that created it. */
export type UTXO = {
  readonly txID: Uint8Array
  readonly outputIndex: number
  readonly assetID: Uint8Array
  readonly output: Output
}

/** Codec of UTXO. */
export const utxo: Codec<UTXO> = (io, v) => ({
  txID: io.id(v.txID),
  outputIndex: io.u32(v.outputIndex),
  assetID: io.id(v.assetID),
  output: io.typed(v.output, outputs),
})

/**
 * Decodes a UTXO as `platform.getUTXOs` returns it, with or without a stakeable lock.
 *
 * @throws CodecError if the bytes are not a UTXO of the P-Chain.
 */
export function decodeUTXO(bytes: Uint8Array): UTXO {
  return decode(utxo, bytes, MAX_SIZE)
}

/**
 * Encodes a UTXO as the node stores it.
 *
 * @throws CodecError if a field does not fit its type.
 */
export function encodeUTXO(value: UTXO): Uint8Array {
  return encode(utxo, value)
}
