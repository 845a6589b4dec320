import { parseAmount } from '../../core/base/encoding/amount.ts'
import { UsageError } from '../errors.ts'

/**
 * Parses `ADDRESS=AVAX`.
 *
 * @throws UsageError `BAD_VALUE`
 */
export function parseGrant(text: string): { readonly address: string; readonly amount: bigint } {
  const [address, amount, more] = text.split('=')
  if (!address || !amount || more !== undefined)
    throw new UsageError('BAD_VALUE', 'expected ADDRESS=AVAX')
  return { address, amount: parseAmount(amount) }
}
