import { formatAmount } from '../../core/base/encoding/amount.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { type AssetAmount, AssetSums } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { NamedAsset } from '../assets.ts'

/** What the rules need to know of a payment. */
export type PayoutItem = AssetAmount & {
  /** In hex. Payments with different memos are made by different transactions. */
  readonly memo: string
}

/** An asset of which there is not enough. */
export type Shortage = {
  readonly assetID: Uint8Array
  /** In the asset's smallest unit; fees are included. */
  readonly needed: bigint
  /** What can be spent now: without what is locked or reserved. */
  readonly available: bigint
}

/** Groups payments by memo, in their order, into transactions of limited size. */
export function groupPayouts<T extends PayoutItem>(payouts: readonly T[], size: number): T[][] {
  const byMemo = new Map<string, T[]>()
  for (const payout of payouts) {
    const group = byMemo.get(payout.memo)
    if (group === undefined) byMemo.set(payout.memo, [payout])
    else group.push(payout)
  }
  return [...byMemo.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / size) }, (_, i) =>
      group.slice(i * size, (i + 1) * size),
    ),
  )
}

/** What transactions cost: their payments and their fees. */
export function costOf(
  groups: readonly (readonly PayoutItem[])[],
  { assetID, txFee }: Pick<NetworkContext, 'assetID' | 'txFee'>,
): AssetAmount[] {
  const fees = { assetID, amount: txFee * BigInt(groups.length) }
  return new AssetSums([fees, ...groups.flat()]).list()
}

/** The assets of which there is not enough. */
export function shortagesOf(
  costs: readonly AssetAmount[],
  available: readonly AssetAmount[],
): Shortage[] {
  const has = new AssetSums(available)
  return costs
    .map(({ assetID, amount }) => ({ assetID, needed: amount, available: has.get(assetID) ?? 0n }))
    .filter(({ needed, available: found }) => needed > found)
}

/** Payments in their order, split into transactions of limited size with one memo each. */
function consecutiveGroups<T extends PayoutItem>(payouts: readonly T[], size: number): T[][] {
  const groups: T[][] = []
  for (const payout of payouts) {
    const last = groups.at(-1)
    if (last !== undefined && last[0]!.memo === payout.memo && last.length < size) last.push(payout)
    else groups.push([payout])
  }
  return groups
}

/**
 * Transactions for the first payments of a list that can be paid in its order. The first one that cannot be paid ends them, even
 * if later ones are smaller: otherwise it would depend on the balance who is paid first.
 */
export function affordable<T extends PayoutItem>(
  payouts: readonly T[],
  available: readonly AssetAmount[],
  size: number,
  context: Pick<NetworkContext, 'assetID' | 'txFee'>,
): T[][] {
  const groupsOf = (count: number) => consecutiveGroups(payouts.slice(0, count), size)
  const fits = (count: number) =>
    shortagesOf(costOf(groupsOf(count), context), available).length === 0
  // Costs only grow with the number of payments, so the largest number that fits is found by bisection.
  let [low, high] = [0, payouts.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return groupsOf(low)
}

/** Shortages as text, such as `needs 1,500.4 AVAX, has 110`. Amounts of unknown assets are in their smallest unit. */
export function shortageText(
  shortages: readonly Shortage[],
  assets: ReadonlyMap<string, Pick<NamedAsset, 'symbol' | 'denomination'>>,
): string {
  return shortages
    .map(({ assetID, needed, available }) => {
      const asset = assets.get(hex.encode(assetID))
      const text = (amount: bigint) => grouped(formatAmount(amount, asset?.denomination ?? 0))
      return `needs ${text(needed)} ${asset?.symbol ?? formatID(assetID)}, has ${text(available)}`
    })
    .join('; ')
}

/** A decimal amount with commas between thousands. */
function grouped(amount: string): string {
  const [whole, decimals] = amount.split('.') as [string, string?]
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return decimals === undefined ? thousands : `${thousands}.${decimals}`
}
