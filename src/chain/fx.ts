import { type Codec, type Union, union } from '../codec/io.ts'
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
} from './secp256k1fx.ts'

/** Type IDs run from 0 to 20: 5 transactions, 5 for each of 3 extensions, the block. */
export const REGISTERED_TYPES = 21

/** The feature extensions, in the order of their index. */
export const FX_NAMES = ['secp256k1fx', 'nftfx', 'propertyfx'] as const

/** IDs of virtual machines and extensions are their ASCII names, padded with zeros. */
export function asciiID(name: string): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => name.charCodeAt(i) || 0)
}

/** Everything a UTXO or an asset's initial state can hold. */
export type Output =
  | MintOutput
  | TransferOutput
  | NFTMintOutput
  | NFTTransferOutput
  | PropertyMintOutput
  | OwnedOutput

/** Everything that can be done to a UTXO beside transferring it. */
export type FxOperation =
  | MintOperation
  | NFTMintOperation
  | NFTTransferOperation
  | PropertyMintOperation
  | BurnOperation

/** The signatures for one input or operation, of the type that goes with what is spent. */
export type Credential = SecpCredential | NFTCredential | PropertyCredential

/**
 * What the node's decoder takes in a credential's place: any type of any extension. Only a `Credential`
 * gets through the rules behind it.
 */
export type CredentialSlot = Credential | TransferInput | Output | FxOperation

/** The extension, by index, that a type belongs to. */
export function fxIndexOf(value: CredentialSlot): number {
  return FX_NAMES.findIndex((name) => value.type.startsWith(`${name}.`))
}

/** The type of credential that each extension wants, by its index. */
export const CREDENTIAL_TYPES = [
  'secp256k1fx.Credential',
  'nftfx.Credential',
  'propertyfx.Credential',
] as const

/** Whether what stands in a credential's place is one. */
export function isCredential(slot: CredentialSlot): slot is Credential {
  return (CREDENTIAL_TYPES as readonly string[]).includes(slot.type)
}

/** Whether it is an output of any extension. */
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

export const transferInputs: Union<TransferInput> = /* @__PURE__ */ union<TransferInput>(
  REGISTERED_TYPES,
  transferInputType,
)

export const transferOutputs: Union<TransferOutput> = /* @__PURE__ */ union<TransferOutput>(
  REGISTERED_TYPES,
  { 'secp256k1fx.TransferOutput': [7, transferOutput] },
)

export const outputs: Union<Output> = /* @__PURE__ */ union<Output>(REGISTERED_TYPES, outputTypes)

export const operations: Union<FxOperation> = /* @__PURE__ */ union<FxOperation>(
  REGISTERED_TYPES,
  operationTypes,
)

const credentialSlots: Union<CredentialSlot> = /* @__PURE__ */ union<CredentialSlot>(
  REGISTERED_TYPES,
  { ...transferInputType, ...outputTypes, ...operationTypes, ...credentialTypes },
)

export const output: Codec<Output> = (io, v) => io.typed(v, outputs)
export const credentialSlot: Codec<CredentialSlot> = (io, v) => io.typed(v, credentialSlots)
