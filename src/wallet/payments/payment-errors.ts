import { formatID } from '../../core/base/encoding/ids.ts'
import { AbortError } from '../../node/errors.ts'
import { WalletError } from '../errors.ts'
import { StoreError } from '../store/errors.ts'
import type { Outcome } from '../store/store.ts'
import type { AttemptGroup } from './attempts.ts'
import { isRefusedAsOutdated } from './outdated.ts'

/** The error of a call with keys that belong to payments with other content. */
export function keyConflict(keys: readonly string[]): StoreError {
  return new StoreError(
    'KEY_CONFLICT',
    keys.length === 1
      ? 'the key belongs to a payment with other content'
      : `${keys.length} keys belong to payments with other content`,
    {
      keys,
      hint: 'nothing was signed; use a new key for a new payment',
    },
  )
}

/** The error of a payment without an outcome when time is over or the caller aborts. */
export function pendingError(group: AttemptGroup, signal: AbortSignal | undefined): WalletError {
  const { payments, attempts, lastError } = group
  const { txID } = attempts.at(-1)!
  return new WalletError(
    'TX_PENDING',
    `transaction ${formatID(txID)} is pending: it was issued and may still be accepted`,
    {
      txID,
      keys: payments.map(({ key }) => key),
      cause: signal?.aborted ? new AbortError('wallet', signal.reason) : lastError,
      hint: !isRefusedAsOutdated(group)
        ? 'call resume; do not pay it under another key'
        : payments.some(({ generated }) => generated)
          ? 'the node rejects its fee or inputs; call resume, or cancel it with the key in `keys`'
          : 'the node rejects its fee or inputs; call again with the same key and content, or cancel it',
    },
  )
}

/** The error of a payment all of whose attempts were rejected. */
export function rejectedError({ payments }: AttemptGroup, { txID }: Outcome): WalletError {
  return new WalletError(
    'PAYMENT_REJECTED',
    `transaction ${formatID(txID)} spent an input of the payment`,
    {
      txID,
      keys: payments.map(({ key }) => key),
      hint: 'another holder of the keys spends the same UTXOs; the payment was not made',
    },
  )
}

/** The error of a payment that was canceled while a call waited for it. */
export function canceledError(
  { payments }: { readonly payments: readonly { readonly key: string }[] },
  { txID }: Pick<Outcome, 'txID'>,
): WalletError {
  return new WalletError(
    'PAYMENT_CANCELED',
    `the payment was canceled: transaction ${formatID(txID)} spent an input of it`,
    {
      txID,
      keys: payments.map(({ key }) => key),
    },
  )
}

/** The error of a payment for which no further transaction can be made at the moment. */
export function cannotCancel(
  { attempts, payments }: AttemptGroup,
  message: string,
  cause?: unknown,
): WalletError {
  return new WalletError('CANNOT_CANCEL', message, {
    txID: attempts.at(-1)?.txID,
    keys: payments.map(({ key }) => key),
    cause,
    hint: 'the payment stays pending until the chain decides; call resume later',
  })
}

/** The error of a payment that an own transaction, which the store does not know, may have made. */
export function maybeMadeError(key: string, txID: Uint8Array): WalletError {
  return new WalletError(
    'PAYMENT_MAYBE_MADE',
    `transaction ${formatID(txID)}, which the store does not know, may have made the payment ${JSON.stringify(key)}`,
    {
      txID,
      keys: [key],
      hint: 'nothing was signed; if it is another payment, call again with again: true',
    },
  )
}
