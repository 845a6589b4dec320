import { equalBytes } from '../base/bytes/compare.ts'
import { hex } from '../base/encoding/hex.ts'

/** An amount of one asset, in its smallest unit. */
export type AssetAmount = { readonly assetID: Uint8Array; readonly amount: bigint }

/** Sums of amounts per asset, in the order in which the assets were first added. */
export class AssetSums {
  private readonly sums = new Map<string, { assetID: Uint8Array; amount: bigint }>()
  // Cached, because consecutive amounts are usually of the same asset and encoding its ID for the map is expensive.
  private last: { assetID: Uint8Array; amount: bigint } | undefined

  constructor(amounts: readonly AssetAmount[] = []) {
    for (const { assetID, amount } of amounts) this.add(assetID, amount)
  }

  /** Adds an amount, which may be negative. */
  add(assetID: Uint8Array, amount: bigint): void {
    if (this.last === undefined || !equalBytes(this.last.assetID, assetID)) {
      const key = hex.encode(assetID)
      this.last = this.sums.get(key) ?? { assetID, amount: 0n }
      this.sums.set(key, this.last)
    }
    this.last.amount += amount
  }

  /** Returns the sum of an asset; 0n if nothing was added. */
  get(assetID: Uint8Array): bigint {
    return this.sums.get(hex.encode(assetID))?.amount ?? 0n
  }

  /** Returns the sums that are not zero. */
  list(): AssetAmount[] {
    return [...this.sums.values()].filter(({ amount }) => amount !== 0n)
  }
}
