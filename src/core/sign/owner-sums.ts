import { equalBytes } from '../base/bytes/compare.ts'
import { hex } from '../base/encoding/hex.ts'
import { haveSameOwners, type OutputOwners } from '../chain/owners.ts'

/** Whether `ourOwners` of the owners can spend an output without the others, and the others cannot without them. */
export function isOursAlone({ threshold, addresses }: OutputOwners, ourOwners: number): boolean {
  return threshold > 0 && ourOwners >= threshold && addresses.length - ourOwners < threshold
}

/** Amounts by owners and asset. Owners are identified by a key, see {@link ownersKeys}. */
export class GroupSums {
  readonly #sums = new Map<string, Map<string, bigint>>()
  // Consecutive UTXOs often have the same asset: comparing is faster than encoding hex.
  #last: { readonly assetID: Uint8Array; readonly name: string } | undefined

  add(key: string, assetID: Uint8Array, amount: bigint): void {
    const asset = this.#nameOf(assetID)
    const sum = this.of(key)
    sum.set(asset, (sum.get(asset) ?? 0n) + amount)
  }

  /** Sums of one set of owners, by the hex of the asset ID. */
  of(key: string): Map<string, bigint> {
    let sum = this.#sums.get(key)
    if (sum === undefined) {
      sum = new Map()
      this.#sums.set(key, sum)
    }
    return sum
  }

  #nameOf(assetID: Uint8Array): string {
    if (this.#last === undefined || !equalBytes(this.#last.assetID, assetID))
      this.#last = { assetID, name: hex.encode(assetID) }
    return this.#last.name
  }
}

/**
 * Returns a function that gives owners a key: the same text for the same threshold and addresses, whatever the
 * locktime.
 */
export function ownersKeys(): (owners: OutputOwners) => string {
  // Consecutive UTXOs often have the same owners: comparing is faster than encoding hex.
  let last: { readonly owners: OutputOwners; readonly key: string } | undefined
  return (owners) => {
    if (last === undefined || !haveSameOwners(last.owners, owners)) {
      const key = `${owners.threshold}:${owners.addresses.map(hex.encode).join()}`
      last = { owners, key }
    }
    return last.key
  }
}
