import { equalBytes } from '../bytes/compare.ts'
import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import { type NetworkContext, networks } from '../chain/networks.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import { feeOf } from '../chain/verify.ts'
import { formatAmount } from '../encoding/amount.ts'
import { formatID } from '../encoding/ids.ts'

/** What is dangerous enough that signing refuses it unless the caller names the code. */
export type DangerCode = 'BURN' | 'HIGH_FEE' | 'WRONG_NETWORK' | 'WRONG_CHAIN'

/** Everything an explanation can warn of. */
export type WarningCode =
  | DangerCode
  | 'FOREIGN_CHANGE'
  | 'ONE_OF_N_CHANGE'
  | 'WEAKER_CHANGE'
  | 'OPEN_OUTPUT'
  | 'LOCKED_OUTPUT'
  | 'LOCKED_UTXO'
  | 'UNKNOWN_UTXO'
  | 'UNKNOWN_CHAIN'
  | 'STUCK_EXPORT'
  | 'SUSPICIOUS_MEMO'
  | 'TX_TOO_LARGE'

/** Something to look at before signing. */
export type Warning = {
  readonly code: WarningCode
  /** One line for people, without the code. */
  readonly message: string
  /** The part of the transaction, such as `outputs[1]`; empty for the whole. */
  readonly path: string
}

/** What the signer knows better than the transaction that is put before it. */
export type DangerOptions = {
  /** The network the caller means to sign for; the draft's own where left out. */
  readonly network?: NetworkContext
  /** The most of the native asset that may vanish; ten times the network's fee where left out. */
  readonly maxFee?: bigint
}

/**
 * How much of each asset a transaction consumes beyond what it produces, in the order in which the
 * assets are first spent. Minted amounts come from nowhere and do not count.
 */
export function gapsOf(tx: UnsignedTx): AssetAmount[] {
  const sums = new AssetSums()
  for (const { assetID, input } of tx.inputs) sums.add(assetID, input.amount)
  if (tx.type === 'ImportTx')
    for (const { assetID, input } of tx.importedInputs) sums.add(assetID, input.amount)
  for (const { assetID, output } of tx.outputs) sums.add(assetID, -output.amount)
  if (tx.type === 'ExportTx')
    for (const { assetID, output } of tx.exportedOutputs) sums.add(assetID, -output.amount)
  return sums.list()
}

/** What of the gaps is destroyed for nothing: all but the fee. */
export function burnedOf(
  gaps: readonly AssetAmount[],
  nativeID: Uint8Array,
  fee: bigint,
): AssetAmount[] {
  const sums = new AssetSums(gaps)
  sums.add(nativeID, -fee)
  return sums.list().filter(({ amount }) => amount > 0n)
}

/** The reasons for which signing refuses a transaction, in a fixed order; none for most. */
export function dangersOf(
  tx: UnsignedTx,
  context: NetworkContext,
  options: DangerOptions = {},
): Warning[] {
  const network = options.network ?? context
  const warnings = networkDangers(tx, network)
  const gaps = gapsOf(tx)
  for (const { assetID, amount } of burnedOf(gaps, network.assetID, feeOf(tx, network))) {
    const isNative = equalBytes(assetID, network.assetID)
    const what = isNative ? avaxText(amount) : `${amount} units of ${formatID(assetID)}`
    warnings.push({ code: 'BURN', message: `destroys ${what} beside the fee`, path: '' })
  }
  // All of it counts, not the fee alone: who accepts a burned token has not accepted this.
  const paid = gaps.find(({ assetID }) => equalBytes(assetID, network.assetID))?.amount ?? 0n
  const ceiling = options.maxFee ?? 10n * feeOf(tx, knownNetwork(tx.networkID) ?? network)
  if (paid > ceiling)
    warnings.push({
      code: 'HIGH_FEE',
      message: `gives up ${avaxText(paid)}, the ceiling is ${avaxText(ceiling)}`,
      path: '',
    })
  return warnings
}

function avaxText(amount: bigint): string {
  return `${formatAmount(amount)} AVAX`
}

function networkDangers(tx: UnsignedTx, network: NetworkContext): Warning[] {
  if (tx.networkID !== network.networkID)
    return [
      {
        code: 'WRONG_NETWORK',
        message: `is for network ${tx.networkID}, expected ${network.networkID}`,
        path: 'networkID',
      },
    ]
  // The chains of the public networks never change, whatever a draft claims.
  const fixed = tx.networkID === networks.local.networkID ? undefined : knownNetwork(tx.networkID)
  const foreign =
    !equalBytes(tx.blockchainID, network.chainID) ||
    (fixed !== undefined && !equalBytes(tx.blockchainID, fixed.chainID))
  if (!foreign) return []
  return [
    {
      code: 'WRONG_CHAIN',
      message: `is for chain ${formatID(tx.blockchainID)}, which is not the X-Chain of ${network.name}`,
      path: 'blockchainID',
    },
  ]
}

/** What is built in about a network: its fees do not depend on what a node or a file says. */
function knownNetwork(networkID: number): NetworkContext | undefined {
  return Object.values(networks).find((network) => network.networkID === networkID)
}
