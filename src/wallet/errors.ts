import { AvmError, type ErrorDetails } from '../core/base/errors.ts'

/**
 * Why a wallet call failed.
 *
 * Arguments: `NO_ADDRESSES` the wallet has neither keys nor addresses; `NOTHING_TO_PAY` a payment without outputs;
 * `BAD_KEY` an idempotency key that does not have 1 to 256 characters, or not exactly one key per payment;
 * `KEYS_REPEATED` one transaction would make a payment twice; `ASSET_UNSPENDABLE` no transaction can spend the asset.
 *
 * Payments: `NOT_CONFIRMED` the `confirm` callback refused; `TX_PENDING` the transaction was issued and may still be
 * accepted; `PAYMENT_REJECTED` another transaction spent inputs of the payment; `PAYMENT_CANCELED` the payment was
 * canceled; `PAYMENT_MAYBE_MADE` an own transaction that the store does not know may have made it; `KEYS_TAKEN` other
 * transactions pay some of the keys; `CANNOT_CANCEL` no input of the pending transaction is available, or nothing that
 * shows how an earlier one ended; `BATCH_UNFINISHED` a batch stopped before its end; `PAYOUT_SHORT` the funds do not
 * suffice for a list of payments; `MOVE_UNFINISHED` the funds of a move are between two chains.
 */
export type WalletErrorCode =
  | 'NO_ADDRESSES'
  | 'NOTHING_TO_PAY'
  | 'BAD_KEY'
  | 'KEYS_REPEATED'
  | 'KEYS_TAKEN'
  | 'NOT_CONFIRMED'
  | 'ASSET_UNSPENDABLE'
  | 'TX_PENDING'
  | 'PAYMENT_REJECTED'
  | 'PAYMENT_CANCELED'
  | 'PAYMENT_MAYBE_MADE'
  | 'CANNOT_CANCEL'
  | 'BATCH_UNFINISHED'
  | 'PAYOUT_SHORT'
  | 'MOVE_UNFINISHED'

/**
 * Details of a {@link WalletError}.
 *
 * @inline
 */
export type WalletDetails = {
  /** The pending transaction, or the one that was accepted instead. */
  readonly txID?: Uint8Array | undefined
  /** The idempotency keys concerned. */
  readonly keys?: readonly string[] | undefined
}

/** A wallet call that failed or did not complete. */
export class WalletError extends AvmError {
  override readonly name: string = 'WalletError'
  declare readonly code: WalletErrorCode
  readonly txID: Uint8Array | undefined
  readonly keys: readonly string[]

  constructor(code: WalletErrorCode, message: string, details: ErrorDetails & WalletDetails = {}) {
    super(code, message, details)
    // A copy: the caller may change it, for example to print it in another order.
    this.txID = details.txID?.slice()
    this.keys = details.keys ?? []
  }
}
