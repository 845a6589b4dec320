import { decode, encode, MAX_SIZE } from '../../codec/codec.ts'
import { type Codec, type Union, union } from '../../codec/io.ts'
import { type SecpCredential, secpCredential } from '../secp256k1fx.ts'
import {
  type TransferableInput,
  type TransferableOutput,
  transferableInput,
  transferableOutput,
} from '../x/transferables.ts'

/** Type IDs of atomic transactions run from 0 to 11. */
const REGISTERED_TYPES = 12

/** Credits an account of the C-Chain. */
export type EVMOutput = {
  /** 20 bytes: an EVM address, not the address that owns UTXOs. */
  readonly address: Uint8Array
  /** In nAVAX; the account gets 10^9 times as many wei. */
  readonly amount: bigint
  readonly assetID: Uint8Array
}

/** Debits an account of the C-Chain. */
export type EVMInput = {
  /** 20 bytes: an EVM address. */
  readonly address: Uint8Array
  /** In nAVAX. */
  readonly amount: bigint
  readonly assetID: Uint8Array
  /** The account's nonce, which rises by one. */
  readonly nonce: bigint
}

/** Credits accounts with what another chain exported to the C-Chain. */
export type ImportTx = {
  readonly type: 'ImportTx'
  readonly networkID: number
  /** The C-Chain's own ID. */
  readonly blockchainID: Uint8Array
  readonly sourceChain: Uint8Array
  /** Sorted by transaction ID, then by output index; unique. */
  readonly importedInputs: readonly TransferableInput[]
  /** Sorted by address, then by asset; unique. */
  readonly outputs: readonly EVMOutput[]
}

/** Sends AVAX of accounts to another chain, where it waits to be imported. */
export type ExportTx = {
  readonly type: 'ExportTx'
  readonly networkID: number
  /** The C-Chain's own ID. */
  readonly blockchainID: Uint8Array
  readonly destinationChain: Uint8Array
  /** Sorted by address, then by asset; unique. */
  readonly inputs: readonly EVMInput[]
  /** Sorted by asset, then by encoded output. */
  readonly exportedOutputs: readonly TransferableOutput[]
}

/** An unsigned atomic transaction of the C-Chain. */
export type UnsignedTx = ImportTx | ExportTx

/** A signed atomic transaction of the C-Chain. */
export type SignedTx = {
  readonly unsignedTx: UnsignedTx
  /** One per imported input, or one with a single signature per EVM input, in their order. */
  readonly credentials: readonly SecpCredential[]
}

const evmOutput: Codec<EVMOutput> = (io, v) => ({
  address: io.address(v.address),
  amount: io.u64(v.amount),
  assetID: io.id(v.assetID),
})

const evmInput: Codec<EVMInput> = (io, v) => ({
  address: io.address(v.address),
  amount: io.u64(v.amount),
  assetID: io.id(v.assetID),
  nonce: io.u64(v.nonce),
})

const importTx: Codec<ImportTx> = (io, v) => ({
  type: 'ImportTx',
  networkID: io.u32(v.networkID),
  blockchainID: io.id(v.blockchainID),
  sourceChain: io.id(v.sourceChain),
  importedInputs: io.list(v.importedInputs, transferableInput),
  outputs: io.list(v.outputs, evmOutput),
})

const exportTx: Codec<ExportTx> = (io, v) => ({
  type: 'ExportTx',
  networkID: io.u32(v.networkID),
  blockchainID: io.id(v.blockchainID),
  destinationChain: io.id(v.destinationChain),
  inputs: io.list(v.inputs, evmInput),
  exportedOutputs: io.list(v.exportedOutputs, transferableOutput),
})

const unsignedTxs: Union<UnsignedTx> = /* @__PURE__ */ union<UnsignedTx>(REGISTERED_TYPES, {
  ImportTx: [0, importTx],
  ExportTx: [1, exportTx],
})

const credentials: Union<SecpCredential> = /* @__PURE__ */ union<SecpCredential>(REGISTERED_TYPES, {
  'secp256k1fx.Credential': [9, secpCredential],
})

/** Codec of SecpCredential. */
export const credential: Codec<SecpCredential> = (io, v) => io.typed(v, credentials)

/** Codec of UnsignedTx. */
export const unsignedTx: Codec<UnsignedTx> = (io, v) => io.typed(v, unsignedTxs)

/** Codec of SignedTx. */
export const signedTx: Codec<SignedTx> = (io, v) => ({
  unsignedTx: io.typed(v.unsignedTx, unsignedTxs),
  credentials: io.list(v.credentials, credential),
})

/**
 * Decodes a signed atomic transaction of the C-Chain, as strictly as the node.
 *
 * @throws CodecError if the bytes are not such a transaction.
 * @example
 * const tx = cChain.decodeTx(checkedHex.decode(reply.tx))
 */
export function decodeTx(bytes: Uint8Array): SignedTx {
  return decode(signedTx, bytes, MAX_SIZE)
}

/**
 * Decodes the atomic transactions of a block, which its extra data contains.
 *
 * @throws CodecError
 */
export function decodeTxs(extraData: Uint8Array): readonly SignedTx[] {
  const txs: Codec<readonly SignedTx[]> = (io, v) => io.list(v, signedTx)
  return extraData.length === 0 ? [] : decode(txs, extraData, MAX_SIZE)
}

/**
 * Encodes a signed atomic transaction; its SHA-256 is the transaction's ID.
 *
 * @throws CodecError if a field does not fit its type.
 */
export function encodeTx(tx: SignedTx): Uint8Array {
  return encode(signedTx, tx)
}

/**
 * Decodes an unsigned atomic transaction.
 *
 * @throws CodecError if the bytes are not an ImportTx or ExportTx of the C-Chain.
 */
export function decodeUnsignedTx(bytes: Uint8Array): UnsignedTx {
  return decode(unsignedTx, bytes, MAX_SIZE)
}

/**
 * Encodes an unsigned atomic transaction; its SHA-256 is what is signed.
 *
 * @throws CodecError if a field does not fit its type.
 */
export function encodeUnsignedTx(tx: UnsignedTx): Uint8Array {
  return encode(unsignedTx, tx)
}
