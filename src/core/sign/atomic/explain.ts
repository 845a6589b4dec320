import { equalBytes } from '../../base/bytes/compare.ts'
import { formatAddress } from '../../base/encoding/address.ts'
import { formatAmount, MAX_DENOMINATION } from '../../base/encoding/amount.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID } from '../../base/encoding/ids.ts'
import { requireBigint, requireFields, requireList } from '../../base/require.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import { type NetworkContext, networkName } from '../../chain/networks.ts'
import type { TransferOutput } from '../../chain/secp256k1fx.ts'
import { chainOf, type OtherChain } from '../../chain/view.ts'
import { DEFAULT_MAX_FEE } from '../../draft/fees.ts'
import { compareBigints, formatTime } from '../explain/explain-warnings.ts'
import { amountList, mergedWarnings } from '../explain/merged-warnings.ts'
import type { ProvenAsset } from '../proofs.ts'
import { networkDangers, type Warning, type WarningCode } from '../warnings.ts'
import { type Attribution, attribute, type SpentAmount } from './ownership.ts'

export type { ProvenAsset }

/**
 * Codes of warnings about transactions of the P- and C-Chain. `NOT_OURS` occurs only for imports and exports: an output
 * belongs to others. `INSUFFICIENT_FUNDS`: the outputs exceed what is spent, so the chain rejects the transaction.
 */
export type AtomicWarningCode = WarningCode | 'NOT_OURS' | 'INSUFFICIENT_FUNDS'

/** A warning and where in the transaction it belongs. */
export type AtomicWarning = Omit<Warning, 'code'> & { readonly code: AtomicWarningCode }

/** An amount that a transaction creates, and who gets it on which chain. */
export type ExplainedOutput = {
  /** In base units. */
  readonly amount: bigint
  readonly assetID: Uint8Array
  /** Alias or ID of the chain on which it arrives. */
  readonly chain: string
  /** Addresses of that chain, or the account as `0x…`. */
  readonly owners: readonly string[]
  readonly threshold: number
  /** Unix seconds before which it cannot be spent; 0n for never locked. */
  readonly locktime: bigint
  /** Unix seconds before which it can be staked only; 0n for never locked. */
  readonly stakeableLocktime: bigint
  /**
   * Whether our keys alone can spend it, or its owners are exactly those of spent UTXOs of ours and get no more of the
   * asset than they put in.
   */
  readonly change: boolean
  /** Place in the transaction, such as `outputs[0]`. */
  readonly path: string
}

/** An account that an export of the C-Chain debits. */
export type ExplainedAccount = {
  /** `0x…` */
  readonly address: string
  /** In base units: nAVAX for AVAX. */
  readonly amount: bigint
  /** AVAX, except in exports of other assets from before the Banff upgrade. */
  readonly assetID: Uint8Array
  readonly nonce: bigint
}

/** Explanation of a P- or C-Chain transaction, computed from the transaction itself. */
export type AtomicExplanation = {
  readonly chain: OtherChain
  readonly type: 'BaseTx' | 'ImportTx' | 'ExportTx'
  /** Name of the network. */
  readonly network: string
  /** Alias or ID; ImportTx only. */
  readonly sourceChain?: string | undefined
  /** Alias or ID; ExportTx only. */
  readonly destinationChain?: string | undefined
  /** Sums per asset, in base units. */
  readonly spends: readonly AssetAmount[]
  /** The accounts that an export of the C-Chain debits; absent for other transactions. */
  readonly accounts?: readonly ExplainedAccount[] | undefined
  /** Amounts for others. */
  readonly pays: readonly ExplainedOutput[]
  /** Amounts for us, on whichever chain. */
  readonly returns: readonly ExplainedOutput[]
  /** All AVAX that is burned, in nAVAX: what is spent less what is in outputs, or 0n if the outputs exceed it. */
  readonly fee: bigint
  /** Amounts of other assets that are burned. */
  readonly burned: readonly AssetAmount[]
  /** Assets whose CreateAssetTx is known, by the hex of their ID; AVAX is not among them. */
  readonly assets?: ReadonlyMap<string, ProvenAsset> | undefined
  /** At most one per code; its message counts the others. */
  readonly warnings: readonly AtomicWarning[]
}

/** Options of explaining a draft. */
export type ExplainAtomicOptions = {
  /** Our addresses, 20 bytes each. */
  readonly ours: readonly Uint8Array[]
  /** Our accounts on the C-Chain: EVM addresses, 20 bytes each. They own no UTXOs. */
  readonly accounts?: readonly Uint8Array[] | undefined
  /**
   * Unix seconds; locktimes up to this time have passed.
   *
   * @defaultValue every locktime counts as not passed
   */
  readonly now?: bigint | undefined
  /**
   * In nAVAX; a higher fee gives the danger `HIGH_FEE`.
   *
   * @defaultValue 100_000_000n
   */
  readonly maxFee?: bigint | undefined
}

