import { formatAmount } from '../base/encoding/amount.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { UnsignedTx } from '../chain/x/tx.ts'
import { feeFor } from '../chain/x/verify/verify.ts'
import { BuildError } from './errors.ts'

/** 0.1 AVAX in nAVAX, ten times the highest fee in use. A higher fee is probably a mistake or a dishonest node. */
export const DEFAULT_MAX_FEE = 100_000_000n

/** Network and maximum fee in nAVAX. */
export type FeeOptions = { readonly context: NetworkContext; readonly maxFee?: bigint | undefined }

/**
 * Returns the fee of a transaction type, in nAVAX.
 *
 * @throws BuildError `FEE_ABOVE_MAX` if it exceeds the maximum
 */
export function checkedFee(type: UnsignedTx['type'], { context, maxFee }: FeeOptions): bigint {
  return requireMaxFee(feeFor({ type }, context), maxFee)
}

/**
 * Returns the fee unchanged.
 *
 * @throws BuildError `FEE_ABOVE_MAX` if it exceeds the maximum
 */
export function requireMaxFee(fee: bigint, maxFee: bigint = DEFAULT_MAX_FEE): bigint {
  if (fee > maxFee)
    throw new BuildError(
      'FEE_ABOVE_MAX',
      `fee of ${formatAmount(fee)} AVAX exceeds maxFee, ${formatAmount(maxFee)} AVAX`,
      { hint: 'check where the fee comes from, or raise maxFee' },
    )
  return fee
}

/** Whether a transaction could not be built because of its fee or size, so that one with fewer inputs may succeed. */
export function isTooLarge(error: unknown): error is BuildError {
  return (
    error instanceof BuildError && (error.code === 'FEE_ABOVE_MAX' || error.code === 'TX_TOO_LARGE')
  )
}
