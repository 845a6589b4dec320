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
  /** When the hot wallet has more than this beyond what is queued … */
  readonly above: bigint
  /** … all but this is moved. */
  readonly keep: bigint
  readonly to: AddressArgument
  readonly assetID?: IDArgument | undefined
}

/** Asks for funds from cold storage by a signing request, see `custody.requests()`. */
export type RefillRule = {
  readonly type: 'refill'
  /** When the hot wallet has less than this beyond what is queued … */
  readonly below: bigint
  /** … this much is asked for. */
  readonly amount: bigint
  /** Addresses of the cold storage; change goes to the first. */
  readonly from: readonly AddressArgument[]
  readonly assetID?: IDArgument | undefined
}

/** Combines small UTXOs of the hot wallet while no payout is queued. */
export type ConsolidateRule = {
  readonly type: 'consolidate'
  /** When there are more UTXOs than this. */
  readonly above: number
  readonly assetID?: IDArgument | undefined
}

/** When funds move between deposit addresses, hot wallet and cold storage. */
export type SweepRule = CollectRule | StoreRule | RefillRule | ConsolidateRule
