import { equalBytes } from '../bytes/compare.ts'
import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import { createdUTXOs, exportedUTXOs } from '../chain/created.ts'
import { type NetworkContext, networks } from '../chain/networks.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { spendsOf } from '../chain/spends.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import { feeOf } from '../chain/verify.ts'
import { formatAmount } from '../encoding/amount.ts'
import { formatID } from '../encoding/ids.ts'

/**
 * What is dangerous enough that signing refuses it unless the caller accepts the code. Those in the second
 * group concern signing requests, which somebody else may have made.
 */
export type DangerCode =
  | 'BURN'
  | 'HIGH_FEE'
  | 'WRONG_NETWORK'
  | 'WRONG_CHAIN'
  | 'OPEN_OUTPUT'
  | 'UNKNOWN_CHAIN'
  | 'STUCK_EXPORT'
  | RequestDangerCode

/** What signing a request refuses unless the caller accepts the code. */
export type RequestDangerCode =
  | 'UNPROVEN_UTXO'
  | 'UNPROVEN_ASSET'
  | 'FOREIGN_CHANGE'
  | 'SHARED_OUTPUT'
  | 'LOCKED_RETURN'

/** Everything an explanation can warn of. */
export type WarningCode =
  | DangerCode
  | 'FEE_ABOVE_KNOWN'
  | 'WEAKER_CHANGE'
  | 'TRANSFERRED_RIGHT'
  | 'DESTROYED_RIGHT'
  | 'LOCKED_OUTPUT'
  | 'LOCKED_UTXO'
  | 'UNKNOWN_UTXO'
  | 'UNKNOWN_SOURCE'
  | 'SUSPICIOUS_MEMO'
  | 'TX_TOO_LARGE'

/** Something to look at before signing. */
export type Warning = {
  readonly code: WarningCode
  /** One line for people, without the code. */
  readonly message: string
  /** The part of the transaction, such as `output 1`; empty for the whole. */
  readonly path: string
  /** Whether signing refuses it unless its code is accepted. */
  readonly danger: boolean
}

/** What the signer knows better than the transaction that is put before it. */
export type DangerOptions = {
  /**
   * The network the caller means to sign for.
   *
   * @defaultValue the network of the draft or request
   */
  readonly network?: NetworkContext
  /**
   * The most of the native asset that may go to nobody, fee included.
   *
   * @defaultValue ten times the network's fee
   */
  readonly maxFee?: bigint
}

/**
 * How much of each asset a transaction consumes beyond what it produces, in the order in which the
 * assets are first spent. Minted amounts come from nowhere and do not count.
 */
export function gapsOf(tx: UnsignedTx): AssetAmount[] {
  const sums = new AssetSums()
  for (const { assetID, amount } of spendsOf(tx)) sums.add(assetID, amount ?? 0n)
  for (const { assetID, output } of tx.outputs) sums.add(assetID, -output.amount)
  if (tx.type === 'ExportTx')
    for (const { assetID, output } of tx.exportedOutputs) sums.add(assetID, -output.amount)
  return sums.list()
}

/** The part of the gaps that is destroyed for nothing: all but the fee. */
export function burnedOf(
  gaps: readonly AssetAmount[],
  nativeID: Uint8Array,
  fee: bigint,
): AssetAmount[] {
  const sums = new AssetSums(gaps)
  sums.add(nativeID, -fee)
  return sums.list().filter(({ amount }) => amount > 0n)
}

/** The reasons for which signing refuses any transaction, in a fixed order; none for most. */
export function dangersOf(
  tx: UnsignedTx,
  context: NetworkContext,
  options: DangerOptions = {},
): Warning[] {
  const network = options.network ?? context
  const dangers = networkDangers(tx, network)
  const gaps = gapsOf(tx)
  const isNative = ({ assetID }: AssetAmount) => equalBytes(assetID, network.assetID)
  // The native asset first: of several warnings with one code, explanations quote the first.
  const burned = burnedOf(gaps, network.assetID, feeOf(tx, network)).toSorted(
    (a, b) => Number(isNative(b)) - Number(isNative(a)),
  )
  for (const item of burned) {
    const { assetID, amount } = item
    const what = isNative(item) ? avaxText(amount) : `${amount} units of ${formatID(assetID)}`
    dangers.push(danger('BURN', `destroys ${what} in addition to the fee`))
  }
  // All of it counts, not the fee alone: accepting a burned token does not accept this.
  const paid = paidOf(gaps, network)
  const ceiling = options.maxFee ?? 10n * (knownFee(tx) ?? feeOf(tx, network))
  if (paid > ceiling)
    dangers.push(
      danger('HIGH_FEE', `gives up ${avaxText(paid)}, the limit is ${avaxText(ceiling)}`),
    )
  return [...dangers, ...outputDangers(tx, network)]
}

