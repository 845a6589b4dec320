import { decode, encode, MAX_SIZE } from '../../codec/codec.ts'
import { type Codec, type Union, union } from '../../codec/io.ts'
import type { SecpCredential } from '../secp256k1fx.ts'
import {
  credential,
  REGISTERED_TYPES,
  type TransferableInput,
  type TransferableOutput,
  transferableInput,
  transferableOutput,
} from './transferables.ts'

/**
 * Fields of every P-Chain transaction.
 *
 * @inline
 */
export type BaseFields = {
  readonly networkID: number
  /** 32 zero bytes on every network. */
  readonly blockchainID: Uint8Array
  /** Sorted by asset, then by encoded output with its type ID. */
  readonly outputs: readonly TransferableOutput[]
  /** Sorted by transaction ID, then by output index; unique. */
  readonly inputs: readonly TransferableInput[]
  /** Empty: the chain has refused longer memos since Durango. */
  readonly memo: Uint8Array
}

/** Moves assets on the P-Chain. */
export type BaseTx = BaseFields & { readonly type: 'BaseTx' }

/** Spends UTXOs that another chain exported to the P-Chain. */
export type ImportTx = BaseFields & {
  readonly type: 'ImportTx'
  readonly sourceChain: Uint8Array
  /** Sorted like `inputs`. */
  readonly importedInputs: readonly TransferableInput[]
}

/** Sends assets to another chain, where they wait to be imported. */
export type ExportTx = BaseFields & {
  readonly type: 'ExportTx'
  readonly destinationChain: Uint8Array
  /** Sorted like `outputs`; none is locked for staking. */
  readonly exportedOutputs: readonly TransferableOutput[]
}

/** An unsigned P-Chain transaction. Decoding any other type fails with `CODEC_WRONG_TYPE`. */
export type UnsignedTx = BaseTx | ImportTx | ExportTx

/** A signed P-Chain transaction. */
export type SignedTx = {
  readonly unsignedTx: UnsignedTx
  /** One per input, then one per imported input, in their order. */
  readonly credentials: readonly SecpCredential[]
}

const baseTx: Codec<BaseTx> = (io, v) => ({
  type: 'BaseTx',
  networkID: io.u32(v.networkID),
  blockchainID: io.id(v.blockchainID),
  outputs: io.list(v.outputs, transferableOutput),
  inputs: io.list(v.inputs, transferableInput),
  memo: io.blob(v.memo),
})

const importTx: Codec<ImportTx> = (io, v) => ({
  type: 'ImportTx',
  networkID: io.u32(v.networkID),
  blockchainID: io.id(v.blockchainID),
  outputs: io.list(v.outputs, transferableOutput),
  inputs: io.list(v.inputs, transferableInput),
  memo: io.blob(v.memo),
  sourceChain: io.id(v.sourceChain),
  importedInputs: io.list(v.importedInputs, transferableInput),
})

const exportTx: Codec<ExportTx> = (io, v) => ({
  type: 'ExportTx',
  networkID: io.u32(v.networkID),
  blockchainID: io.id(v.blockchainID),
  outputs: io.list(v.outputs, transferableOutput),
  inputs: io.list(v.inputs, transferableInput),
  memo: io.blob(v.memo),
  destinationChain: io.id(v.destinationChain),
  exportedOutputs: io.list(v.exportedOutputs, transferableOutput),
})

const unsignedTxs: Union<UnsignedTx> = /* @__PURE__ */ union<UnsignedTx>(REGISTERED_TYPES, {
  ImportTx: [17, importTx],
  ExportTx: [18, exportTx],
  BaseTx: [34, baseTx],
})

/** Codec of UnsignedTx. */
export const unsignedTx: Codec<UnsignedTx> = (io, v) => io.typed(v, unsignedTxs)

/** Codec of SignedTx. */
export const signedTx: Codec<SignedTx> = (io, v) => ({
  unsignedTx: io.typed(v.unsignedTx, unsignedTxs),
  credentials: io.list(v.credentials, credential),
})

/**
 * Decodes a signed BaseTx, ImportTx or ExportTx of the P-Chain, as strictly as the node.
 *
 * @throws CodecError if the bytes are not such a transaction; `CODEC_WRONG_TYPE` for other transactions.
 * @example
 * const tx = pChain.decodeTx(checkedHex.decode(reply.tx))
 */
export function decodeTx(bytes: Uint8Array): SignedTx {
  return decode(signedTx, bytes, MAX_SIZE)
}

/**
 * Encodes a signed transaction; its SHA-256 is the transaction's ID.
 *
 * @throws CodecError if a field does not fit its type.
 */
export function encodeTx(tx: SignedTx): Uint8Array {
  return encode(signedTx, tx)
}

/**
 * Decodes an unsigned transaction.
 *
 * @throws CodecError if the bytes are not a BaseTx, ImportTx or ExportTx of the P-Chain.
 */
export function decodeUnsignedTx(bytes: Uint8Array): UnsignedTx {
  return decode(unsignedTx, bytes, MAX_SIZE)
}

/**
 * Encodes an unsigned transaction; its SHA-256 is what is signed.
 *
 * @throws CodecError if a field does not fit its type.
 */
export function encodeUnsignedTx(tx: UnsignedTx): Uint8Array {
  return encode(unsignedTx, tx)
}

/** Every input of a transaction, in the order of its credentials. */
export function inputsOf(tx: UnsignedTx): readonly TransferableInput[] {
  return tx.type === 'ImportTx' ? [...tx.inputs, ...tx.importedInputs] : tx.inputs
}

/** Every output of a transaction: those that stay, then those that are exported. */
export function outputsOf(tx: UnsignedTx): readonly TransferableOutput[] {
  return tx.type === 'ExportTx' ? [...tx.outputs, ...tx.exportedOutputs] : tx.outputs
}
