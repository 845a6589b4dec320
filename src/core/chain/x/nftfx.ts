import type { Codec } from '../../codec/io.ts'
import {
  address,
  type OutputOwners,
  outputOwners,
  type SignerInput,
  signerInput,
} from '../owners.ts'
import { signature } from '../secp256k1fx.ts'

/** The right to mint NFTs of one group, usable once. */
export type NFTMintOutput = OutputOwners & {
  readonly type: 'nftfx.MintOutput'
  readonly groupID: number
}

/** An NFT and who owns it. */
export type NFTTransferOutput = OutputOwners & {
  readonly type: 'nftfx.TransferOutput'
  readonly groupID: number
  /** At most 1024 bytes. */
  readonly payload: Uint8Array
}

/** Uses a mint right to create one NFT with the same payload for each of `outputs`. */
export type NFTMintOperation = {
  readonly type: 'nftfx.MintOperation'
  readonly mintInput: SignerInput
  /** Equal to that of the mint output that is spent. */
  readonly groupID: number
  /** At most 1024 bytes. */
  readonly payload: Uint8Array
  readonly outputs: readonly OutputOwners[]
}

/** Transfers an NFT. Group and payload stay unchanged. */
export type NFTTransferOperation = {
  readonly type: 'nftfx.TransferOperation'
  readonly input: SignerInput
  readonly output: NFTTransferOutput
}

/** The signatures that one NFT operation needs. */
export type NFTCredential = {
  readonly type: 'nftfx.Credential'
  /** 65 bytes each (r, s, recovery ID), in the order of the signature indices. */
  readonly signatures: readonly Uint8Array[]
}

/** Codec of NFTMintOutput. */
export const nftMintOutput: Codec<NFTMintOutput> = (io, v) => ({
  type: 'nftfx.MintOutput',
  groupID: io.u32(v.groupID),
  locktime: io.u64(v.locktime),
  threshold: io.u32(v.threshold),
  addresses: io.list(v.addresses, address),
})

/** Codec of NFTTransferOutput. */
export const nftTransferOutput: Codec<NFTTransferOutput> = (io, v) => ({
  type: 'nftfx.TransferOutput',
  groupID: io.u32(v.groupID),
  payload: io.blob(v.payload),
  locktime: io.u64(v.locktime),
  threshold: io.u32(v.threshold),
  addresses: io.list(v.addresses, address),
})

/** Codec of NFTMintOperation. */
export const nftMintOperation: Codec<NFTMintOperation> = (io, v) => ({
  type: 'nftfx.MintOperation',
  mintInput: io.struct(v.mintInput, signerInput),
  groupID: io.u32(v.groupID),
  payload: io.blob(v.payload),
  outputs: io.list(v.outputs, outputOwners),
})

/** Codec of NFTTransferOperation. */
export const nftTransferOperation: Codec<NFTTransferOperation> = (io, v) => ({
  type: 'nftfx.TransferOperation',
  input: io.struct(v.input, signerInput),
  output: io.struct(v.output, nftTransferOutput),
})

/** Codec of NFTCredential. */
export const nftCredential: Codec<NFTCredential> = (io, v) => ({
  type: 'nftfx.Credential',
  signatures: io.list(v.signatures, signature),
})
