import type { NetworkContext } from '../chain/index.ts'
import type { PayoutRequest } from '../custody/index.ts'
import { parseAddress, parseAmount } from '../encoding/index.ts'
import { AvmError } from '../errors.ts'
import { CliError } from './errors.ts'

/** Decimals of an asset as written in a file; the native asset for an empty text. */
export type AssetOf = (
  text: string,
) => Promise<{ readonly assetID: Uint8Array; readonly denomination: number }>

const HEADER = 'key,address,amount,asset'

/**
 * Reads payouts from lines `key,address,amount,asset`; the asset may be left out, and the first line may be the header.
 *
 * @throws CliError `CSV_INVALID` with the numbers of all invalid lines
 */
export async function parsePayouts(
  text: string,
  context: NetworkContext,
  assetOf: AssetOf,
): Promise<PayoutRequest[]> {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  const payouts: PayoutRequest[] = []
  const faults: string[] = []
  const seen = new Map<string, number>()
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '' || (i === 0 && line.replaceAll(' ', '').toLowerCase() === HEADER))
      continue
    try {
      const payout = await payoutOf(line, context, assetOf)
      const before = seen.get(payout.key)
      if (before !== undefined) throw new CliError('CSV_INVALID', `key repeats line ${before}`)
      seen.set(payout.key, i + 1)
      payouts.push(payout)
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      faults.push(`line ${i + 1}: ${error.message}`)
    }
  }
  if (faults.length > 0)
    throw new CliError('CSV_INVALID', faults.slice(0, 20).join('; '), {
      hint: `${faults.length} invalid lines; nothing was queued`,
    })
  return payouts
}

async function payoutOf(
  line: string,
  context: NetworkContext,
  assetOf: AssetOf,
): Promise<PayoutRequest> {
  const fields = fieldsOf(line)
  const [key, address, amount, asset = ''] = fields
  if (key === undefined || address === undefined || amount === undefined || fields.length > 4)
    throw new CliError('CSV_INVALID', `expected 3 or 4 fields, got ${fields.length}`)
  if (key === '') throw new CliError('CSV_INVALID', 'the key is empty')
  parseAddress(address, { chain: context.chainAlias, hrp: context.hrp })
  const { assetID, denomination } = await assetOf(asset)
  const units = parseAmount(amount, denomination)
  if (units === 0n) throw new CliError('CSV_INVALID', 'the amount is 0')
  return { key, to: address, amount: units, assetID }
}

/** Splits a line at its commas; fields in double quotes may contain them. */
function fieldsOf(line: string): string[] {
  const fields: string[] = []
  const pattern = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y
  for (;;) {
    const match = pattern.exec(line)
    if (match === null) throw new CliError('CSV_INVALID', 'misplaced quotation mark')
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2]!.trim())
    if (match[3] === '') return fields
  }
}
