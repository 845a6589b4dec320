import { formatID } from '../../core/base/encoding/ids.ts'
import type { Invocation } from '../invocation.ts'
import { lookUpAssets } from '../spending/lookup.ts'

/** Something that has an asset. */
type OfAsset = { readonly assetID: Uint8Array }

/** Prints amounts in units of their assets with the symbol; those of an unknown asset in its smallest unit. */
export type AmountPrinter = (amount: bigint, assetID: Uint8Array) => string

/** Looks assets up, so that their amounts can be printed. */
export async function amountPrinter(
  invocation: Invocation,
  items: readonly OfAsset[],
): Promise<AmountPrinter> {
  const known = await lookUpAssets(
    await invocation.view(),
    items.map(({ assetID }) => formatID(assetID)),
    await invocation.context(),
    invocation.callOptions(),
  )
  return (amount, assetID) => {
    const { format, label } = known.find(formatID(assetID))
    return `${format(amount)} ${label}`
  }
}
