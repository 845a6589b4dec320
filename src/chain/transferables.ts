import type { Codec } from '../codec/io.ts'
import {
  type FxOperation,
  type Output,
  operations,
  output,
  transferInputs,
  transferOutputs,
} from './fx.ts'
import type { TransferInput, TransferOutput } from './secp256k1fx.ts'

/** An output of a transaction. */
export type TransferableOutput = {
  readonly assetID: Uint8Array
  readonly output: TransferOutput
}

/** An input of a transaction: the UTXO it spends, and as whom. */
export type TransferableInput = {
  readonly txID: Uint8Array
  readonly outputIndex: number
  readonly assetID: Uint8Array
  readonly input: TransferInput
}

/** Names a UTXO by the transaction that made it. */
export type UTXOID = { readonly txID: Uint8Array; readonly outputIndex: number }

/** What is done to UTXOs of one asset that are not transferred. */
export type Operation = {
  readonly assetID: Uint8Array
  /** Sorted; exactly one in any transaction that can be accepted. */
  readonly inputIDs: readonly UTXOID[]
  readonly operation: FxOperation
}

/** What a new asset starts with, under one feature extension. */
export type InitialState = {
  /** 0 secp256k1fx, 1 nftfx, 2 propertyfx. */
  readonly fxIndex: number
  readonly outputs: readonly Output[]
}

export const transferableOutput: Codec<TransferableOutput> = (io, v) => ({
  assetID: io.id(v.assetID),
  output: io.typed(v.output, transferOutputs),
})

export const transferableInput: Codec<TransferableInput> = (io, v) => ({
  txID: io.id(v.txID),
  outputIndex: io.u32(v.outputIndex),
  assetID: io.id(v.assetID),
  input: io.typed(v.input, transferInputs),
})

export const utxoIDCodec: Codec<UTXOID> = (io, v) => ({
  txID: io.id(v.txID),
  outputIndex: io.u32(v.outputIndex),
})

export const operation: Codec<Operation> = (io, v) => ({
  assetID: io.id(v.assetID),
  inputIDs: io.list(v.inputIDs, utxoIDCodec),
  operation: io.typed(v.operation, operations),
})

export const initialState: Codec<InitialState> = (io, v) => ({
  fxIndex: io.u32(v.fxIndex),
  outputs: io.list(v.outputs, output),
})
