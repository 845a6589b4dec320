import type { UTXOID } from '../chain/transferables.ts'
import { formatID, formatUTXOName } from '../encoding/ids.ts'
import { AvmError, type ErrorDetails } from '../errors.ts'

/** Why a selection failed. */
export type FundsErrorCode =
  | 'BUILDER_INSUFFICIENT_FUNDS'
  | 'FUNDS_DO_NOT_FIT'
  | 'COIN_NOT_FOUND'
  | 'COIN_NOT_SPENDABLE'
  | 'COIN_RESERVED'

/** What is needed of one asset, what there is, and why the rest cannot be spent. Amounts are in its smallest unit. */
export type Shortfall = {
  readonly assetID: Uint8Array
  readonly needed: bigint
  /** Could be spent now. */
  readonly available: bigint
  /** Part of what is available, but too many UTXOs for one transaction. */
  readonly didNotFit: bigint
  /** Ours, not spendable before its locktime. */
  readonly locked: bigint
  /** Unix seconds from which some of it is free; absent if nothing is locked. */
  readonly nextUnlock?: bigint
  /** Unix seconds from which all of it is free; absent if nothing is locked. */
  readonly lastUnlock?: bigint
  /** Partly ours: other owners must sign too. */
  readonly shortOfSigners: bigint
  /** Reserved, for another draft. */
  readonly reserved: bigint
  /** Of other owners. */
  readonly otherOwners: bigint
  /** How many UTXOs of this asset could not be read, or break the chain's rules. */
  readonly opaque: number
}

/** A selection that failed; `assets` explains the shortfall of each asset. */
export class FundsError extends AvmError {
  override readonly name = 'FundsError'
  declare readonly code: FundsErrorCode
  /** Empty if the error is about a single named UTXO. */
  readonly assets: readonly Shortfall[]

  constructor(
    code: FundsErrorCode,
    message: string,
    assets: readonly Shortfall[] = [],
    details?: ErrorDetails,
  ) {
    super(code, message, details)
    this.assets = assets
  }
}

/** A UTXO that was asked for by name and cannot be spent; `why` is what it is instead. */
export function notSpendable(id: UTXOID, why: string): FundsError {
  return new FundsError('COIN_NOT_SPENDABLE', `UTXO ${formatUTXOName(id)} is ${why}`)
}

/** One line for people: what is needed of an asset, what is there, and what holds the rest back. */
export function describeShortfall(
  asset: Shortfall,
  amountText: (amount: bigint) => string = String,
  unit = ` of ${formatID(asset.assetID)}`,
): string {
  const held: string[] = []
  const hold = (amount: bigint, why: string) => {
    if (amount > 0n) held.push(`${amountText(amount)} ${why}`)
  }
  hold(asset.didNotFit, 'did not fit in one transaction')
  hold(asset.locked, `locked until ${asset.lastUnlock}`)
  hold(asset.shortOfSigners, 'short of signers')
  hold(asset.reserved, 'reserved')
  hold(asset.otherOwners, 'of other owners')
  if (asset.opaque > 0) held.push(`${asset.opaque} UTXOs opaque`)
  const rest = held.length === 0 ? '' : ` (${held.join(', ')})`
  return `need ${amountText(asset.needed)}${unit}, have ${amountText(asset.available)}${rest}`
}
