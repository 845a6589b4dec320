import { AvmError, type ErrorDetails } from '../../core/base/errors.ts'

/**
 * Why a search failed. `INDEX_MISMATCH` the data API contradicts the node, for example because it belongs to another
 * network.
 */
export type DiscoveryErrorCode = 'INDEX_MISMATCH'

/** A search with contradicting sources. */
export class DiscoveryError extends AvmError {
  override readonly name = 'DiscoveryError'
  declare readonly code: DiscoveryErrorCode

  constructor(code: DiscoveryErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
