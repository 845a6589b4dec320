import { equalBytes } from '../base/bytes/compare.ts'
import { formatAmount } from '../base/encoding/amount.ts'
import { hex } from '../base/encoding/hex.ts'
import { formatID } from '../base/encoding/ids.ts'
import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import {
  knownNetwork,
  type NetworkContext,
  networks,
  P_CHAIN_ID,
  paysAVAX,
} from '../chain/networks.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { type AnyTx, aliasOf, type Chain, type NewOutput, type Spend } from './chain.ts'
import type { PolicyCode, SigningPolicy } from './policy.ts'

/**
 * Codes of dangers, which signing refuses unless the caller accepts them.
 *
 * `BURN` the transaction destroys assets in addition to the fee; `HIGH_FEE` the transaction destroys more AVAX than
 * `maxFee`; `WRONG_NETWORK` the transaction is for another network; `WRONG_CHAIN` the transaction is for another chain;
 * `OPEN_OUTPUT` anyone can spend an output; `WRONG_ACCOUNT` an account has the 20 bytes of an address that owns UTXOs,
 * which is not the account of its key; `UNKNOWN_CHAIN` the destination is not a known chain of the network;
 * `STUCK_EXPORT` the destination chain cannot import an exported asset.
 */
export type DangerCode =
  | 'BURN'
  | 'HIGH_FEE'
  | 'WRONG_NETWORK'
  | 'WRONG_CHAIN'
  | 'OPEN_OUTPUT'
  | 'WRONG_ACCOUNT'
  | 'UNKNOWN_CHAIN'
  | 'STUCK_EXPORT'
  | RequestDangerCode

/**
 * Codes of dangers in signing requests, whose author is not trusted.
 *
 * `UNPROVEN_UTXO` only the file states the owners of a UTXO; `UNPROVEN_ASSET` only the file states the decimals of an
 * asset; `FOREIGN_CHANGE` an output stated as change does not return to the signer; `SHARED_OUTPUT` an output belongs
 * to the signer and to others; `LOCKED_RETURN` an output returns to the signer, but is locked; `WEAKER_CHANGE` an
 * output returns to the signer, but needs fewer signatures than what is spent; `DEAD_ADDRESS` an output belongs to the
 * zero address or to 20 equal bytes, for which nobody has a key; `BURNED_PROPERTY` a property is burned;
 * `UNKNOWN_ASSET` the policy of the signer does not list an asset; `UNCHECKED_SUM` the policy limits what may be paid
 * within a time, and the signer has no record of payments to check it.
 */
export type RequestDangerCode =
  | 'UNPROVEN_UTXO'
  | 'UNPROVEN_ASSET'
  | 'FOREIGN_CHANGE'
  | 'SHARED_OUTPUT'
  | 'LOCKED_RETURN'
  | 'WEAKER_CHANGE'
  | 'DEAD_ADDRESS'
  | 'BURNED_PROPERTY'
  | 'UNKNOWN_ASSET'
  | 'UNCHECKED_SUM'

/**
 * Codes of all warnings in explanations.
 *
 * `FEE_ABOVE_KNOWN` the fee is above the known fee of the network, or above twice what the gas costs; `NOT_OURS` an
 * import or export gives something to others; `INSUFFICIENT_FUNDS` the outputs exceed what is spent, so the chain
 * rejects the transaction; `INVALID_SIGNATURE` a signature does not verify; `LOOK_ALIKE` the symbol of an asset
 * resembles that of a known one.
 */
export type WarningCode =
  | DangerCode
  | PolicyCode
  | 'FEE_ABOVE_KNOWN'
  | 'NOT_OURS'
  | 'INSUFFICIENT_FUNDS'
  | 'INVALID_SIGNATURE'
  | 'LOOK_ALIKE'
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
  /** Whether signing refuses it. A call can accept it by its code, unless it is the refusal of a policy. */
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
   * @defaultValue ten times the fee that the transaction should have
   */
  readonly maxFee?: bigint | undefined
  /**
   * The current price of gas: nAVAX on the P-Chain, the base fee in wei on the C-Chain. The X-Chain has none.
   *
   * @defaultValue 1 nAVAX on the P-Chain, 25 nAVAX in wei on the C-Chain
   */
  readonly price?: bigint | undefined
  /**
   * What the signer refuses, whatever the transaction or the caller says; `parsePolicy` of `avmkit/policy` reads it.
   *
   * @defaultValue none
   */
  readonly policy?: SigningPolicy | undefined
}