/** The reasons why signing refuses some outputs, whoever signs. */
function outputDangers(tx: UnsignedTx, network: NetworkContext): Warning[] {
  const dangers: Warning[] = []
  const unsigned = { unsignedTx: tx, credentials: [] }
  const exported = exportedUTXOs(unsigned, network.chainID)
  for (const { outputIndex, output } of [...createdUTXOs(unsigned, network.chainID), ...exported])
    if (isOpen(output))
      dangers.push(
        danger('OPEN_OUTPUT', `anyone can spend output ${outputIndex}`, `output ${outputIndex}`),
      )
  if (tx.type !== 'ExportTx') return dangers
  const { destinationChain } = tx
  const [alias] =
    Object.entries(network.chains).find(([, id]) => equalBytes(id, destinationChain)) ?? []
  if (alias === undefined)
    dangers.push(
      danger(
        'UNKNOWN_CHAIN',
        `the chain ${formatID(destinationChain)} is not a known chain of ${network.name}`,
        'destinationChain',
      ),
    )
  if (alias === 'C')
    for (const { outputIndex, assetID } of exported)
      if (!equalBytes(assetID, network.assetID))
        dangers.push(
          danger(
            'STUCK_EXPORT',
            `the C-Chain imports only the native asset: output ${outputIndex} would be stuck there`,
            `output ${outputIndex}`,
          ),
        )
  return dangers
}

/** Whether anyone can spend an output. */
export function isOpen({ threshold, addresses }: OutputOwners): boolean {
  return threshold === 0 || addresses.length === 0
}

/** A fee above the one that is built in, if the network has one: what a node says is not a reason to pay it. */
export function feeWarning(tx: UnsignedTx, network: NetworkContext): Warning | undefined {
  const known = knownFee(tx)
  const fee = feeOf(tx, network)
  if (known === undefined || fee <= known) return undefined
  return {
    code: 'FEE_ABOVE_KNOWN',
    message: `the fee of ${avaxText(fee)} is above the ${avaxText(known)} that ${network.name} is known to charge`,
    path: '',
    danger: false,
  }
}

/** A warning that signing refuses unless its code is accepted. */
export function danger(code: DangerCode, message: string, path = ''): Warning {
  return { code, message, path, danger: true }
}

function paidOf(gaps: readonly AssetAmount[], network: NetworkContext): bigint {
  return gaps.find(({ assetID }) => equalBytes(assetID, network.assetID))?.amount ?? 0n
}

function avaxText(amount: bigint): string {
  return `${formatAmount(amount)} AVAX`
}

function networkDangers(tx: UnsignedTx, network: NetworkContext): Warning[] {
  if (tx.networkID !== network.networkID)
    return [
      danger(
        'WRONG_NETWORK',
        `is for network ${tx.networkID}, expected ${network.networkID}`,
        'networkID',
      ),
    ]
  // The IDs of the public networks never change, whatever a draft claims.
  const fixed = tx.networkID === networks.local.networkID ? network : knownNetwork(tx.networkID)
  const isChain = [network, fixed ?? network].every(({ chainID }) =>
    equalBytes(tx.blockchainID, chainID),
  )
  if (!isChain)
    return [
      danger(
        'WRONG_CHAIN',
        `is for chain ${formatID(tx.blockchainID)}, which is not the X-Chain of ${network.name}`,
        'blockchainID',
      ),
    ]
  if (fixed === undefined || equalBytes(network.assetID, fixed.assetID)) return []
  return [
    danger(
      'WRONG_NETWORK',
      `the native asset of ${network.name} is ${formatID(fixed.assetID)}, not ${formatID(network.assetID)}`,
    ),
  ]
}

function knownFee(tx: UnsignedTx): bigint | undefined {
  const known = knownNetwork(tx.networkID)
  return known && feeOf(tx, known)
}

/** What is built in about a network: its fees do not depend on what a node or a file says. */
function knownNetwork(networkID: number): NetworkContext | undefined {
  return Object.values(networks).find((network) => network.networkID === networkID)
}
