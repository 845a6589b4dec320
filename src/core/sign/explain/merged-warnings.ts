import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'

/** Longer lists of amounts are abbreviated. */
const MAX_AMOUNTS = 5

/** Joins amounts of different assets. */
export function amountList(
  amounts: readonly AssetAmount[],
  amountText: (amount: AssetAmount) => string,
): string {
  const shown = amounts.slice(0, MAX_AMOUNTS).map(amountText).join(', ')
  const more = amounts.length - MAX_AMOUNTS
  return more > 0 ? `${shown} and ${more} more assets` : shown
}

/** The amounts that warnings are about. */
export type WarnedAmounts = {
  /** ID of the native asset, whose sum comes first. */
  readonly native: Uint8Array
  /** The amounts of the outputs, by the paths of their warnings. */
  readonly byPath: ReadonlyMap<string, AssetAmount>
  readonly amountText: (amount: AssetAmount) => string
}

/**
 * The first warning of each code, with the number of others and the sums of all outputs: a long list would hide other
 * codes, and the first alone would hide amounts.
 */
export function mergedWarnings<
  W extends { readonly code: string; readonly message: string; readonly path: string },
>(warnings: readonly W[], { native, byPath, amountText }: WarnedAmounts): W[] {
  const byCode = new Map<string, { first: W; count: number; sums: AssetSums }>()
  for (const warning of warnings) {
    const entry = byCode.get(warning.code) ?? {
      first: warning,
      count: 0,
      sums: new AssetSums([{ assetID: native, amount: 0n }]),
    }
    byCode.set(warning.code, entry)
    entry.count++
    const warned = byPath.get(warning.path)
    if (warned !== undefined) entry.sums.add(warned.assetID, warned.amount)
  }
  return Array.from(byCode.values(), ({ first, count, sums }) => {
    const text = amountList(sums.list(), amountText)
    const total = text && `: ${text} in total`
    return count === 1
      ? first
      : { ...first, message: `${first.message} (and ${count - 1} more${total})` }
  })
}
