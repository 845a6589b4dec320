import { EncodingError } from '../errors.ts'

/** The most decimals an asset can have. */
export const MAX_DENOMINATION = 32

/** The most units of an asset that one output can hold. */
export const MAX_U64 = 0xffffffffffffffffn

/**
 * Reads a decimal amount as a number of smallest units, exactly: digits, and a point with at most
 * `denomination` decimals. No sign, exponent, space or thousands mark.
 *
 * @example
 * parseAmount('1.5', 9) // 1500000000n
 */
export function parseAmount(text: string, denomination = 9): bigint {
  checkDenomination(denomination)
  // 2^64 has 20 digits: longer texts are refused before they become numbers.
  const match = /^0*([0-9]{1,20})(?:\.([0-9]{1,32}))?$/.exec(text.length <= 128 ? text : '')
  if (match === null)
    throw new EncodingError(
      'ENC_BAD_AMOUNT',
      `expected decimal digits with at most one point, found ${JSON.stringify(text.slice(0, 40))}`,
    )
  const decimals = match[2] ?? ''
  if (decimals.length > denomination)
    throw new EncodingError(
      'ENC_BAD_AMOUNT',
      `expected at most ${denomination} decimals, found ${decimals.length}`,
    )
  const units = BigInt(match[1]! + decimals.padEnd(denomination, '0'))
  if (units > MAX_U64)
    throw new EncodingError(
      'ENC_BAD_AMOUNT',
      `expected at most ${formatAmount(MAX_U64, denomination)}, found ${text}`,
    )
  return units
}

/**
 * Writes a number of smallest units as a decimal amount, exactly and without trailing zeros.
 *
 * @example
 * formatAmount(1500000000n, 9) // '1.5'
 */
export function formatAmount(units: bigint, denomination = 9): string {
  checkDenomination(denomination)
  if (units < 0n)
    throw new EncodingError('ENC_BAD_AMOUNT', `expected an amount of 0 or more, found ${units}`)
  const digits = units.toString().padStart(denomination + 1, '0')
  const point = digits.length - denomination
  const decimals = digits.slice(point).replace(/0+$/, '')
  return decimals === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${decimals}`
}

function checkDenomination(denomination: number): void {
  if (!Number.isInteger(denomination) || denomination < 0 || denomination > MAX_DENOMINATION)
    throw new EncodingError(
      'ENC_BAD_AMOUNT',
      `expected a denomination of 0 to ${MAX_DENOMINATION}, found ${denomination}`,
    )
}
