import { BuildError } from '../build/errors.ts'
import { DEFAULT_MAX_FEE } from '../build/finish.ts'
import { formatAmount } from '../encoding/amount.ts'

/** The fee, unless it is above what the caller accepts. */
export function withinCeiling(fee: bigint, maxFee: bigint = DEFAULT_MAX_FEE): bigint {
  if (fee > maxFee)
    throw new BuildError(
      'FEE_ABOVE_CEILING',
      `fee of ${formatAmount(fee)} AVAX is above the ceiling of ${formatAmount(maxFee)} AVAX`,
      { hint: 'check where the gas price comes from, or raise maxFee' },
    )
  return fee
}

/** Throws unless a price is a bigint from 0 up. */
export function checkPrice(price: bigint, what: string): void {
  if (typeof price !== 'bigint' || price < 0n)
    throw new BuildError('BAD_AMOUNT', `expected ${what} as bigint from 0 up, found ${price}`)
}