/** Options of explaining a request. */
export type ExplainAtomicRequestOptions = Omit<ExplainAtomicOptions, 'ours'> & {
  /**
   * Our addresses, 20 bytes each.
   *
   * @defaultValue unknown: outputs to the owners of proven UTXOs count as returned, up to the amount they spend
   */
  readonly ours?: readonly Uint8Array[] | undefined
}

/** An output before its ownership is decided. */
export type OutputDetails = Omit<ExplainedOutput, 'change'> & {
  readonly addresses: readonly Uint8Array[]
  /** Whether the address is an account of the C-Chain. */
  readonly isAccount?: true | undefined
}

/** The contents of a transaction in a form common to both chains. */
export type AtomicDetails = Pick<AtomicExplanation, 'chain' | 'type' | 'accounts' | 'assets'> & {
  readonly context: NetworkContext
  /** As in the transaction. */
  readonly networkID: number
  /** As in the transaction. */
  readonly blockchainID: Uint8Array
  /** ImportTx only. */
  readonly sourceChain?: Uint8Array | undefined
  /** ExportTx only. */
  readonly destinationChain?: Uint8Array | undefined
  /** In the order of the inputs. */
  readonly spends: readonly SpentAmount[]
  readonly outputs: readonly OutputDetails[]
}

/**
 * Explains a transaction. Without `ours`, outputs to the owners of spent UTXOs can count as returned.
 *
 * @param found - warnings that come first
 */
export function explainAtomic(
  details: AtomicDetails,
  options: ExplainAtomicRequestOptions,
  found: readonly AtomicWarning[] = [],
): AtomicExplanation {
  requireFields(options, 'options', [])
  const { ours, accounts: ourAccounts = [], now = 0n } = options
  // Comparisons with NaN are false: every lock would count as passed.
  requireBigint(now, 'now')
  if (ours !== undefined) requireList(ours, 'ours')
  requireList(ourAccounts, 'accounts')
  const { chain, type, context, networkID, accounts, assets } = details
  const attributions = attribute(details.spends, details.outputs, ours, ourAccounts)
  const warnings: AtomicWarning[] = [...found, ...networkDangers(details, context, chainOf(chain))]
  const outputs = details.outputs.map(
    ({ addresses, isAccount, ...output }, i): ExplainedOutput => ({
      ...output,
      change: attributions[i]!.ownership !== 'payment',
    }),
  )
  // The latest lock and the largest amount first: of several warnings with one code, the first is quoted, with the
  // sum of all.
  const order = [...outputs.keys()].sort(
    (a, b) =>
      compareBigints(lockOf(outputs[b]!), lockOf(outputs[a]!)) ||
      compareBigints(outputs[b]!.amount, outputs[a]!.amount),
  )
  for (const i of order)
    warnings.push(...outputWarnings(outputs[i]!, attributions[i]!, details, now))
  const textOf = (amount: AssetAmount) => amountText(amount, details)
  const sums = new AssetSums(details.spends)
  for (const { assetID, amount } of outputs) sums.add(assetID, -amount)
  const burned = sums
    .list()
    .filter(({ assetID, amount }) => amount > 0n && !equalBytes(assetID, context.assetID))
  if (burned.length > 0) warnings.push(danger('BURN', `burns ${amountList(burned, textOf)}`))
  const avaxBalance = sums.get(context.assetID)
  const fee = avaxBalance > 0n ? avaxBalance : 0n
  const missing = sums.list().filter(({ amount }) => amount < 0n)
  if (missing.length > 0) {
    const excess = missing.map(({ assetID, amount }) => ({ assetID, amount: -amount }))
    const text = amountList(excess, textOf)
    warnings.push(warning('INSUFFICIENT_FUNDS', `creates ${text} more than it spends`))
  }
  const { maxFee = DEFAULT_MAX_FEE } = options
  requireBigint(maxFee, 'maxFee')
  if (fee > maxFee)
    warnings.push(
      danger(
        'HIGH_FEE',
        `burns ${formatAmount(fee)} AVAX as fee, the limit is ${formatAmount(maxFee)} AVAX`,
      ),
    )
  const sourceChain = details.sourceChain && aliasOf(details.sourceChain, context)
  if (details.sourceChain !== undefined && sourceChain === formatID(details.sourceChain))
    warnings.push(
      warning('UNKNOWN_SOURCE', `the chain ${sourceChain} is not a known chain of ${context.name}`),
    )
  const destinationChain = details.destinationChain && aliasOf(details.destinationChain, context)
  if (
    details.destinationChain !== undefined &&
    destinationChain === formatID(details.destinationChain)
  )
    warnings.push(
      danger(
        'UNKNOWN_CHAIN',
        `exports to ${destinationChain}, which is not a known chain of ${context.name}`,
      ),
    )
  return {
    chain,
    type,
    network: networkID === context.networkID ? context.name : networkName(networkID),
    sourceChain,
    destinationChain,
    spends: new AssetSums(details.spends).list(),
    accounts,
    assets,
    pays: outputs.filter(({ change }) => !change),
    returns: outputs.filter(({ change }) => change),
    fee,
    burned,
    warnings: mergedWarnings(warnings, {
      native: context.assetID,
      byPath: new Map(outputs.map((output) => [output.path, output])),
      amountText: textOf,
    }),
  }
}

