import { ADDRESS_SIZE } from '../encoding/address.ts'
import { EncodingError } from '../errors.ts'

/** The available signers, and the time. */
export type Viewpoint = {
  /** Addresses that can sign, 20 bytes each. Duplicates are ignored. */
  readonly owners: readonly Uint8Array[]
  /** Unix time in seconds, for locktimes and reservations. */
  readonly now: bigint
}

/** Checks the types at runtime: `now` in milliseconds, for example, would unlock everything. */
export function checkViewpoint({ owners, now }: Viewpoint): void {
  if (typeof now !== 'bigint')
    throw new EncodingError('ENC_INVALID', `now must be a bigint (unix seconds), is ${typeof now}`)
  for (const owner of owners)
    if (!(owner instanceof Uint8Array) || owner.length !== ADDRESS_SIZE)
      throw new EncodingError(
        'ENC_WRONG_LENGTH',
        `owner address must have ${ADDRESS_SIZE} bytes, has ${owner?.length ?? typeof owner}`,
      )
}
