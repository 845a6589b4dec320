import { equalBytes } from '../base/bytes/compare.ts'
import { formatAmount } from '../base/encoding/amount.ts'
import { formatID } from '../base/encoding/ids.ts'
import { requireBigint, requireFields } from '../base/require.ts'
import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import {
  type ChainOfNetwork,
  type NetworkContext,
  networks,
  requireNetwork,
} from '../chain/networks.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { createdUTXOs, exportedUTXOs } from '../chain/x/created.ts'
import { burnedBy } from '../chain/x/spends.ts'
import type { UnsignedTx } from '../chain/x/tx.ts'
import { feeOf } from '../chain/x/verify/verify.ts'

/**
 * Codes of dangers, which signing refuses unless the caller accepts them.
 *
 * `BURN` the transaction destroys assets in addition to the fee; `HIGH_FEE` the transaction destroys more AVAX than
 * `maxFee`; `WRONG_NETWORK` the transaction is for another network; `WRONG_CHAIN` the transaction is for another chain;
 * `OPEN_OUTPUT` anyone can spend an output; `UNKNOWN_CHAIN` the destination is not a known chain of the network;
 * `STUCK_EXPORT` the destination chain cannot import an exported asset.
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

/**
 * Codes of dangers in signing requests, whose author is not trusted.
 *
 * `UNPROVEN_UTXO` only the file states the owners of a UTXO; `UNPROVEN_ASSET` only the file states the decimals of an
 * asset; `FOREIGN_CHANGE` an output stated as change does not return to the signer; `SHARED_OUTPUT` an output belongs
 * to the signer and to others; `LOCKED_RETURN` an output returns to the signer, but is locked.
 */
export type RequestDangerCode =
  | 'UNPROVEN_UTXO'
  | 'UNPROVEN_ASSET'
  | 'FOREIGN_CHANGE'
  | 'SHARED_OUTPUT'
  | 'LOCKED_RETURN'

/** Codes of all warnings in explanations. */
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

/** A warning to read before signing. */
export type Warning = {
  readonly code: WarningCode
  /** One line of text, without the code. */
  readonly message: string
  /** The part of the transaction, such as `output 1`; empty for the whole. */
  readonly path: string
  /** Whether signing refuses it unless its code is accepted. */
  readonly danger: boolean
}

/** Limits that the signer sets, whatever the transaction states. */
export type DangerOptions = {
  /**
   * The network that the caller intends to sign for.
   *
   * @defaultValue the network of the draft or request
   */
  readonly network?: NetworkContext | undefined
  /**
   * The most of the native asset that the transaction may destroy, in nAVAX, fee included.
   *
   * @defaultValue ten times the network's fee
   */
  readonly maxFee?: bigint | undefined
}

/** The network that the caller intends to sign for. */
export function intendedNetwork(context: NetworkContext, options: DangerOptions): NetworkContext {
  requireFields(options, 'options', [])
  const { network = context } = options
  requireNetwork(network)
  return network
}

/** What a transaction burns. */
export type Burns = {
  /** Amount of the native asset, including the fee. */
  readonly native: bigint
  /** Amounts in addition to the fee, per asset; the native asset comes first. */
  readonly beyondFee: readonly AssetAmount[]
}

/** Computes what a transaction burns. */
export function burnsOf(tx: UnsignedTx, network: NetworkContext): Burns {
  const burned = burnedBy(tx)
  const fee = { assetID: network.assetID, amount: -feeOf(tx, network) }
  const beyondFee = new AssetSums([fee, ...burned.list()]).list()
  return {
    native: burned.get(network.assetID),
    beyondFee: beyondFee.filter(({ amount }) => amount > 0n),
  }
}

/** The dangers of a transaction that do not depend on the signer, in a fixed order. */
export function dangersOf(
  tx: UnsignedTx,
  context: NetworkContext,
  options: DangerOptions = {},
  burns?: Burns,
): Warning[] {
  const network = intendedNetwork(context, options)
  const { native, beyondFee } = burns ?? burnsOf(tx, network)
  const dangers = networkDangers(tx, network, X_CHAIN)
  beyondFee.forEach((burned, i) => {
    const text = `destroys ${warningAmountText(burned, network)} in addition to the fee`
    dangers.push(danger('BURN', text, `burn ${i}`))
  })
  // The limit covers all AVAX that is burned: accepting `BURN` for a token must not accept burning AVAX.
  const { maxFee = 10n * (knownFee(tx) ?? feeOf(tx, network)) } = options
  requireBigint(maxFee, 'maxFee')
  if (native > maxFee)
    dangers.push(
      danger(
        'HIGH_FEE',
        `destroys ${avaxText(native)} including the fee, the limit is ${avaxText(maxFee)}`,
      ),
    )
  return [...dangers, ...outputDangers(tx, network)]
}

/** The dangers of outputs that do not depend on the signer. */
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
            `the C-Chain cannot import output ${outputIndex}: it imports only AVAX`,
            `output ${outputIndex}`,
          ),
        )
  return dangers
}

/** Whether anyone can spend an output. */
export function isOpen({ threshold, addresses }: OutputOwners): boolean {
  return threshold === 0 || addresses.length === 0
}

/** Warns of a fee above the built-in one of the network, which a dishonest node may claim. */
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

/** AVAX with decimals; other assets in their smallest unit, because their decimals may be unproven. */
export function warningAmountText(
  { assetID, amount }: AssetAmount,
  network: NetworkContext,
): string {
  return equalBytes(assetID, network.assetID)
    ? avaxText(amount)
    : `${amount} units of ${formatID(assetID)}`
}

function avaxText(amount: bigint): string {
  return `${formatAmount(amount)} AVAX`
}

const X_CHAIN: ChainOfNetwork = { name: 'X-Chain', idIn: ({ chainID }) => chainID }

/** The dangers of a transaction that is for another network or chain than intended. */
export function networkDangers(
  tx: { readonly networkID: number; readonly blockchainID: Uint8Array },
  network: NetworkContext,
  { name, idIn }: ChainOfNetwork,
): Warning[] {
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
  const isChain = [network, fixed ?? network].every((each) => {
    const chainID = idIn(each)
    return chainID !== undefined && equalBytes(tx.blockchainID, chainID)
  })
  if (!isChain)
    return [
      danger(
        'WRONG_CHAIN',
        `is for chain ${formatID(tx.blockchainID)}, which is not the ${name} of ${network.name}`,
        'blockchainID',
      ),
    ]
  return fixed === undefined || agrees(network, fixed)
    ? []
    : [
        danger(
          'WRONG_NETWORK',
          `the name, address prefix, asset or chains are not those of ${fixed.name}`,
        ),
      ]
}

/** Whether the details of a context equal the built-in details of its network. */
function agrees(
  { name, hrp, assetID, chains = {} }: NetworkContext,
  fixed: NetworkContext,
): boolean {
  const sameChains = Object.entries(chains).every(([alias, id]) =>
    equalBytes(id, fixed.chains[alias] ?? new Uint8Array()),
  )
  return (
    sameChains && name === fixed.name && hrp === fixed.hrp && equalBytes(assetID, fixed.assetID)
  )
}

function knownFee(tx: UnsignedTx): bigint | undefined {
  const known = knownNetwork(tx.networkID)
  return known && feeOf(tx, known)
}

/** The built-in details of a network, which do not depend on a node or file. */
function knownNetwork(networkID: number): NetworkContext | undefined {
  return Object.values(networks).find((network) => network.networkID === networkID)
}
