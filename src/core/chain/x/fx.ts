import { type Codec, type Union, union } from '../../codec/io.ts'
import {
  type MintOperation,
  type MintOutput,
  mintOperation,
  mintOutput,
  type SecpCredential,
  secpCredential,
  type TransferInput,
  type TransferOutput,
  transferInput,
  transferOutput,
} from '../secp256k1fx.ts'
import {
  type NFTCredential,
  type NFTMintOperation,
  type NFTMintOutput,
  type NFTTransferOperation,
  type NFTTransferOutput,
  nftCredential,
  nftMintOperation,
  nftMintOutput,
  nftTransferOperation,
  nftTransferOutput,
} from './nftfx.ts'
import {
  type BurnOperation,
  burnOperation,
  type OwnedOutput,
  ownedOutput,
  type PropertyCredential,
  type PropertyMintOperation,
  type PropertyMintOutput,
  propertyCredential,
  propertyMintOperation,
  propertyMintOutput,
} from './propertyfx.ts'

/** Number of type IDs (0 to 20): 5 transactions, 5 for each of 3 feature extensions, and the block. */
export const REGISTERED_TYPES = 21

/** Names of the feature extensions; the position is the fx index. */
export const FX_NAMES = ['secp256k1fx', 'nftfx', 'propertyfx'] as const

/** Returns the ID of a virtual machine or feature extension: its ASCII name, padded with zeros. */
export function asciiID(name: string): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => name.charCodeAt(i) || 0)
}

/** Any output of a UTXO or of an asset's initial state. */
export type Output =
  | MintOutput
  | TransferOutput
  | NFTMintOutput
  | NFTTransferOutput
  | PropertyMintOutput
  | OwnedOutput

/** Any operation on a UTXO other than a transfer of a fungible asset. */
export type FxOperation =
  | MintOperation
  | NFTMintOperation
  | NFTTransferOperation
  | PropertyMintOperation
  | BurnOperation

/** The signatures for one input or operation. The type depends on the UTXO that is spent. */
export type Credential = SecpCredential | NFTCredential | PropertyCredential

/**
 * Any type that the node's decoder accepts in the position of a credential: every type of every feature extension.
 * Only a `Credential` satisfies the later rules.
 */
export type CredentialSlot = Credential | TransferInput | Output | FxOperation

/** Returns the index of the feature extension that a type belongs to. */
export function fxIndexOf(value: CredentialSlot): number {
  return FX_NAMES.findIndex((name) => value.type.startsWith(`${name}.`))
}

/** Credential type of each feature extension, by fx index. */
export const CREDENTIAL_TYPES = [
  'secp256k1fx.Credential',
  'nftfx.Credential',
  'propertyfx.Credential',
] as const

/** Whether the value in a credential's position is a credential. */
export function isCredential(slot: CredentialSlot): slot is Credential {
  return (CREDENTIAL_TYPES as readonly string[]).includes(slot?.type)
}

/** Whether a value is an output of any feature extension. */
export function isOutput(value: CredentialSlot): value is Output {
  return value.type.endsWith('Output')
}

const outputTypes = {
  'secp256k1fx.MintOutput': [6, mintOutput],
  'secp256k1fx.TransferOutput': [7, transferOutput],
  'nftfx.MintOutput': [10, nftMintOutput],
  'nftfx.TransferOutput': [11, nftTransferOutput],
  'propertyfx.MintOutput': [15, propertyMintOutput],
  'propertyfx.OwnedOutput': [16, ownedOutput],
} as const

const operationTypes = {
  'secp256k1fx.MintOperation': [8, mintOperation],
  'nftfx.MintOperation': [12, nftMintOperation],
  'nftfx.TransferOperation': [13, nftTransferOperation],
  'propertyfx.MintOperation': [17, propertyMintOperation],
  'propertyfx.BurnOperation': [18, burnOperation],
} as const

const credentialTypes = {
  'secp256k1fx.Credential': [9, secpCredential],
  'nftfx.Credential': [14, nftCredential],
  'propertyfx.Credential': [19, propertyCredential],
} as const

const transferInputType = { 'secp256k1fx.TransferInput': [5, transferInput] } as const

/** Types allowed in an input. */
export const transferInputs: Union<TransferInput> = /* @__PURE__ */ union<TransferInput>(
  REGISTERED_TYPES,
  transferInputType,
)

/** Types allowed in an output of a transaction. */
export const transferOutputs: Union<TransferOutput> = /* @__PURE__ */ union<TransferOutput>(
  REGISTERED_TYPES,
  { 'secp256k1fx.TransferOutput': [7, transferOutput] },
)

/** Types allowed in a UTXO or an initial state. */
export const outputs: Union<Output> = /* @__PURE__ */ union<Output>(REGISTERED_TYPES, outputTypes)

/** Types allowed in an operation. */
export const operations: Union<FxOperation> = /* @__PURE__ */ union<FxOperation>(
  REGISTERED_TYPES,
  operationTypes,
)

const credentialSlots: Union<CredentialSlot> = /* @__PURE__ */ union<CredentialSlot>(
  REGISTERED_TYPES,
  { ...transferInputType, ...outputTypes, ...operationTypes, ...credentialTypes },
)

/** Codec of an output with its type ID. */
export const output: Codec<Output> = (io, v) => io.typed(v, outputs)
/** Codec of the value in a credential's position, with its type ID. */
export const credentialSlot: Codec<CredentialSlot> = (io, v) => io.typed(v, credentialSlots)
