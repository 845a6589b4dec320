import { ADDRESS_SIZE } from '../base/encoding/address.ts'
import { requireBigint, requireBytes, requireList } from '../base/require.ts'

/** The available signers, and the time. */
export type Viewpoint = {
  /** Addresses that can sign, 20 bytes each. Duplicates are ignored. */
  readonly owners: readonly Uint8Array[]
  /** Unix time in seconds, for locktimes and reservations. */
  readonly now: bigint
}

/** Checks the types at runtime. Rejects a number as `now`: `Date.now()`, in milliseconds, would unlock everything. */
export function checkViewpoint(view: Viewpoint): void {
  requireBigint(view?.now, 'now (unix seconds)')
  requireList(view.owners, 'owners')
  for (const owner of view.owners) requireBytes(owner, 'address', ADDRESS_SIZE)
}
