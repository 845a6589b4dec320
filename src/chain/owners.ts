import type { Codec } from '../codec/io.ts'

/** Who may spend an output: `threshold` of `addresses`, not before `locktime`. */
export type OutputOwners = {
  /** Unix seconds before which it cannot be spent; 0n for never locked. */
  readonly locktime: bigint
  /** How many of the addresses must sign; 0 only where there are none: anyone may spend. */
  readonly threshold: number
  /** Sorted, unique, 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
}

/** Which of the owners of what is spent have signed. */
export type SignerInput = {
  /** Positions in the owners' addresses, ascending; as many as the threshold. */
  readonly signatureIndices: readonly number[]
}

export const u32: Codec<number> = (io, v) => io.u32(v)
export const address: Codec<Uint8Array> = (io, v) => io.address(v)

export const outputOwners: Codec<OutputOwners> = (io, v) => ({
  locktime: io.u64(v.locktime),
  threshold: io.u32(v.threshold),
  addresses: io.list(v.addresses, address),
})

export const signerInput: Codec<SignerInput> = (io, v) => ({
  signatureIndices: io.list(v.signatureIndices, u32),
})
