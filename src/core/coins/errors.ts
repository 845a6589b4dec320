import { equalBytes } from '../base/bytes/compare.ts'
import { formatAmount } from '../base/encoding/amount.ts'
import { formatID, formatUTXOID } from '../base/encoding/ids.ts'
import { AvmError, type ErrorDetails } from '../base/errors.ts'
import { networks } from '../chain/networks.ts'
import type { UTXOID } from '../chain/x/transferables.ts'

/**
 * Codes of `FundsError`.
 *
 * `BUILDER_INSUFFICIENT_FUNDS` the UTXOs that can be spent do not suffice; `FUNDS_DO_NOT_FIT` the UTXOs suffice, but do
 * not fit in one transaction; `UTXO_NOT_FOUND` a UTXO that the caller named does not exist; `UTXO_NOT_SPENDABLE` a UTXO
 * that the caller named cannot be spent; `UTXO_RESERVED` a UTXO that the caller named is reserved for another draft.
 */
export type FundsErrorCode =
  | 'BUILDER_INSUFFICIENT_FUNDS'
  | 'FUNDS_DO_NOT_FIT'
  | 'UTXO_NOT_FOUND'
  | 'UTXO_NOT_SPENDABLE'
  | 'UTXO_RESERVED'

/** Needed and available amounts of one asset in its smallest unit, and why the rest cannot be spent. */
export type Shortfall = {
  readonly assetID: Uint8Array
  /** Including the fee, if it is paid in this asset. */
  readonly needed: bigint
  /** Can be spent now. */
  readonly available: bigint
  /** Part of `available` that is in too many UTXOs for one transaction. */
  readonly didNotFit: bigint
  /** Owned, but locked. */
  readonly locked: bigint
  /** Unix time in seconds of the first unlock; absent if nothing is locked. */
  readonly nextUnlock?: bigint | undefined
  /** Unix time in seconds of the last unlock; absent if nothing is locked. */
  readonly lastUnlock?: bigint | undefined
  /** Partly owned: other owners must sign too. */
  readonly shortOfSigners: bigint
  /** Reserved for another draft. On the P-Chain, this includes UTXOs that the call excludes. */
  readonly reserved: bigint
  /** Belongs to other owners. */
  readonly otherOwners: bigint
  /** Number of UTXOs of this asset that cannot be decoded or violate a rule of the chain. */
  readonly opaque: number
}

/** A failed coin selection. `assets` gives the shortfall of each asset. */
export class FundsError extends AvmError {
  override readonly name = 'FundsError'
  declare readonly code: FundsErrorCode
  /** Empty if the error concerns one specific UTXO. */
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

/** Returns the error for a requested UTXO that cannot be spent; `why` completes the sentence "UTXO … ". */
export function notSpendable(id: UTXOID, why: string): FundsError {
  return new FundsError('UTXO_NOT_SPENDABLE', `UTXO ${formatUTXOID(id)} ${why}`)
}

/**
 * Formats a shortfall as one line: needed, available, and why the rest cannot be spent. AVAX is shown with decimals;
 * those of other assets are not known here.
 */
export function describeShortfall(
  asset: Shortfall,
  isAVAX: boolean = isKnownAVAX(asset.assetID),
): string {
  const amountText = (amount: bigint) => (isAVAX ? formatAmount(amount) : String(amount))
  const reasons: string[] = []
  const explain = (amount: bigint, why: string) => {
    if (amount > 0n) reasons.push(`${amountText(amount)} ${why}`)
  }
  explain(asset.didNotFit, 'did not fit in one transaction')
  explain(asset.locked, `locked until ${asset.lastUnlock}`)
  explain(asset.shortOfSigners, 'needs more signers')
  explain(asset.reserved, 'reserved')
  explain(asset.otherOwners, 'owned by others')
  if (asset.opaque > 0) reasons.push(`${asset.opaque} UTXOs not decodable`)
  const rest = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
  const unit = isAVAX ? ' AVAX' : ` of ${formatID(asset.assetID)}`
  const have = `${amountText(asset.available)}${isAVAX ? unit : ''}`
  return `need ${amountText(asset.needed)}${unit}, have ${have}${rest}`
}

/** Whether an asset is AVAX on a built-in network. */
function isKnownAVAX(assetID: Uint8Array): boolean {
  return Object.values(networks).some((network) => equalBytes(network.assetID, assetID))
}
