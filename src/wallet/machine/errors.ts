import { WalletError } from '../errors.ts'
import { type KeyConflict, StoreError } from '../store/errors.ts'
import type { PaymentRecord } from '../store/store.ts'

/** The error of a call with keys that belong to payments with other content. */
export function keyConflict(conflicts: readonly KeyConflict[]): StoreError {
  return new StoreError(
    'KEY_CONFLICT',
    conflicts.length === 1
      ? 'the key belongs to a payment with other content'
      : `${conflicts.length} keys belong to payments with other content`,
    {
      keys: conflicts.map(({ key }) => key),
      conflicts,
      hint: 'nothing was signed; use a new key for a new payment',
    },
  )
}

/** The error of a call with keys of payments that are made by other transactions. */
export function keysTaken(taken: readonly PaymentRecord[], count: number): WalletError {
  return new WalletError(
    'KEYS_TAKEN',
    `${taken.length} of ${count} payments are already made by other transactions`,
    {
      keys: taken.map(({ key }) => key),
      hint: 'nothing was signed; leave out the payments that are pending or accepted',
    },
  )
}

/** The error of a call for a payment that was never claimed. */
export function keyUnknown(key: string): StoreError {
  return new StoreError('KEY_UNKNOWN', `no payment has the key ${JSON.stringify(key)}`, {
    keys: [key],
  })
}
