import type { UTXOID } from '../chain/transferables.ts'
import { AvmError, type ErrorDetails } from '../errors.ts'

/**
 * Why a store refused an operation.
 *
 * Claims: `CLAIM_INVALID` a value is not what the types require; `KEY_CONFLICT` the key is bound to a payment with other content; `KEY_ACCEPTED` it was paid already;
 * `KEY_PENDING` a pending attempt for the key shares no input with the claim; `KEY_UNKNOWN` there is no pending
 * payment to cancel; `INPUT_CLAIMED` a pending attempt for other keys spends an input; `TX_CLAIMED` the same
 * transaction was claimed for other keys or another purpose.
 *
 * The store itself: `STORE_MISMATCH` it belongs to another network or chain; `STORE_IN_USE` another process has
 * it; `STORE_LOST` another process took it over; `STORE_CORRUPT`, `STORE_UNREADABLE`, `STORE_UNWRITABLE`,
 * `STORE_CLOSED`.
 */
export type StoreErrorCode =
  | 'CLAIM_INVALID'
  | 'KEY_CONFLICT'
  | 'KEY_ACCEPTED'
  | 'KEY_PENDING'
  | 'KEY_UNKNOWN'
  | 'INPUT_CLAIMED'
  | 'TX_CLAIMED'
  | 'STORE_MISMATCH'
  | 'STORE_IN_USE'
  | 'STORE_LOST'
  | 'STORE_CORRUPT'
  | 'STORE_UNREADABLE'
  | 'STORE_UNWRITABLE'
  | 'STORE_CLOSED'

/**
 * What a {@link StoreError} knows beside its code.
 *
 * @inline
 */
export type StoreFacts = {
  /** The idempotency keys concerned. */
  readonly keys?: readonly string[] | undefined
  /** The inputs that pending attempts of others spend. */
  readonly inputs?: readonly UTXOID[] | undefined
  /** The file of the store. */
  readonly path?: string | undefined
  /** For `STORE_CORRUPT`: the number of the damaged record, counted from 1. */
  readonly record?: number | undefined
}

/** A store refused an operation. Nothing was claimed. */
export class StoreError extends AvmError {
  override readonly name = 'StoreError'
  declare readonly code: StoreErrorCode
  readonly keys: readonly string[]
  readonly inputs: readonly UTXOID[]
  readonly path: string | undefined
  readonly record: number | undefined

  constructor(code: StoreErrorCode, message: string, details: ErrorDetails & StoreFacts = {}) {
    super(code, message, details)
    this.keys = details.keys ?? []
    this.inputs = details.inputs ?? []
    this.path = details.path
    this.record = details.record
  }
}
