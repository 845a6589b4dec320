import { parseAmount } from '../../core/base/encoding/amount.ts'
import { EncodingError } from '../../core/base/errors.ts'
import { UsageError } from '../errors.ts'

/**
 * Parses an amount with the decimals of its asset.
 *
 * @throws EncodingError with a hint for common mistakes
 */
export function readAmount(text: string, places = 9): bigint {
  try {
    return parseAmount(text, places)
  } catch (cause) {
    if (!(cause instanceof EncodingError)) throw cause
    const hint = amountHint(text, places)
    if (hint === undefined) throw cause
    throw new EncodingError(cause.code, cause.message, { cause, hint })
  }
}

/** Advice by the shape of the text; the first match counts. */
const AMOUNT_HINTS: readonly (readonly [RegExp, string])[] = [
  [/^[-\u2212]/, 'an amount cannot be negative'],
  [/^\+/, 'write the number without a sign'],
  [/^0x/i, 'write the amount as a decimal number'],
  [/^[0-9]+,[0-9]+$/, 'write the decimal separator as a point: 1.5'],
  [/^[0-9]+([_' ,.][0-9]{3})+([.,][0-9]*)?$/, 'write the number without separators'],
  [/^[0-9]+[_']/, 'write the number without separators'],
  [/^\.[0-9]+$/, 'write a digit before the point: 0.5'],
  [/^[0-9]+\.$/, 'write a digit after the point, or leave the point out'],
  [/^[0-9.]+e[+-]?[0-9]+$/i, 'write all digits instead of an exponent: 1000000000'],
  [
    /^[0-9.,]+\s*[A-Z]{1,5}$/i,
    'write the number without a unit; --asset, or the column asset of a file, selects another asset',
  ],
  [/^[0-9]{21,}/, 'an amount cannot exceed 18446744073709551615 base units'],
]

function amountHint(text: string, places: number): string | undefined {
  const [, decimals = ''] = /^[0-9]+\.([0-9]+)$/.exec(text) ?? []
  if (decimals.length > places) return `the asset has ${places} decimals`
  return AMOUNT_HINTS.find(([shape]) => shape.test(text))?.[1]
}

/**
 * Parses `ADDRESS=AVAX`.
 *
 * @throws UsageError `BAD_VALUE`
 */
export function parseGrant(text: string): { readonly address: string; readonly amount: bigint } {
  const [address, amount, more] = text.split('=')
  if (!address || !amount || more !== undefined)
    throw new UsageError('BAD_VALUE', 'expected ADDRESS=AVAX')
  return { address, amount: readAmount(amount) }
}
