import { AvmError, type ErrorDetails } from '../../core/base/errors.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'

/**
 * Codes of `StoreError`.
 *
 * Claims: `CLAIM_INVALID` a claim that violates a rule; `KEY_CONFLICT` the key is used for a payment with other
 * content; `KEY_ACCEPTED` the payment is already accepted; `KEY_CANCELED` it was canceled during the call; `KEY_PENDING` a
 * pending attempt for the key shares no input with the claim; `EVIDENCE_UNSPENT` an attempt for the key was ended by
 * another transaction, and the claim spends no output of that; `KEY_UNKNOWN` there is no pending payment to cancel; `INPUT_CLAIMED` a pending attempt for other keys
 * spends an input; `TX_CLAIMED` the same transaction is claimed for other keys or another kind of payment.
 *
 * Store: `STORE_MISMATCH` the store belongs to another network or chain, or the chain began anew; `STORE_AHEAD` the chain
 * has not reached the newest block that the store knows; `STORE_BEHIND` too many blocks are newer than that; `STORE_IN_USE` another process has locked the
 * store; `STORE_LOST` another process took over the lock, or the file was changed; `STORE_CORRUPT` a record is damaged;
 * `STORE_UNREADABLE` the file cannot be read; `STORE_UNWRITABLE` the file cannot be written; `STORE_CLOSED` the store
 * is closed.
 */
export type StoreErrorCode =
  | 'CLAIM_INVALID'
  | 'KEY_CONFLICT'
  | 'KEY_ACCEPTED'
  | 'KEY_CANCELED'
  | 'KEY_PENDING'
  | 'KEY_UNKNOWN'
  | 'EVIDENCE_UNSPENT'
  | 'INPUT_CLAIMED'
  | 'TX_CLAIMED'
  | 'STORE_MISMATCH'
  | 'STORE_AHEAD'
  | 'STORE_BEHIND'
  | 'STORE_IN_USE'
  | 'STORE_LOST'
  | 'STORE_CORRUPT'
  | 'STORE_UNREADABLE'
  | 'STORE_UNWRITABLE'
  | 'STORE_CLOSED'

/** A key that belongs to a payment with other content. */
export type KeyConflict = {
  readonly key: string
  /** Content of the payment that the key belongs to, encoded; absent if it is not recorded. */
  readonly recorded?: Uint8Array | undefined
  /** Content of the payment that was requested, encoded; absent if the caller did not pass it. */
  readonly requested?: Uint8Array | undefined
}

/**
 * Further properties of a `StoreError`.
 *
 * @inline
 */
export type StoreDetails = {
  /** The idempotency keys concerned. */
  readonly keys?: readonly string[] | undefined
  /** For `KEY_CONFLICT`: both contents of each key. */
  readonly conflicts?: readonly KeyConflict[] | undefined
  /** The inputs that are claimed by other payments. */
  readonly inputs?: readonly UTXOID[] | undefined
  /** Path of the store's file. */
  readonly path?: string | undefined
  /** For `STORE_CORRUPT`: the number of the damaged record, counted from 1. */
  readonly record?: number | undefined
}

/**
 * A failed operation of a store. Nothing was claimed.
 *
 * After `STORE_UNWRITABLE` the failed record is removed from the file. If that fails too, the claim may exist after the
 * next start: read `payments` before paying under another key.
 */
export class StoreError extends AvmError {
  override readonly name = 'StoreError'
  declare readonly code: StoreErrorCode
  readonly keys: readonly string[]
  readonly conflicts: readonly KeyConflict[]
  readonly inputs: readonly UTXOID[]
  readonly path: string | undefined
  readonly record: number | undefined

  constructor(code: StoreErrorCode, message: string, details: ErrorDetails & StoreDetails = {}) {
    super(code, message, details)
    this.keys = details.keys ?? []
    this.conflicts = details.conflicts ?? []
    this.inputs = details.inputs ?? []
    this.path = details.path
    this.record = details.record
  }
}