/** A transaction with what it spends and creates. */
export type TxView = {
  readonly chain: Chain
  readonly tx: AnyTx
  readonly spends: readonly Spend[]
  readonly outputs: readonly NewOutput[]
}

/** What a transaction spends and creates, in the form that all chains have in common. */
export function viewTx(chain: Chain, tx: AnyTx): TxView {
  return { chain, tx, spends: chain.spends(tx), outputs: chain.outputs(tx) }
}

/** What a transaction burns. */
export type Burns = {
  /** Amount of the native asset, including the fee. */
  readonly native: bigint
  /** The part of it that is the fee. */
  readonly fee: bigint
  /** Amounts in addition to the fee, per asset; the native asset comes first. */
  readonly beyondFee: readonly AssetAmount[]
  /** By how much the outputs exceed what is spent, per asset. */
  readonly missing: readonly AssetAmount[]
}

/** Computes what a transaction burns. Minted amounts do not count. */
export function burnsOf({ chain, tx, spends, outputs }: TxView, network: NetworkContext): Burns {
  const sums = new AssetSums()
  for (const { assetID, amount } of spends) sums.add(assetID, amount ?? 0n)
  for (const { assetID, output, source } of outputs)
    if (source !== 'operations' && source !== 'initialStates')
      sums.add(assetID, -(output as { readonly amount: bigint }).amount)
  const native = sums.get(network.assetID)
  const fee = chain.feeOf(tx, network, native > 0n ? native : 0n)
  const nativeFirst = [{ assetID: network.assetID, amount: -fee }, ...sums.list()]
  return {
    native,
    fee,
    beyondFee: new AssetSums(nativeFirst).list().filter(({ amount }) => amount > 0n),
    missing: sums
      .list()
      .flatMap(({ assetID, amount }) => (amount < 0n ? [{ assetID, amount: -amount }] : [])),
  }
}

/**
 * The dangers of a transaction that do not depend on the signer, in a fixed order.
 *
 * @param owners - addresses that own UTXOs: those of the spent ones, and ours
 */
export function dangersOf(
  view: TxView,
  context: NetworkContext,
  options: DangerOptions,
  owners: ReadonlySet<string>,
  burns?: Burns,
): Warning[] {
  const { network = context, price } = options
  const { chain, tx } = view
  const { native, beyondFee } = burns ?? burnsOf(view, network)
  const dangers = networkDangers(view, network)
  // The context supplies names, prefixes and assets of the explanation.
  if (dangers.length === 0 && network !== context && !agrees(context, network))
    dangers.push(
      danger('WRONG_NETWORK', `the details of the document are not those of ${network.name}`),
    )
  beyondFee.forEach((burned, i) => {
    const text = `destroys ${warningAmountText(burned, network)} in addition to the fee`
    dangers.push(danger('BURN', text, `burn ${i}`))
  })
  // The limit covers all AVAX that is burned: accepting `BURN` for a token must not accept burning AVAX.
  const { maxFee = 10n * chain.expectedFee(tx, network, price).fee } = options
  if (native > maxFee)
    dangers.push(
      danger(
        'HIGH_FEE',
        `destroys ${feeText(native, network)} including the fee, the limit is ${feeText(maxFee, network)}`,
      ),
    )
  return [...dangers, ...outputDangers(view, network, owners)]
}

