import { compareBytes, equalBytes } from '../base/bytes/compare.ts'
import { ADDRESS_SIZE, parseAddress } from '../base/encoding/address.ts'
import { MAX_U64 } from '../base/encoding/amount.ts'
import { formatID, ID_SIZE, parseID } from '../base/encoding/ids.ts'
import { EncodingError, VerifyError } from '../base/errors.ts'
import {
  isBytes,
  requireAbsent,
  requireBigint,
  requireBytes,
  requireFields,
  requireSpelling,
  requireU32,
  toList,
  utf8,
} from '../base/require.ts'
import { type NetworkContext, requireNetwork } from '../chain/networks.ts'
import type { OutputOwners } from '../chain/owners.ts'
import type { TransferableOutput } from '../chain/x/transferables.ts'
import { verifyAssetID, verifyOutput } from '../chain/x/verify/verify-fx.ts'
import { describe } from '../codec/writer.ts'
import { BuildError } from './errors.ts'

/** An address: text with its chain, such as `X-fuji1…`, or 20 bytes. */
export type AddressArgument = string | Uint8Array

/** An ID: cb58 text or 32 bytes. */
export type IDArgument = string | Uint8Array

/** The owners of an output. */
export type OwnersArgument = {
  /** One address, or several with a threshold. */
  readonly to: AddressArgument | readonly AddressArgument[]
  /**
   * Number of signatures needed to spend it. Required for several addresses.
   *
   * @defaultValue 1 for a single address
   */
  readonly threshold?: number | undefined
  /**
   * Unix time in seconds before which it cannot be spent.
   *
   * @defaultValue 0n, never locked
   */
  readonly locktime?: bigint | undefined
}

/** The owners of change: one address, or several with a threshold. */
export type ChangeArgument = AddressArgument | Omit<OwnersArgument, 'locktime'>

/** An amount of an asset. */
export type AmountArgument = {
  /** In the asset's smallest unit. */
  readonly amount: bigint
  /** @defaultValue AVAX */
  readonly assetID?: IDArgument | undefined
}

/** An output to create. */
export type OutputArgument = OwnersArgument & AmountArgument

/** Another chain of the network. */
export type NamedChain = {
  readonly chainID: Uint8Array
  /** Prefix of its addresses. */
  readonly alias: string
}

/** Converts an address, which must be of the given chain (default: the X-Chain) and network. */
export function toAddress(
  argument: AddressArgument,
  context: NetworkContext,
  chain: string = context.chainAlias,
): Uint8Array {
  if (typeof argument === 'string')
    return parseAddress(argument, { chain, hrp: context.hrp }).address
  return requireBytes(argument, 'address', ADDRESS_SIZE)
}

/** Properties of outputs; `stakeableLocktime` only of those that the P-Chain's `buildTransfer` creates. */
const OUTPUT_MEMBERS = ['to', 'amount', 'assetID', 'threshold', 'locktime', 'stakeableLocktime']

/** Converts owners and sorts their addresses, as the chain requires. The rules of the chain are checked later. */
export function toOwners(
  owners: OwnersArgument,
  context: NetworkContext,
  chain?: string,
): OutputOwners {
  requireFields(owners, 'owners', ['to'])
  requireSpelling(owners, 'output', OUTPUT_MEMBERS)
  requireAbsent(owners, 'this output', ['stakeableLocktime'])
  const { to, threshold, locktime = 0n } = owners
  requireBigint(locktime, 'locktime')
  if (threshold !== undefined) requireU32(threshold, 'threshold')
  const list = typeof to === 'string' || isBytes(to) ? [to] : toList(to, 'to')
  if (threshold === undefined && list.length > 1)
    throw new BuildError('THRESHOLD_MISSING', `threshold is missing for ${list.length} owners`, {
      hint: 'set the number of signatures required; with 1, each owner can spend alone',
    })
  return {
    locktime,
    threshold: threshold ?? 1,
    addresses: list.map((address) => toAddress(address, context, chain)).sort(compareBytes),
  }
}

/** Converts an asset ID; undefined is AVAX. */
export function toAssetID(argument: IDArgument | undefined, context: NetworkContext): Uint8Array {
  return argument === undefined ? context.assetID : toID(argument)
}

