import { parseAmount } from '../encoding/amount.ts'
import { EncodingError } from '../errors.ts'
import { UsageError } from './errors.ts'

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

function amountHint(text: string, places: number): string | undefined {
  if (/^[0-9]+,[0-9]+$/.test(text)) return 'write the decimal separator as a point: 1.5'
  if (/^\.[0-9]+$/.test(text)) return 'write a digit before the point: 0.5'
  if (/^[0-9]+\.$/.test(text)) return 'write a digit after the point, or leave the point out'
  if (/^[0-9.]+\s*n?[A-Za-z]{1,5}$/.test(text))
    return 'write the number without a unit; --asset selects another asset'
  if (/^-/.test(text)) return 'an amount cannot be negative'
  if (/^\+/.test(text)) return 'write the number without a sign'
  if (/^[0-9](_|')/.test(text)) return 'write the number without separators'
  const [, decimals = ''] = /^[0-9]+\.([0-9]+)$/.exec(text) ?? []
  if (decimals.length > places) return `the asset has ${places} decimals`
  return undefined
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
