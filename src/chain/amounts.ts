import { equalBytes } from '../bytes/compare.ts'
import { hex } from '../encoding/hex.ts'

/** An amount of one asset. */
export type AssetAmount = { readonly assetID: Uint8Array; readonly amount: bigint }

/** Amounts per asset, kept in the order in which the assets were first seen. */
export class AssetSums {
  private readonly sums = new Map<string, { assetID: Uint8Array; amount: bigint }>()
  // Coins of one asset follow one another, and a text for each takes longer than all else.
  private last: { assetID: Uint8Array; amount: bigint } | undefined

  constructor(amounts: readonly AssetAmount[] = []) {
    for (const { assetID, amount } of amounts) this.add(assetID, amount)
  }

  add(assetID: Uint8Array, amount: bigint): void {
    if (this.last === undefined || !equalBytes(this.last.assetID, assetID)) {
      const key = hex.encode(assetID)
      this.last = this.sums.get(key) ?? { assetID, amount: 0n }
      this.sums.set(key, this.last)
    }
    this.last.amount += amount
  }

  get(assetID: Uint8Array): bigint {
    return this.sums.get(hex.encode(assetID))?.amount ?? 0n
  }

  /** Those that are not zero. */
  list(): AssetAmount[] {
    return [...this.sums.values()].filter(({ amount }) => amount !== 0n)
  }
}