function danger(code: AtomicWarningCode, message: string, path = ''): AtomicWarning {
  return { code, message, path, danger: true }
}

function warning(code: AtomicWarningCode, message: string, path = ''): AtomicWarning {
  return { code, message, path, danger: false }
}

function outputWarnings(
  output: ExplainedOutput,
  { ownership, ourOwners, keepsLock, spentThreshold }: Attribution,
  { context, type, assets }: AtomicDetails,
  now: bigint,
): AtomicWarning[] {
  const { path, chain, change, locktime } = output
  const warnings: AtomicWarning[] = []
  const amount = amountText(output, { context, assets })
  const isAVAX = equalBytes(output.assetID, context.assetID)
  if (type === 'ExportTx' && chain === 'C' && !isAVAX)
    warnings.push(
      danger(
        'STUCK_EXPORT',
        `the C-Chain cannot import ${formatID(output.assetID)}: it imports only AVAX`,
        path,
      ),
    )
  if (output.threshold === 0)
    warnings.push(danger('OPEN_OUTPUT', `anyone can spend ${amount}`, path))
  else if (!change && ourOwners > 0)
    warnings.push(
      danger(
        'SHARED_OUTPUT',
        `gives ${amount} to ${ourOwners} of our addresses and others, who can spend or block it`,
        path,
      ),
    )
  // A BaseTx usually pays others. Imports and exports usually move one's own funds between chains.
  else if (type !== 'BaseTx' && !change)
    warnings.push(warning('NOT_OURS', `gives ${amount} to ${output.owners.join(', ')}`, path))
  const until = lockOf(output)
  const text = `locks ${amount} until ${formatTime(until)}`
  if (until > now)
    warnings.push(
      change && (locktime > now || !keepsLock)
        ? danger('LOCKED_RETURN', text, path)
        : warning('LOCKED_OUTPUT', text, path),
    )
  if (ownership === 'ours' && output.threshold < spentThreshold)
    warnings.push(
      warning(
        'WEAKER_CHANGE',
        `${amount} need ${output.threshold} signatures, the spent UTXOs need ${spentThreshold}`,
        path,
      ),
    )
  return warnings
}

/** Unix seconds until which an output cannot be transferred; 0n for never locked. */
export function lockOf({ locktime, stakeableLocktime }: ExplainedOutput): bigint {
  return locktime > stakeableLocktime ? locktime : stakeableLocktime
}

/** An amount with its decimals, or in base units if the decimals of the asset are not known. */
export function amountText(
  { amount, assetID }: AssetAmount,
  { context, assets }: Pick<AtomicDetails, 'context' | 'assets'>,
): string {
  if (equalBytes(assetID, context.assetID)) return `${formatAmount(amount)} AVAX`
  const known = assets?.get(hex.encode(assetID))
  // The symbol is not shown: any asset can have the symbol of another.
  return known === undefined || known.denomination > MAX_DENOMINATION
    ? `${amount} units of ${formatID(assetID)}`
    : `${formatAmount(amount, known.denomination)} of ${formatID(assetID)}`
}

/** The alias of a chain of the network, or its ID. */
export function aliasOf(chainID: Uint8Array, context: NetworkContext): string {
  if (equalBytes(chainID, context.chainID)) return context.chainAlias
  const known = Object.entries(context.chains).find(([, id]) => equalBytes(id, chainID))
  return known?.[0] ?? formatID(chainID)
}

/** The details of an output that belongs to addresses of `chain`. */
export function outputDetails(
  { assetID, output }: { readonly assetID: Uint8Array; readonly output: TransferOutput },
  { chain, path, context }: Pick<OutputDetails, 'chain' | 'path'> & Pick<AtomicDetails, 'context'>,
  stakeableLocktime = 0n,
): OutputDetails {
  const { amount, threshold, locktime, addresses } = output
  const { hrp } = context
  const owners = addresses.map((address) => formatAddress({ chain, hrp, address }))
  return {
    amount,
    assetID,
    chain,
    owners,
    addresses,
    threshold,
    locktime,
    stakeableLocktime,
    path,
  }
}
