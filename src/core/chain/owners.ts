import { equalBytes } from '../base/bytes/compare.ts'
import type { Codec } from '../codec/io.ts'

/** Who may spend an output: `threshold` of `addresses`, from `locktime` on. */
export type OutputOwners = {
  /** Unix time in seconds before which the output cannot be spent; 0n if never locked. */
  readonly locktime: bigint
  /** Number of signatures required. 0 only if there are no addresses: anyone may spend. */
  readonly threshold: number
  /** Sorted, unique, 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
}

/** Which owners of the spent UTXO sign. */
export type SignerInput = {
  /** Positions in the owners' addresses, ascending. Their number equals the threshold. */
  readonly signatureIndices: readonly number[]
}

/** Codec of a u32 list item. */
export const u32: Codec<number> = (io, v) => io.u32(v)
/** Codec of an address list item. */
export const address: Codec<Uint8Array> = (io, v) => io.address(v)

/** Codec of OutputOwners. */
export const outputOwners: Codec<OutputOwners> = (io, v) => ({
  locktime: io.u64(v.locktime),
  threshold: io.u32(v.threshold),
  addresses: io.list(v.addresses, address),
})

/** Codec of SignerInput. */
export const signerInput: Codec<SignerInput> = (io, v) => ({
  signatureIndices: io.list(v.signatureIndices, u32),
})

/** Whether two outputs have the same addresses and threshold; locktimes may differ. */
export function haveSameOwners(a: OutputOwners, b: OutputOwners): boolean {
  return (
    a.threshold === b.threshold &&
    a.addresses.length === b.addresses.length &&
    a.addresses.every((address, i) => equalBytes(address, b.addresses[i]!))
  )
}