/** Converts an ID and checks its length and checksum. */
export function toID(argument: IDArgument): Uint8Array {
  if (typeof argument === 'string') return parseID(argument)
  return requireBytes(argument, 'ID', ID_SIZE)
}

/** Creates outputs and checks each against the rules, before UTXOs are selected for them. */
export function toOutputs(
  outputs: readonly OutputArgument[],
  context: NetworkContext,
  chain?: string,
): TransferableOutput[] {
  return toList(outputs, 'outputs').map((argument, i) => {
    requireFields(argument, 'output', [])
    const output: TransferableOutput = {
      assetID: toAssetID(argument.assetID, context),
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: toAmount(argument.amount),
        ...toOwners(argument, context, chain),
      },
    }
    verifyAssetID(output.assetID, `outputs[${i}]`)
    verifyOutput(output.output, `outputs[${i}]`)
    return output
  })
}

/** Returns `amount`. Rejects values that are not a bigint from 0 to 2^64 − 1. */
export function toAmount(amount: bigint): bigint {
  if (typeof amount !== 'bigint' || amount < 0n)
    throw new BuildError(
      'BAD_AMOUNT',
      `amount must be a non-negative bigint, is ${describe(amount)}`,
    )
  if (amount > MAX_U64) throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
  return amount
}

/** Converts a memo or payload: text is encoded as UTF-8, undefined is empty. */
export function toBytes(argument: Uint8Array | string | undefined): Uint8Array {
  if (argument === undefined) return new Uint8Array(0)
  const what = 'memo or payload'
  return typeof argument === 'string' ? utf8(argument, what) : requireBytes(argument, what)
}

/** Finds another chain by its alias in the context, or by its ID. Rejects the X-Chain itself. */
export function toOtherChain(argument: IDArgument, context: NetworkContext): NamedChain {
  requireFields(context, 'context', ['chains'])
  if (argument === context.chainAlias) throw sameChain()
  if (typeof argument === 'string' && Object.hasOwn(context.chains, argument))
    return { chainID: context.chains[argument]!, alias: argument }
  const chainID = toChainID(argument, context)
  if (equalBytes(chainID, context.chainID)) throw sameChain()
  const known = Object.entries(context.chains).find(([, id]) => equalBytes(id, chainID))
  return { chainID, alias: known?.[0] ?? formatID(chainID) }
}

function toChainID(argument: IDArgument, context: NetworkContext): Uint8Array {
  try {
    return toID(argument)
  } catch (cause) {
    const known = Object.keys(context.chains).join(', ')
    throw new BuildError(
      'UNKNOWN_CHAIN',
      `unknown chain ${describe(argument)}: expected ${known} or a chain ID`,
      { cause },
    )
  }
}

function sameChain(): VerifyError {
  return new VerifyError('SAME_CHAIN', 'same chainID')
}

/** Optional settings of builders and wallet calls. If one is misspelled and ignored, funds or rights may be lost. */
const OPTION_NAMES =
  'memo burn changeTo maxFee choose assets withoutAssets from utxos groupID'.split(' ')

/** Rejects options such as `maxfee` for `maxFee`, which would be ignored. */
export function requireOptionSpelling(options: object, what: string): void {
  requireSpelling(options, what, OPTION_NAMES)
}

/**
 * Rejects calls from plain JavaScript without a required option, with a misspelled option, or with a network or maximum
 * size of the wrong type. `prefix` is the path of options that are nested, such as `funds.`.
 */
export function requireOptions<T>(
  builder: string,
  options: T,
  names: readonly (keyof T & string)[],
  prefix = '',
): void {
  const missing = names.find((name) => (options?.[name] ?? undefined) === undefined)
  if (missing !== undefined)
    throw new BuildError('MISSING_OPTION', `${builder}: option ${prefix + missing} is missing`)
  requireOptionSpelling(options as object, builder)
  const { context, maxSize } = options as { context?: NetworkContext; maxSize?: number }
  if (context !== undefined) requireNetwork(context)
  if (maxSize !== undefined && !Number.isSafeInteger(maxSize))
    throw new EncodingError('ENC_INVALID', `${builder}: option maxSize must be an integer`)
}