/** The dangers of outputs that do not depend on the signer. */
function outputDangers(
  { chain, tx, outputs }: TxView,
  network: NetworkContext,
  owners: ReadonlySet<string>,
): Warning[] {
  const dangers: Warning[] = []
  for (const { outputIndex, output, isAccount } of outputs) {
    const path = `output ${outputIndex}`
    if (isOpen(output)) dangers.push(danger('OPEN_OUTPUT', `anyone can spend ${path}`, path))
    if (isAccount && output.addresses.some((address) => owners.has(hex.encode(address))))
      dangers.push(
        danger(
          'WRONG_ACCOUNT',
          `${path} credits the account with the bytes of an address that owns UTXOs, which is not the account of its key`,
          path,
        ),
      )
  }
  if (!('destinationChain' in tx)) return dangers
  const destination = aliasOf(tx.destinationChain, network)
  if (destination === undefined || destination === chain.prefixIn(network))
    dangers.push(
      danger(
        'UNKNOWN_CHAIN',
        `the chain ${formatID(tx.destinationChain)} is not a known chain of ${network.name}`,
        'destinationChain',
      ),
    )
  if (destination === 'C')
    for (const { outputIndex, assetID, source } of outputs)
      if (source === 'exportedOutputs' && !equalBytes(assetID, network.assetID))
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

/** The danger of an output to an address that is no hash of a key. */
export function deadAddressDangers({
  outputIndex,
  output,
}: Pick<NewOutput, 'outputIndex' | 'output'>): Warning[] {
  if (!output.addresses.some(isDead)) return []
  const path = `output ${outputIndex}`
  return [danger('DEAD_ADDRESS', `${path} belongs to an address that nobody has the key of`, path)]
}

/** Whether an address is no hash of a key but a placeholder: the zero address, or 20 equal bytes. */
function isDead(address: Uint8Array): boolean {
  return address.every((byte) => byte === address[0])
}

/** Warns of a fee that is conspicuous, which a dishonest node may claim. */
export function feeWarning(
  { chain, tx }: TxView,
  fee: bigint,
  network: NetworkContext,
  price: bigint | undefined,
): Warning | undefined {
  const { fee: expected, limit } = chain.expectedFee(tx, network, price)
  if (fee <= limit) return undefined
  return {
    code: 'FEE_ABOVE_KNOWN',
    message:
      limit === expected
        ? `the fee of ${feeText(fee, network)} is above the ${feeText(expected, network)} that ${network.name} is known to charge`
        : `the fee of ${feeText(fee, network)} is more than twice the ${feeText(expected, network)} that its gas costs`,
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
  return equalBytes(assetID, network.assetID) && paysAVAX(network)
    ? `${formatAmount(amount)} AVAX`
    : `${amount} units of ${formatID(assetID)}`
}

function feeText(amount: bigint, network: NetworkContext): string {
  return warningAmountText({ assetID: network.assetID, amount }, network)
}

/** The dangers of a transaction that is for another network or chain than intended. */
function networkDangers(view: TxView, network: NetworkContext): Warning[] {
  const { chain, tx } = view
  if (tx.networkID !== network.networkID)
    return [
      danger(
        'WRONG_NETWORK',
        `is for network ${tx.networkID}, expected ${network.networkID}`,
        'networkID',
      ),
    ]
  const fixed = fixedNetwork(view, network)
  const other = [fixed ?? network, network].find((each) => {
    const chainID = chain.idIn(each)
    return chainID === undefined || !equalBytes(tx.blockchainID, chainID)
  })
  if (other !== undefined)
    return [
      danger(
        'WRONG_CHAIN',
        `is for chain ${formatID(tx.blockchainID)}, which is not the ${chain.alias}-Chain of ${other.name}`,
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

/**
 * The public network whose details a context must have: they never change, whatever a draft claims. Another network can
 * have the same network ID, as Songbird has that of Fuji. It shares nothing else with it: a transaction that spends the
 * public network's asset is for that network, because P-Chains have the same chain ID everywhere.
 */
function fixedNetwork(
  { tx, spends }: TxView,
  { networkID, name, hrp, chainAlias, chainID, assetID, chains }: NetworkContext,
): NetworkContext | undefined {
  const fixed = networkID === networks.local.networkID ? undefined : knownNetwork(networkID)
  if (fixed === undefined) return undefined
  const xChainID = chainAlias === 'X' ? chainID : chains.X
  const ids = [fixed.chainID, fixed.assetID, ...Object.values(fixed.chains)]
  const isOfIt = (id: Uint8Array | undefined) =>
    id === undefined || (!equalBytes(id, P_CHAIN_ID) && ids.some((one) => equalBytes(one, id)))
  const isOther =
    name !== fixed.name &&
    hrp !== fixed.hrp &&
    ![xChainID, assetID, ...Object.values(chains), tx.blockchainID].some(isOfIt) &&
    !spends.some((one) => isOfIt(one.assetID))
  return isOther ? undefined : fixed
}

/** Whether the details of a context equal the built-in details of its network. */
function agrees(
  { name, hrp, chainAlias, chainID, assetID, chains }: NetworkContext,
  fixed: NetworkContext,
): boolean {
  const sameChains = Object.entries(chains).every(([alias, id]) =>
    equalBytes(id, fixed.chains[alias] ?? new Uint8Array()),
  )
  return (
    sameChains &&
    name === fixed.name &&
    hrp === fixed.hrp &&
    chainAlias === fixed.chainAlias &&
    equalBytes(chainID, fixed.chainID) &&
    equalBytes(assetID, fixed.assetID)
  )
}
