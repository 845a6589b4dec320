import { formatID } from '../../core/base/encoding/ids.ts'
import { AbortError } from '../../node/errors.ts'
import { WalletError } from '../errors.ts'
import { isOutdated } from '../machine/rejected.ts'
import type { Attempt, Outcome, PaymentRecord } from '../store/store.ts'
import type { Ended, Unfinished } from './ended.ts'
import { isGeneratedKey } from './payment-keys.ts'

/** The error of a payment without an outcome when time is over or the caller aborts. */
export function pendingError(
  { payments, attempts, error, rejection }: Unfinished,
  signal: AbortSignal | undefined,
): WalletError {
  const txID = attempts.at(-1)?.txID
  return new WalletError(
    'TX_PENDING',
    `transaction ${txID ? formatID(txID) : ''} is pending: it was issued and may still be accepted`,
    {
      txID,
      keys: payments.map(({ key }) => key),
      cause: signal?.aborted ? new AbortError('wallet', signal.reason) : error,
      hint: !isOutdated(rejection)
        ? 'call resume; do not pay it under another key'
        : payments.some(({ key }) => isGeneratedKey(key))
          ? 'the node rejects its fee or inputs; call resume, or cancel it with the key in `keys`'
          : 'the node rejects its fee or inputs; call again with the same key and content, or cancel it',
    },
  )
}

/** The error of a payment all of whose attempts were rejected. */
function rejectedError(records: readonly PaymentRecord[], { txID }: Outcome): WalletError {
  return new WalletError(
    'PAYMENT_REJECTED',
    `transaction ${formatID(txID)} spent an input of the payment`,
    {
      txID,
      keys: records.map(({ key }) => key),
      hint: 'another holder of the keys spends the same UTXOs; the payment was not made; if you trust the server, call again with again: true',
    },
  )
}

/** The error of a payment that was canceled while a call waited for it. */
export function canceledError(
  records: readonly PaymentRecord[],
  { txID }: Pick<Outcome, 'txID'>,
): WalletError {
  return new WalletError(
    'PAYMENT_CANCELED',
    `the payment was canceled: transaction ${formatID(txID)} spent an input of it`,
    {
      txID,
      keys: records.filter(({ status }) => status === 'canceled').map(({ key }) => key),
    },
  )
}

/** Returns how a call has ended that has made its payments. Otherwise throws why it has not. */
export function requireMade<I>(ended: Ended<I>): Ended<I> {
  const { outcome, records } = ended
  if (outcome.status === 'canceled') throw canceledError(records, outcome)
  if (outcome.status === 'rejected') throw rejectedError(records, outcome)
  return ended
}

/** The error of a payment for which no further transaction can be made at the moment. */
export function cannotCancel(
  attempts: readonly Attempt[],
  message: string,
  cause?: unknown,
): WalletError {
  return new WalletError('CANNOT_CANCEL', message, {
    txID: attempts.at(-1)?.txID,
    keys: [...new Set(attempts.flatMap(({ keys }) => keys))],
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
      hint: 'nothing was signed; if it is another payment, pay with again: true',
    },
  )
}
