import type { AssetBalance } from '../coins/balances.ts'
import type { Packing } from '../coins/packing.ts'
import type { Pool } from '../coins/pool.ts'
import type { Draft } from './draft.ts'

/**
 * Why coins are in no transaction of a plan. `dust` brings less than it costs; `fee`: nobody pays theirs;
 * `arrived`: they belong to the target already.
 */
export type LeftBehindReason =
  | 'dust'
  | 'fee'
  | 'locked'
  | 'shortOfSigners'
  | 'reserved'
  | 'arrived'
  | 'otherOwners'
  | 'otherOutputs'
  | 'opaque'

/** What a plan leaves where it is, of one asset and for one reason. */
export type LeftBehind = {
  readonly reason: LeftBehindReason
  readonly assetID: Uint8Array
  /** In the asset's smallest unit; 0n for what is no amount. */
  readonly amount: bigint
  /** How many UTXOs, where they were counted: for `dust`, `fee`, `otherOutputs` and `opaque`. */
  readonly count?: number
  /** For `locked`: unix seconds from which all of it is free. */
  readonly until?: bigint
}

/** Transactions that are decided on, drafted one by one when asked for. */
export type Plan = {
  /** How many drafts there will be. */
  readonly transactions: number
  readonly leftBehind: readonly LeftBehind[]
  /** Starts over with every call; the set must not have lost the coins meanwhile. */
  readonly drafts: () => Generator<Draft, void, undefined>
}

/** What a packing and the state of a set leave behind. */
export function leftBehind(
  pool: Pool,
  packing: Packing,
  balances: () => readonly AssetBalance[],
  isWanted: (assetID: Uint8Array) => boolean,
): LeftBehind[] {
  if (isWhole(pool, packing)) return []
  const list: LeftBehind[] = [
    ...countedRows(pool, 'dust', packing.dust),
    ...countedRows(pool, 'fee', packing.unpaid),
  ]
  for (const balance of balances()) {
    const { assetID } = balance
    if (!isWanted(assetID)) continue
    for (const reason of ['shortOfSigners', 'reserved', 'otherOwners'] as const)
      if (balance[reason] > 0n) list.push({ reason, assetID, amount: balance[reason] })
    if (balance.locked > 0n)
      list.push({ reason: 'locked', assetID, amount: balance.locked, until: balance.lastUnlock! })
    for (const reason of ['otherOutputs', 'opaque'] as const)
      if (balance[reason] > 0) list.push({ reason, assetID, amount: 0n, count: balance[reason] })
  }
  return list
}

/** Whether a packing holds all there is, so that nothing else has to be looked for. */
function isWhole({ holdings }: Pool, { transactions }: Packing): boolean {
  const packed = transactions.reduce((sum, { rows }) => sum + rows.length, 0)
  return packed === holdings.store.count && holdings.opaque.size === 0
}

function countedRows(pool: Pool, reason: LeftBehindReason, rows: readonly number[]): LeftBehind[] {
  const { store } = pool
  const byAsset = new Map<number, { amount: bigint; count: number }>()
  for (const row of rows) {
    const entry = byAsset.get(store.assetOf(row)) ?? { amount: 0n, count: 0 }
    entry.amount += store.amount(row)
    entry.count++
    byAsset.set(store.assetOf(row), entry)
  }
  return [...byAsset].map(([asset, entry]) => ({ reason, assetID: store.assetID(asset), ...entry }))
}
