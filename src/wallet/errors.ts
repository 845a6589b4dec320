import { AvmError, type ErrorDetails } from '../errors.ts'

/**
 * What a wallet has against going on. `NOT_LOADED`: the page could not fetch the wallet's code. `TX_OPEN`: sent,
 * and may be accepted yet. `JOURNAL_FAILED`: not sent, but perhaps recorded, and then sent by the next `resume`.
 * `KEYS_TAKEN`: other transactions stand for some of the payments. `KEYS_REPEATED`: one transaction would make
 * the same payment twice. `NOT_OUR_ADDRESS`: what stays in the wallet would leave it.
 */
export type WalletErrorCode =
  | 'NO_ADDRESSES'
  | 'NOT_LOADED'
  | 'NOT_CONFIRMED'
  | 'NOT_OUR_ADDRESS'
  | 'TX_OPEN'
  | 'JOURNAL_FAILED'
  | 'KEYS_TAKEN'
  | 'KEYS_REPEATED'
  | 'BATCH_UNFINISHED'

/**
 * What a {@link WalletError} may know beside its code.
 *
 * @inline
 */
export type WalletFacts = {
  /** The transaction whose end is not known. */
  readonly txID?: Uint8Array
  /** The payments that stand elsewhere, or are named twice. */
  readonly keys?: readonly string[]
}

/** A wallet that stopped, and why. */
export class WalletError extends AvmError {
  override readonly name: string = 'WalletError'
  declare readonly code: WalletErrorCode
  readonly txID: Uint8Array | undefined
  readonly keys: readonly string[]

  constructor(code: WalletErrorCode, message: string, details: ErrorDetails & WalletFacts = {}) {
    super(code, message, details)
    this.txID = details.txID
    this.keys = details.keys ?? []
  }
}
