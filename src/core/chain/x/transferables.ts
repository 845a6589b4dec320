import type { UTXOID } from '../../base/encoding/ids.ts'
import type { Codec } from '../../codec/io.ts'
import type { TransferInput, TransferOutput } from '../secp256k1fx.ts'
import {
  type FxOperation,
  type Output,
  operations,
  output,
  transferInputs,
  transferOutputs,
} from './fx.ts'

export type { UTXOID } from '../../base/encoding/ids.ts'

/** An output of a transaction. */
export type TransferableOutput = {
  readonly assetID: Uint8Array
  readonly output: TransferOutput
}

/** An input of a transaction: the UTXO that it spends and who signs. */
export type TransferableInput = {
  readonly txID: Uint8Array
  readonly outputIndex: number
  readonly assetID: Uint8Array
  readonly input: TransferInput
}

/** An operation on UTXOs of one asset. */
export type Operation = {
  readonly assetID: Uint8Array
  /** Sorted. The node accepts only operations with exactly one. */
  readonly inputIDs: readonly UTXOID[]
  readonly operation: FxOperation
}

/** Initial outputs of a new asset under one feature extension. */
export type InitialState = {
  /** 0 is secp256k1fx, 1 nftfx, 2 propertyfx. */
  readonly fxIndex: number
  readonly outputs: readonly Output[]
}

/** Codec of TransferableOutput. */
export const transferableOutput: Codec<TransferableOutput> = (io, v) => ({
  assetID: io.id(v.assetID),
  output: io.typed(v.output, transferOutputs),
})

/** Codec of TransferableInput. */
export const transferableInput: Codec<TransferableInput> = (io, v) => ({
  txID: io.id(v.txID),
  outputIndex: io.u32(v.outputIndex),
  assetID: io.id(v.assetID),
  input: io.typed(v.input, transferInputs),
})

/** Codec of UTXOID. */
export const utxoIDCodec: Codec<UTXOID> = (io, v) => ({
  txID: io.id(v.txID),
  outputIndex: io.u32(v.outputIndex),
})

/** Codec of Operation. */
export const operation: Codec<Operation> = (io, v) => ({
  assetID: io.id(v.assetID),
  inputIDs: io.list(v.inputIDs, utxoIDCodec),
  operation: io.typed(v.operation, operations),
})

/** Codec of InitialState. */
export const initialState: Codec<InitialState> = (io, v) => ({
  fxIndex: io.u32(v.fxIndex),
  outputs: io.list(v.outputs, output),
})
