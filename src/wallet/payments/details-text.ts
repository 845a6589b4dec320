import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatAmount } from '../../core/base/encoding/amount.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { type NetworkContext, paysAVAX } from '../../core/chain/networks.ts'
import { StoreError } from '../store/errors.ts'
import { contentDetails, type PaymentDetails } from './payment-details.ts'

/** Amounts as text by asset ID. */
export type AmountText = (assetID: Uint8Array, amount: bigint) => string

/** What was requested, in one line: `5 AVAX to X-avax1…`. */
export function detailsText(details: PaymentDetails | undefined, amountText: AmountText): string {
  if (details === undefined) return 'not recorded'
  const { kind, outputs, destinationChain, memo, other } = details
  const lines = outputs.map(({ to, amount, assetID, locktime }) => {
    const what = amount === 'all' ? 'the whole balance' : amountText(assetID, amount)
    const locked = locktime === 0n ? '' : ` locked until ${locktime}`
    return `${what} to ${to.join(', ')}${locked}`
  })
  const rest = lines.length > 3 ? [...lines.slice(0, 2), `${lines.length - 2} more`] : lines
  const verb =
    kind === 'transfer' ? [] : [destinationChain ? `${kind} to ${destinationChain}` : kind]
  const note = memo === undefined ? [] : [`memo 0x${hex.encode(memo)}`]
  const further = other.map((part) => (part.length > 80 ? `${part.slice(0, 80)}…` : part))
  return [...verb, rest.join('; '), ...further, ...note].filter((part) => part !== '').join(': ')
}

/** Amounts of AVAX with its decimals; other assets in their smallest unit, with their IDs. */
export function plainAmounts(context: Pick<NetworkContext, 'assetID' | 'chainAlias'>): AmountText {
  return (assetID, amount) =>
    equalBytes(assetID, context.assetID) && paysAVAX(context)
      ? `${formatAmount(amount)} AVAX`
      : `${amount} of asset ${formatID(assetID)}`
}

/** Whether keys belong to payments with other content. */
export function isKeyConflict(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'KEY_CONFLICT'
}

/** The error of keys that belong to payments with other content, with both contents of the first one. */
export function explainConflict(error: StoreError, context: NetworkContext): StoreError {
  const [first] = error.conflicts
  if (first === undefined) return error
  const amountText = plainAmounts(context)
  const textOf = (content: Uint8Array | undefined) =>
    detailsText(contentDetails(content, context), amountText)
  const { keys, conflicts, hint } = error
  const more = keys.length > 1 ? ` (and ${keys.length - 1} further keys)` : ''
  return new StoreError(
    'KEY_CONFLICT',
    `key ${JSON.stringify(first.key)} belongs to another payment: recorded is ${textOf(first.recorded)}, requested is ${textOf(first.requested)}${more}`,
    { keys, conflicts, hint, cause: error.cause },
  )
}

/** A fee with its unit. */
export function feeText(
  fee: bigint,
  context: Pick<NetworkContext, 'assetID' | 'chainAlias'>,
): string {
  return plainAmounts(context)(context.assetID, fee)
}
