import { bigintFrom, bytesOf, type Check, list, type Members, object } from '../base/argument.ts'
import { ADDRESS_SIZE } from '../base/encoding/address.ts'

/** The available signers, and the time. */
export type Viewpoint = {
  /** Addresses that can sign, 20 bytes each. Duplicates are ignored. */
  readonly owners: readonly Uint8Array[]
  /** Unix time in seconds, for locktimes and reservations. */
  readonly now: bigint
}

/** Unix seconds. A number is rejected: `Date.now()`, in milliseconds, would unlock everything. */
export const unixTime: Check<bigint> = bigintFrom(0n)

/** Members of `Viewpoint`, for descriptions of options that include it. */
export const viewpointMembers: Members<Viewpoint> = {
  owners: list(bytesOf(ADDRESS_SIZE)),
  now: unixTime,
}

/** Describes a viewpoint. */
export const viewpoint: Check<Viewpoint> = object<Viewpoint>(viewpointMembers)
