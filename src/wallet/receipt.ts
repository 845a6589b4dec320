import { formatID } from '../encoding/ids.ts'
import type { Explanation } from '../sign/explanation.ts'
import type { Outcome } from './delivery.ts'
import { WalletError } from './errors.ts'
import type { Receipt } from './options.ts'

/** The receipt of a transaction that was accepted; throws what stands against all others. */
export function receiptOf(txID: Uint8Array, outcome: Outcome, explanation?: Explanation): Receipt {
  if (outcome.status === 'refused') throw outcome.error
  if (outcome.status === 'open')
    throw new WalletError(
      'TX_OPEN',
      `transaction ${formatID(txID)} was sent, and whether it is accepted is not known`,
      { txID, cause: outcome.error, hint: 'call resume; do not pay again before it is settled' },
    )
  return { txID, ...(explanation === undefined ? {} : { explanation }) }
}
