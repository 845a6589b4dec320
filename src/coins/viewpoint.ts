import { ADDRESS_SIZE } from '../encoding/address.ts'
import { EncodingError } from '../errors.ts'

/** Who can sign, and the time. */
export type Viewpoint = {
  /** Addresses that can sign, 20 bytes each; duplicates are ignored. */
  readonly owners: readonly Uint8Array[]
  /** Unix seconds, for locktimes and reservations. */
  readonly now: bigint
}

/** Checks the types at runtime: a `now` in milliseconds, for example, would unlock everything. */
export function checkViewpoint({ owners, now }: Viewpoint): void {
  if (typeof now !== 'bigint')
    throw new EncodingError(
      'ENC_INVALID',
      `expected now in unix seconds as bigint, found ${typeof now}`,
    )
  for (const owner of owners)
    if (!(owner instanceof Uint8Array) || owner.length !== ADDRESS_SIZE)
      throw new EncodingError(
        'ENC_WRONG_LENGTH',
        `expected an owner's address of ${ADDRESS_SIZE} bytes, found ${owner?.length ?? typeof owner}`,
      )
}
