import type { AssetBalance } from '../../coins/balances.ts'
import type { Packing, Room } from '../../coins/pack/packing.ts'
import type { Pool } from '../../coins/pool.ts'
import { spendSize } from '../../coins/store/utxo-store.ts'
import { BuildError } from '../errors.ts'
import type { LeftBehind, LeftBehindReason } from '../plan.ts'

/**
 * Returns the space of a plan's transactions. Rejects a limit that leaves no space for one input and one output, with
 * which everything would be left behind as dust.
 *
 * @throws BuildError `TX_TOO_LARGE`
 */
export function requireRoom(room: Room): Room {
  const least = room.base + room.output + spendSize(1)
  if (least > room.max)
    throw new BuildError(
      'TX_TOO_LARGE',
      `transaction too large: at least ${least} bytes, at most ${room.max} allowed`,
    )
  return room
}

/** Returns what a packing leaves out, with the reasons. */
export function leftBehind(
  pool: Pool,
  packing: Packing,
  balances: () => readonly AssetBalance[],
  isWanted: (assetID: Uint8Array) => boolean,
): LeftBehind[] {
  if (isComplete(pool, packing)) return []
  return [
    ...countedRows(pool, 'dust', packing.dust),
    ...countedRows(pool, 'fee', packing.unpaid),
    ...unspendable(balances(), isWanted),
  ]
}

/** Returns what no transaction can spend, with the reasons. */
export function unspendable(
  balances: readonly AssetBalance[],
  isWanted: (assetID: Uint8Array) => boolean,
): LeftBehind[] {
  const list: LeftBehind[] = []
  for (const balance of balances) {
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

/** Whether a packing contains all UTXOs, so that nothing is left behind. */
function isComplete({ holdings }: Pool, { transactions }: Packing): boolean {
  const packed = transactions.reduce((sum, { rows }) => sum + rows.length, 0)
  return packed === holdings.store.count && holdings.opaque.size === 0
}

/** Returns the sums and numbers of UTXOs that are left behind for one reason. */
export function countedRows(
  pool: Pool,
  reason: LeftBehindReason,
  rows: Iterable<number>,
): LeftBehind[] {
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
