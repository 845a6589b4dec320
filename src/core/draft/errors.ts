import { AvmError, type ErrorDetails } from '../base/errors.ts'

/**
 * Codes of `BuildError`.
 *
 * `AMBIGUOUS_NFT` several NFTs fit the call; `NO_USABLE_UTXO` no UTXO can be used for the operation.
 */
export type BuildErrorCode =
  | 'THRESHOLD_MISSING'
  | 'UNKNOWN_CHAIN'
  | 'FEE_ABOVE_MAX'
  | 'STUCK_EXPORT'
  | 'TX_TOO_LARGE'
  | 'UNINTENDED_BURN'
  | 'NO_USABLE_UTXO'
  | 'AMBIGUOUS_NFT'

/** Arguments that a builder rejects. */
export class BuildError extends AvmError {
  override readonly name = 'BuildError'
  declare readonly code: BuildErrorCode

  constructor(code: BuildErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
