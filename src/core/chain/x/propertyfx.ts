import type { Codec } from '../../codec/io.ts'
import { address, type OutputOwners, type SignerInput, signerInput, u32 } from '../owners.ts'
import { signature } from '../secp256k1fx.ts'

/** The right to mint a property. */
export type PropertyMintOutput = OutputOwners & { readonly type: 'propertyfx.MintOutput' }

/** A property and its owners. It can be burned but not transferred. */
export type OwnedOutput = OutputOwners & { readonly type: 'propertyfx.OwnedOutput' }

/** Mints a property and recreates the mint right. */
export type PropertyMintOperation = {
  readonly type: 'propertyfx.MintOperation'
  readonly mintInput: SignerInput
  /** Equal to the mint output that is spent. */
  readonly mintOutput: PropertyMintOutput
  readonly ownedOutput: OwnedOutput
}

/** Destroys a property. */
export type BurnOperation = SignerInput & { readonly type: 'propertyfx.BurnOperation' }

/** The signatures that one property operation needs. */
export type PropertyCredential = {
  readonly type: 'propertyfx.Credential'
  /** 65 bytes each (r, s, recovery ID), in the order of the signature indices. */
  readonly signatures: readonly Uint8Array[]
}

/** Codec of PropertyMintOutput. */
export const propertyMintOutput: Codec<PropertyMintOutput> = (io, v) => ({
  type: 'propertyfx.MintOutput',
  locktime: io.u64(v.locktime),
  threshold: io.u32(v.threshold),
  addresses: io.list(v.addresses, address),
})

/** Codec of OwnedOutput. */
export const ownedOutput: Codec<OwnedOutput> = (io, v) => ({
  type: 'propertyfx.OwnedOutput',
  locktime: io.u64(v.locktime),
  threshold: io.u32(v.threshold),
  addresses: io.list(v.addresses, address),
})

/** Codec of PropertyMintOperation. */
export const propertyMintOperation: Codec<PropertyMintOperation> = (io, v) => ({
  type: 'propertyfx.MintOperation',
  mintInput: io.struct(v.mintInput, signerInput),
  mintOutput: io.struct(v.mintOutput, propertyMintOutput),
  ownedOutput: io.struct(v.ownedOutput, ownedOutput),
})

/** Codec of BurnOperation. */
export const burnOperation: Codec<BurnOperation> = (io, v) => ({
  type: 'propertyfx.BurnOperation',
  signatureIndices: io.list(v.signatureIndices, u32),
})

/** Codec of PropertyCredential. */
export const propertyCredential: Codec<PropertyCredential> = (io, v) => ({
  type: 'propertyfx.Credential',
  signatures: io.list(v.signatures, signature),
})
