import { decode, encode, MAX_GENESIS_SIZE, MAX_SIZE } from '../codec/codec.ts'
import { type Codec, type Union, union } from '../codec/io.ts'
import { type CredentialSlot, credentialSlot, REGISTERED_TYPES } from './fx.ts'
import {
  type InitialState,
  initialState,
  type Operation,
  operation,
  type TransferableInput,
  type TransferableOutput,
  transferableInput,
  transferableOutput,
} from './transferables.ts'

/**
 * What every transaction has.
 *
 * @inline
 */
export type BaseFields = {
  readonly networkID: number
  /** The X-Chain's own ID. */
  readonly blockchainID: Uint8Array
  /** Sorted by asset, then by encoded output. */
  readonly outputs: readonly TransferableOutput[]
  /** Sorted by transaction ID, then by output index; unique. */
  readonly inputs: readonly TransferableInput[]
  /** At most 256 bytes. */
  readonly memo: Uint8Array
}

/** Moves assets. */
export type BaseTx = BaseFields & { readonly type: 'BaseTx' }

/** Creates an asset, whose ID is the ID of this transaction. */
export type CreateAssetTx = BaseFields & {
  readonly type: 'CreateAssetTx'
  /** 1 to 128 ASCII letters, digits and inner spaces. */
  readonly name: string
  /** 1 to 4 upper-case letters. */
  readonly symbol: string
  /** Decimals, 0 to 32. */
  readonly denomination: number
  /** Sorted by extension index; unique. */
  readonly initialStates: readonly InitialState[]
}

/** Mints, and transfers or burns what is not fungible. */
export type OperationTx = BaseFields & {
  readonly type: 'OperationTx'
  /** Sorted by encoded operation; unique. */
  readonly operations: readonly Operation[]
}

/** Brings in what another chain exported to this one. */
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
  /** Sorted like `outputs`. */
  readonly exportedOutputs: readonly TransferableOutput[]
}

/** What is signed. */
export type UnsignedTx = BaseTx | CreateAssetTx | OperationTx | ImportTx | ExportTx

/** What is issued. */
export type SignedTx = {
  readonly unsignedTx: UnsignedTx
  /** One per input, then one per imported input or operation, in their order. */
  readonly credentials: readonly CredentialSlot[]
}

const baseTx: Codec<BaseTx> = (io, v) => ({
  type: 'BaseTx',
  networkID: io.u32(v.networkID),
  blockchainID: io.id(v.blockchainID),
  outputs: io.list(v.outputs, transferableOutput),
  inputs: io.list(v.inputs, transferableInput),
  memo: io.blob(v.memo),
})

export const createAssetTx: Codec<CreateAssetTx> = (io, v) => ({
  type: 'CreateAssetTx',
  networkID: io.u32(v.networkID),
  blockchainID: io.id(v.blockchainID),
  outputs: io.list(v.outputs, transferableOutput),
  inputs: io.list(v.inputs, transferableInput),
  memo: io.blob(v.memo),
  name: io.text(v.name),
  symbol: io.text(v.symbol),
  denomination: io.u8(v.denomination),
  initialStates: io.list(v.initialStates, initialState),
})

const operationTx: Codec<OperationTx> = (io, v) => ({
  type: 'OperationTx',
  networkID: io.u32(v.networkID),
  blockchainID: io.id(v.blockchainID),
  outputs: io.list(v.outputs, transferableOutput),
  inputs: io.list(v.inputs, transferableInput),
  memo: io.blob(v.memo),
  operations: io.list(v.operations, operation),
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
  BaseTx: [0, baseTx],
  CreateAssetTx: [1, createAssetTx],
  OperationTx: [2, operationTx],
  ImportTx: [3, importTx],
  ExportTx: [4, exportTx],
})

export const unsignedTx: Codec<UnsignedTx> = (io, v) => io.typed(v, unsignedTxs)

export const signedTx: Codec<SignedTx> = (io, v) => ({
  unsignedTx: io.typed(v.unsignedTx, unsignedTxs),
  credentials: io.list(v.credentials, credentialSlot),
})

/**
 * Decodes a signed transaction, as strictly as the node.
 *
 * @example
 * const tx = decodeTx(checkedHex.decode(reply.tx))
 */
export function decodeTx(bytes: Uint8Array): SignedTx {
  return decode(signedTx, bytes, MAX_SIZE)
}

/** Decodes a transaction of a genesis, which may exceed the size limit of others. */
export function decodeGenesisTx(bytes: Uint8Array): SignedTx {
  return decode(signedTx, bytes, MAX_GENESIS_SIZE)
}

/** Encodes a signed transaction; its SHA-256 is the transaction's ID. */
export function encodeTx(tx: SignedTx): Uint8Array {
  return encode(signedTx, tx)
}

/** Decodes an unsigned transaction. */
export function decodeUnsignedTx(bytes: Uint8Array): UnsignedTx {
  return decode(unsignedTx, bytes, MAX_SIZE)
}

/** Encodes an unsigned transaction; its SHA-256 is what is signed. */
export function encodeUnsignedTx(tx: UnsignedTx): Uint8Array {
  return encode(unsignedTx, tx)
}
