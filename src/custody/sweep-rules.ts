import type { AddressArgument, IDArgument } from '../build/arguments.ts'

/** Collects what customers deposited. */
export type CollectRule = {
  readonly type: 'collect'
  /** Deposit addresses with more than this of the asset are emptied. */
  readonly above: bigint
  /** @defaultValue the native asset */
  readonly assetID?: IDArgument | undefined
}

/** Moves a surplus of the hot wallet to cold storage. */
export type StoreRule = {
  readonly type: 'store'
  /** Applies if the hot wallet has more than this beyond the queued payouts. */
  readonly above: bigint
  /** What stays in the hot wallet; the rest is moved. */
  readonly keep: bigint
  readonly to: AddressArgument
  readonly assetID?: IDArgument | undefined
}

/** Requests funds from cold storage with a signing request, see `custody.requests()`. */
export type RefillRule = {
  readonly type: 'refill'
  /** Applies if the hot wallet has less than this beyond the queued payouts. */
  readonly below: bigint
  /** The amount to request. */
  readonly amount: bigint
  /** Addresses of the cold storage; change goes to the first. */
  readonly from: readonly AddressArgument[]
  readonly assetID?: IDArgument | undefined
}

/** Combines small UTXOs of the hot wallet while no payout is queued. */
export type ConsolidateRule = {
  readonly type: 'consolidate'
  /** Applies if there are more UTXOs than this. */
  readonly above: number
  readonly assetID?: IDArgument | undefined
}

/** When funds move between deposit addresses, hot wallet and cold storage. */
export type SweepRule = CollectRule | StoreRule | RefillRule | ConsolidateRule
