import { AvmError, type ErrorDetails } from '../errors.ts'

/**
 * What a wallet has against going on. `TX_OPEN`: sent, and may be accepted yet. `JOURNAL_FAILED`: not sent,
 * but perhaps recorded, and then sent by the next `resume`.
 */
export type WalletErrorCode =
  | 'NO_ADDRESSES'
  | 'NOT_CONFIRMED'
  | 'TX_OPEN'
  | 'JOURNAL_FAILED'
  | 'BATCH_UNFINISHED'

/**
 * What a {@link WalletError} may know beside its code.
 *
 * @inline
 */
export type WalletFacts = {
  /** The transaction whose end is not known. */
  readonly txID?: Uint8Array
}

/** A wallet that stopped, and why. */
export class WalletError extends AvmError {
  override readonly name: string = 'WalletError'
  declare readonly code: WalletErrorCode
  readonly txID: Uint8Array | undefined

  constructor(code: WalletErrorCode, message: string, details: ErrorDetails & WalletFacts = {}) {
    super(code, message, details)
    this.txID = details.txID
  }
}
