import { hex } from '../base/encoding/hex.ts'
import type { AssetAmount } from '../chain/amounts.ts'
import type { ChainAlias } from '../chain/chain-types.ts'
import type { Draft } from './draft.ts'

/**
 * Why UTXOs are in no transaction of a plan. `dust`: they do not bring more than their fee. `fee`: nothing can pay
 * their fee, or it exceeds `maxFee`. `shortOfSigners`: other owners must sign too. `arrived`: they already belong to
 * the recipient. `otherAsset`: the caller or the chain does not take this asset. `otherOutputs`: they are mint rights,
 * NFTs and properties. `opaque`: they cannot be decoded, or break a rule of the chain. `disputed`: too few servers list
 * them, or do not list them.
 */
export type LeftBehindReason =
  | 'dust'
  | 'fee'
  | 'locked'
  | 'shortOfSigners'
  | 'reserved'
  | 'arrived'
  | 'otherOwners'
  | 'otherAsset'
  | 'otherOutputs'
  | 'opaque'
  | 'disputed'

/** UTXOs of one asset that a plan leaves out for one reason. */
export type LeftBehind = {
  readonly reason: LeftBehindReason
  readonly assetID: Uint8Array
  /** In the asset's smallest unit; 0n for UTXOs without an amount. */
  readonly amount: bigint
  /** Number of UTXOs, if they were counted. */
  readonly count?: number | undefined
  /** For `locked`: unix time in seconds of the last unlock. */
  readonly until?: bigint | undefined
  /** For `disputed`: host and port of the servers that list it. */
  readonly listedBy?: readonly string[] | undefined
  /** For `disputed`: host and port of the servers that do not list it, or list it with other content. */
  readonly missingFrom?: readonly string[] | undefined
}

/** Planned transactions. */
export type Plan<A extends ChainAlias = 'X'> = {
  /** Number of transactions, and so of drafts. */
  readonly transactions: number
  /** What the transactions do not include. */
  readonly leftBehind: readonly LeftBehind[]
  /**
   * Returns the drafts one by one, from the first on every call. Those of the X-Chain are built on demand: a set must
   * still contain the UTXOs.
   */
  readonly drafts: () => Generator<Draft<A>, void, undefined>
}

/** A UTXO that a plan leaves out. */
export type LeftUTXO = AssetAmount & {
  readonly reason: LeftBehindReason
  /** Unix seconds of the unlock, for `locked`. */
  readonly until?: bigint | undefined
}

/** The plan of these drafts, and of what they leave out. */
export function planOf<A extends ChainAlias>(
  drafts: readonly Draft<A>[],
  left: readonly LeftUTXO[],
): Plan<A> {
  return {
    transactions: drafts.length,
    leftBehind: sumLeft(left.map((utxo) => ({ ...utxo, count: 1 }))),
    *drafts() {
      yield* drafts
    },
  }
}

/** Sums up what is left behind by reason and asset. */
export function sumLeft(list: readonly LeftBehind[]): LeftBehind[] {
  const groups = new Map<string, LeftBehind>()
  for (const one of list) {
    const key = `${one.reason} ${hex.encode(one.assetID)}`
    const { amount, count = 0, until = 0n } = groups.get(key) ?? { amount: 0n }
    groups.set(key, {
      ...one,
      amount: amount + one.amount,
      ...(one.count !== undefined && { count: count + one.count }),
      ...(one.until !== undefined && { until: one.until > until ? one.until : until }),
    })
  }
  return [...groups.values()]
}
