import { ArgumentError } from '../errors.ts'
import { amountHint, bigintHint, quoted } from '../hints.ts'
import { MAX_U64 } from '../integers.ts'
import { requireText } from '../require.ts'

/** Maximum denomination (number of decimals) of an asset. */
export const MAX_DENOMINATION = 32

/**
 * Parses a decimal amount and returns it in the asset's smallest unit, without rounding. Accepts digits and a decimal
 * point followed by at most `denomination` digits; no sign, exponent, spaces or group separators.
 *
 * @param denomination - number of decimals of the asset, 0 to 32; default 9, as for AVAX
 * @throws ArgumentError `ENC_BAD_AMOUNT`, or `ENC_INVALID` if `text` is not a string
 *
 * @example
 * parseAmount('1.5', 9) // 1500000000n
 */
export function parseAmount(text: string, denomination = 9): bigint {
  requireText(text, 'amount', { hint: "pass a string such as '1.5': numbers lose digits" })
  checkDenomination(denomination)
  // 2^64 has 20 digits. Longer input is rejected before the conversion to BigInt.
  const match = /^0*([0-9]{1,20})(?:\.([0-9]{1,32}))?$/.exec(text.length <= 128 ? text : '')
  if (match === null)
    throw new ArgumentError(
      'ENC_BAD_AMOUNT',
      `invalid amount ${quoted(text)}: expected digits and an optional decimal point`,
      { hint: amountHint(text) },
    )
  const decimals = match[2] ?? ''
  if (decimals.length > denomination)
    throw new ArgumentError(
      'ENC_BAD_AMOUNT',
      `too many decimals: at most ${denomination} allowed, found ${decimals.length}`,
      { hint: `the asset has ${denomination} decimals` },
    )
  const units = BigInt(match[1]! + decimals.padEnd(denomination, '0'))
  if (units > MAX_U64)
    throw new ArgumentError(
      'ENC_BAD_AMOUNT',
      `amount ${text} exceeds the maximum ${formatAmount(MAX_U64, denomination)}`,
    )
  return units
}

/**
 * Formats an amount in the smallest unit as a decimal number, without rounding and without trailing zeros.
 *
 * @param denomination - number of decimals of the asset, 0 to 32; default 9, as for AVAX
 * @throws ArgumentError `ENC_BAD_AMOUNT`
 *
 * @example
 * formatAmount(1500000000n, 9) // '1.5'
 */
export function formatAmount(units: bigint, denomination = 9): string {
  checkDenomination(denomination)
  if (typeof units !== 'bigint')
    throw new ArgumentError('ENC_BAD_AMOUNT', `amount must be a bigint, is a ${typeof units}`, {
      hint: typeof units === 'number' ? bigintHint(units) : undefined,
    })
  if (units < 0n)
    throw new ArgumentError('ENC_BAD_AMOUNT', `amount must not be negative, is ${units}`)
  const digits = units.toString().padStart(denomination + 1, '0')
  const point = digits.length - denomination
  const decimals = digits.slice(point).replace(/0+$/, '')
  return decimals === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${decimals}`
}

function checkDenomination(denomination: number): void {
  if (!Number.isInteger(denomination) || denomination < 0 || denomination > MAX_DENOMINATION)
    throw new ArgumentError(
      'ENC_BAD_AMOUNT',
      `denomination must be an integer from 0 to ${MAX_DENOMINATION}, is ${denomination}`,
    )
}
