import { AvmError } from '../errors.ts'

/** Why a search cannot start. */
export type DiscoveryErrorCode = 'BAD_GAP_LIMIT'

/** A search with invalid options. */
export class DiscoveryError extends AvmError {
  override readonly name = 'DiscoveryError'
  declare readonly code: DiscoveryErrorCode

  constructor(code: DiscoveryErrorCode, message: string) {
    super(code, message)
  }
}
