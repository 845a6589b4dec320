import { formatID } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { FilePayout, PayoutBatch } from './payouts.ts'

/** Amounts by asset ID, in the smallest unit. */
export type Funds = ReadonlyMap<string, bigint>

/** An asset of which there is not enough. */
export type Shortage = {
  readonly assetID: string
  readonly needed: bigint
  readonly available: bigint
}

/** What a batch of transactions costs: its payments and its fees. */
export function costOf(batches: readonly PayoutBatch[], { assetID, txFee }: NetworkContext): Funds {
  const costs = new Map([[formatID(assetID), txFee * BigInt(batches.length)]])
  for (const { payouts } of batches)
    for (const { output } of payouts) {
      const id = formatID(output.assetID)
      costs.set(id, (costs.get(id) ?? 0n) + output.amount)
    }
  return costs
}

/** The assets of which there is not enough. */
export function shortagesOf(costs: Funds, available: Funds): Shortage[] {
  return [...costs]
    .map(([assetID, needed]) => ({ assetID, needed, available: available.get(assetID) ?? 0n }))
    .filter(({ needed, available: has }) => needed > has)
}

/** Payments in the order of the file, split into transactions of limited size with one memo each. */
export function consecutiveBatches(payouts: readonly FilePayout[], size: number): PayoutBatch[] {
  const batches: { memo: string; payouts: FilePayout[] }[] = []
  for (const payout of payouts) {
    const last = batches.at(-1)
    if (last !== undefined && last.memo === payout.memo && last.payouts.length < size)
      last.payouts.push(payout)
    else batches.push({ memo: payout.memo, payouts: [payout] })
  }
  return batches
}

/**
 * The first payments of a file that can be paid in its order. The first one that cannot be paid ends the list, even if
 * later ones are smaller: otherwise it would depend on the balance who is paid first.
 */
export function affordable(
  payouts: readonly FilePayout[],
  available: Funds,
  size: number,
  context: NetworkContext,
): PayoutBatch[] {
  const fits = (count: number) =>
    shortagesOf(costOf(consecutiveBatches(payouts.slice(0, count), size), context), available)
      .length === 0
  // Costs only grow with the number of payments, so the largest number that fits is found by bisection.
  let [low, high] = [0, payouts.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return consecutiveBatches(payouts.slice(0, low), size)
}
