import type { Codec } from '../codec/io.ts'
import { address, type OutputOwners, type SignerInput, signerInput, u32 } from './owners.ts'

/** An amount of an asset and its owners. */
export type TransferOutput = OutputOwners & {
  readonly type: 'secp256k1fx.TransferOutput'
  /** In the asset's smallest unit. */
  readonly amount: bigint
}

/** The right to mint more of a fungible asset. */
export type MintOutput = OutputOwners & { readonly type: 'secp256k1fx.MintOutput' }

/** Spends a TransferOutput completely. */
export type TransferInput = SignerInput & {
  readonly type: 'secp256k1fx.TransferInput'
  /** Must equal the amount of the spent output. */
  readonly amount: bigint
}

/** Mints more of a fungible asset and recreates the mint right. */
export type MintOperation = {
  readonly type: 'secp256k1fx.MintOperation'
  readonly mintInput: SignerInput
  /** Equal to the mint output that is spent. */
  readonly mintOutput: MintOutput
  readonly transferOutput: TransferOutput
}

/** The signatures that one input, or one operation on a fungible asset, needs. */
export type SecpCredential = {
  readonly type: 'secp256k1fx.Credential'
  /** 65 bytes each (r, s, recovery ID), in the order of the signature indices. */
  readonly signatures: readonly Uint8Array[]
}

/** Codec of a signature list item. */
export const signature: Codec<Uint8Array> = (io, v) => io.signature(v)

/** Codec of TransferInput. */
export const transferInput: Codec<TransferInput> = (io, v) => ({
  type: 'secp256k1fx.TransferInput',
  amount: io.u64(v.amount),
  signatureIndices: io.list(v.signatureIndices, u32),
})

/** Codec of MintOutput. */
export const mintOutput: Codec<MintOutput> = (io, v) => ({
  type: 'secp256k1fx.MintOutput',
  locktime: io.u64(v.locktime),
  threshold: io.u32(v.threshold),
  addresses: io.list(v.addresses, address),
})

/** Codec of TransferOutput. */
export const transferOutput: Codec<TransferOutput> = (io, v) => ({
  type: 'secp256k1fx.TransferOutput',
  amount: io.u64(v.amount),
  locktime: io.u64(v.locktime),
  threshold: io.u32(v.threshold),
  addresses: io.list(v.addresses, address),
})

/** Codec of MintOperation. */
export const mintOperation: Codec<MintOperation> = (io, v) => ({
  type: 'secp256k1fx.MintOperation',
  mintInput: io.struct(v.mintInput, signerInput),
  mintOutput: io.struct(v.mintOutput, mintOutput),
  transferOutput: io.struct(v.transferOutput, transferOutput),
})

/** Codec of SecpCredential. */
export const secpCredential: Codec<SecpCredential> = (io, v) => ({
  type: 'secp256k1fx.Credential',
  signatures: io.list(v.signatures, signature),
})
