import { equalBytes } from '../bytes/compare.ts'
import { balancesOf } from './balances.ts'
import type { Candidates } from './candidates.ts'
import { describeShortfall, FundsError, type Shortfall } from './errors.ts'
import type { Pool } from './pool.ts'

/** One asset while UTXOs are chosen for it. */
export type Want = {
  readonly assetID: Uint8Array
  /** Its number in the store, or -1. */
  readonly asset: number
  readonly need: bigint
  readonly pinned: bigint
  rows: number[]
  sum: bigint
}

/** The room for inputs, the limit it comes from, and what all but the inputs takes of that. */
type Room = { readonly bytes: number; readonly maxSize: number; readonly baseSize: number }

/** Says why the UTXOs do not suffice; `candidatesFor` gives those that could be picked for an asset. */
export function fundsError(
  pool: Pool,
  wants: readonly Want[],
  candidatesFor: (want: Want) => Candidates,
  room: Room,
): FundsError {
  const balances = balancesOf(pool.holdings, pool.options)
  // The assets share the room: what one takes, the next lack.
  let left = room.bytes
  const assets = wants.map((want): Shortfall => {
    const candidates = candidatesFor(want)
    const available = want.pinned + candidates.sum
    const frontier = candidates.frontier(left)
    const { most } = frontier
    if (want.need > want.pinned) {
      const rows = frontier.reach(want.need - want.pinned)
      left -= rows?.reduce((sum, row) => sum + pool.store.spendSize(row), 0) ?? candidates.spendSize
    }
    const balance = balances.find(({ assetID }) => equalBytes(assetID, want.assetID))
    return {
      assetID: want.assetID,
      needed: want.need,
      available,
      didNotFit: available - want.pinned - most,
      locked: balance?.locked ?? 0n,
      ...(balance?.nextUnlock !== undefined && { nextUnlock: balance.nextUnlock }),
      ...(balance?.lastUnlock !== undefined && { lastUnlock: balance.lastUnlock }),
      shortOfSigners: balance?.shortOfSigners ?? 0n,
      reserved: balance?.reserved ?? 0n,
      otherOwners: balance?.otherOwners ?? 0n,
      opaque: balance?.opaque ?? 0,
    }
  })
  const short = assets.filter(({ available, needed }) => available < needed)
  if (short.length > 0)
    return new FundsError('BUILDER_INSUFFICIENT_FUNDS', describeAll(short), short)
  const { maxSize, baseSize } = room
  const isCrowded = baseSize > maxSize / 2
  return new FundsError(
    'FUNDS_DO_NOT_FIT',
    isCrowded
      ? `the transaction without its inputs takes ${baseSize} of ${maxSize} bytes, the inputs do not fit beside it`
      : `the UTXOs do not fit in ${maxSize} bytes: ${describeAll(assets)}`,
    assets,
    {
      hint: isCrowded
        ? 'pay fewer recipients in one transaction'
        : 'gather small UTXOs first, with a sweep to an address of yours',
    },
  )
}

function describeAll(assets: readonly Shortfall[]): string {
  return assets.map((asset) => describeShortfall(asset)).join('; ')
}
