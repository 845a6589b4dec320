import { type AssetAmount, AssetSums } from '../chain/amounts.ts'

/** A warning before those with the same code are merged. */
export type Finding<W> = W & {
  /** What it is about; a merged warning names the sums. */
  readonly amount?: AssetAmount | undefined
}

/** Longer lists of sums are abbreviated. */
const MAX_SUMS = 5

/** Returns a function that formats the sums of amounts, the native asset first. */
export function sumFormatter(
  native: Uint8Array,
  amountText: (amount: AssetAmount) => string,
): (amounts: readonly AssetAmount[]) => string {
  return (amounts) => {
    const sums = new AssetSums([{ assetID: native, amount: 0n }, ...amounts]).list()
    const shown = sums.slice(0, MAX_SUMS).map(amountText).join(', ')
    const more = sums.length - MAX_SUMS
    return more > 0 ? `${shown} and ${more} more assets` : shown
  }
}

/**
 * The first warning of each code, with the number of others and the sums of all: a long list would hide other codes,
 * and the first alone would hide amounts.
 */
export function mergedWarnings<W extends { readonly code: string; readonly message: string }>(
  findings: readonly Finding<W>[],
  sumText: (amounts: readonly AssetAmount[]) => string,
): W[] {
  const byCode = new Map<string, Finding<W>[]>()
  for (const finding of findings) {
    const list = byCode.get(finding.code)
    if (list === undefined) byCode.set(finding.code, [finding])
    else list.push(finding)
  }
  return Array.from(byCode.values(), (list) => {
    const { amount: _, ...first } = list[0]!
    const amounts = list.flatMap(({ amount }) => amount ?? [])
    const total = amounts.length === 0 ? '' : `: ${sumText(amounts)} in total`
    const others = list.length === 1 ? '' : ` (and ${list.length - 1} more${total})`
    return { ...first, message: first.message + others } as unknown as W
  })
}
