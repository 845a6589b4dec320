import { equalBytes } from '../base/bytes/compare.ts'
import { balancesOf } from './balances.ts'
import type { Candidates } from './candidates.ts'
import { describeShortfall, FundsError, type Shortfall } from './errors.ts'
import type { Pool } from './pool.ts'

/** The state of a selection for one asset. */
export type Want = {
  readonly assetID: Uint8Array
  /** Number of the asset in the store, or -1. */
  readonly asset: number
  /** Amount to cover, including the fee; 0n if only pinned UTXOs have this asset. */
  readonly need: bigint
  /** Sum of the pinned UTXOs. */
  readonly pinned: bigint
  /** The selected UTXOs without the pinned ones. */
  rows: number[]
  /** Sum of the pinned and the selected UTXOs. */
  sum: bigint
}

/** Space for inputs, the size limit, and the size of everything but the inputs. */
type InputSpace = { readonly bytes: number; readonly maxSize: number; readonly baseSize: number }

/** Returns the error for insufficient UTXOs. `candidatesFor` returns the selectable ones of an asset. */
export function fundsError(
  pool: Pool,
  wants: readonly Want[],
  candidatesFor: (want: Want) => Candidates,
  room: InputSpace,
): FundsError {
  const balances = balancesOf(pool.holdings, pool.options)
  // The assets share the space, so each leaves less for the next ones.
  let bytesLeft = room.bytes
  const assets = wants.map((want): Shortfall => {
    const candidates = candidatesFor(want)
    const available = want.pinned + candidates.sum
    const frontier = candidates.frontier(bytesLeft)
    const { most } = frontier
    if (want.need > want.pinned) {
      const rows = frontier.reach(want.need - want.pinned)
      bytesLeft -=
        rows?.reduce((sum, row) => sum + pool.store.spendSize(row), 0) ?? candidates.spendSize
    }
    const balance = balances.find(({ assetID }) => equalBytes(assetID, want.assetID))
    return {
      assetID: want.assetID,
      needed: want.need,
      available,
      didNotFit: available - want.pinned - most,
      locked: balance?.locked ?? 0n,
      nextUnlock: balance?.nextUnlock,
      lastUnlock: balance?.lastUnlock,
      shortOfSigners: balance?.shortOfSigners ?? 0n,
      reserved: balance?.reserved ?? 0n,
      otherOwners: balance?.otherOwners ?? 0n,
      opaque: balance?.opaque ?? 0,
    }
  })
  const short = assets.filter(({ available, needed }) => available < needed)
  if (short.length > 0)
    return new FundsError(
      'BUILDER_INSUFFICIENT_FUNDS',
      `insufficient funds: ${describeAll(short)}`,
      short,
    )
  const { maxSize, baseSize } = room
  const isCrowded = baseSize > maxSize / 2
  return new FundsError(
    'FUNDS_DO_NOT_FIT',
    isCrowded
      ? `transaction too large: the inputs do not fit, because the outputs take ${baseSize} of ${maxSize} bytes`
      : `transaction too large: the UTXOs do not fit in ${maxSize} bytes: ${describeAll(assets)}`,
    assets,
    {
      hint: isCrowded
        ? 'pay fewer recipients per transaction'
        : 'consolidate small UTXOs first with a sweep to one of your addresses',
    },
  )
}

function describeAll(assets: readonly Shortfall[]): string {
  return assets.map((asset) => describeShortfall(asset)).join('; ')
}
