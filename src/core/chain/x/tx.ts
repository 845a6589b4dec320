import { decode, encode, MAX_GENESIS_SIZE, MAX_SIZE } from '../../codec/codec.ts'
import { type Codec, type Union, union } from '../../codec/io.ts'
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
 * Fields of every transaction.
 *
 * @inline
 */
export type BaseFields = {
  readonly networkID: number
  /** ID of the X-Chain. */
  readonly blockchainID: Uint8Array
  /** Sorted by asset ID, then by encoded output. */
  readonly outputs: readonly TransferableOutput[]
  /** Sorted by transaction ID, then by output index; unique. */
  readonly inputs: readonly TransferableInput[]
  /** At most 256 bytes. */
  readonly memo: Uint8Array
}

/** Transfers assets. */
export type BaseTx = BaseFields & { readonly type: 'BaseTx' }

/** Creates an asset, whose ID is the ID of this transaction. */
export type CreateAssetTx = BaseFields & {
  readonly type: 'CreateAssetTx'
  /** 1 to 128 ASCII letters, digits and spaces, without leading or trailing space. */
  readonly name: string
  /** 1 to 4 upper-case letters. */
  readonly symbol: string
  /** Number of decimals, 0 to 32. */
  readonly denomination: number
  /** Sorted by fx index; unique. */
  readonly initialStates: readonly InitialState[]
}

/** Mints assets, and transfers or burns NFTs and properties. */
export type OperationTx = BaseFields & {
  readonly type: 'OperationTx'
  /** Sorted by encoded operation; unique. */
  readonly operations: readonly Operation[]
}

/** Imports assets that another chain exported to this one. */
export type ImportTx = BaseFields & {
  readonly type: 'ImportTx'
  /** ID of the chain that exported them. */
  readonly sourceChain: Uint8Array
  /** Sorted like `inputs`. */
  readonly importedInputs: readonly TransferableInput[]
}

/** Exports assets to another chain, which imports them in a second transaction. */
export type ExportTx = BaseFields & {
  readonly type: 'ExportTx'
  /** ID of the chain that may import them. */
  readonly destinationChain: Uint8Array
  /** Sorted like `outputs`. */
  readonly exportedOutputs: readonly TransferableOutput[]
}

/** A transaction without credentials: the part that is signed. */
export type UnsignedTx = BaseTx | CreateAssetTx | OperationTx | ImportTx | ExportTx

/** A transaction with its credentials, ready to be issued. */
export type SignedTx = {
  readonly unsignedTx: UnsignedTx
  /** One per input, followed by one per imported input or operation. */
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

/** Codec of CreateAssetTx without type ID. */
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

/** Codec of an unsigned transaction with its type ID. */
export const unsignedTx: Codec<UnsignedTx> = (io, v) => io.typed(v, unsignedTxs)

/** Codec of a signed transaction. */
export const signedTx: Codec<SignedTx> = (io, v) => ({
  unsignedTx: io.typed(v.unsignedTx, unsignedTxs),
  credentials: io.list(v.credentials, credentialSlot),
})

/**
 * Decodes a signed transaction, as strictly as the node does.
 *
 * @throws CodecError
 *
 * @example
 * const { unsignedTx, credentials } = decodeTx(bytes)
 */
export function decodeTx(bytes: Uint8Array): SignedTx {
  return decode(signedTx, bytes, MAX_SIZE)
}

/**
 * Decodes a genesis transaction, which may exceed the size limit of other transactions.
 *
 * @throws CodecError
 */
export function decodeGenesisTx(bytes: Uint8Array): SignedTx {
  return decode(signedTx, bytes, MAX_GENESIS_SIZE)
}

/**
 * Encodes a signed transaction. The SHA-256 of the result is the transaction ID.
 *
 * @throws CodecError
 */
export function encodeTx(tx: SignedTx): Uint8Array {
  return encode(signedTx, tx)
}

/**
 * Decodes an unsigned transaction.
 *
 * @throws CodecError
 */
export function decodeUnsignedTx(bytes: Uint8Array): UnsignedTx {
  return decode(unsignedTx, bytes, MAX_SIZE)
}

/**
 * Encodes an unsigned transaction. The SHA-256 of the result is what the signatures sign.
 *
 * @throws CodecError
 */
export function encodeUnsignedTx(tx: UnsignedTx): Uint8Array {
  return encode(unsignedTx, tx)
}
