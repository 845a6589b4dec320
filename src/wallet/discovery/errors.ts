import { AvmError, type ErrorDetails } from '../../core/base/errors.ts'

/**
 * Why a search failed. `BAD_GAP_LIMIT` the gap limit is out of range; `INDEX_MISMATCH` the data API contradicts the
 * node, for example because it belongs to another network.
 */
export type DiscoveryErrorCode = 'BAD_GAP_LIMIT' | 'INDEX_MISMATCH'

/** A search with invalid options, or with contradicting sources. */
export class DiscoveryError extends AvmError {
  override readonly name = 'DiscoveryError'
  declare readonly code: DiscoveryErrorCode

  constructor(code: DiscoveryErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
