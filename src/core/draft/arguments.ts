import { itemOf, located, memberOf, type Place } from '../base/argument.ts'
import { compareBytes, equalBytes } from '../base/bytes/compare.ts'
import { readAddress } from '../base/encoding/address.ts'
import { formatID, parseID } from '../base/encoding/ids.ts'
import { VerifyError } from '../base/errors.ts'
import { MAX_U64 } from '../base/integers.ts'
import { isBytes, utf8 } from '../base/require.ts'
import type { NetworkContext } from '../chain/networks.ts'
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
  return typeof argument === 'string' ? readAddress(argument, chain, context.hrp).address : argument
}

/**
 * Converts owners and sorts their addresses, as the chain requires. The rules of the chain are checked later.
 *
 * @param at - where the owners are, for errors
 */
export function toOwners(
  owners: OwnersArgument,
  context: NetworkContext,
  chain?: string,
  at?: Place,
): OutputOwners {
  const { to, threshold, locktime = 0n } = owners
  const list = typeof to === 'string' || isBytes(to) ? [to] : to
  if (threshold === undefined && list.length > 1)
    throw new BuildError('THRESHOLD_MISSING', `threshold is missing for ${list.length} owners`, {
      hint: 'set the number of signatures required; with 1, each owner can spend alone',
    })
  return {
    locktime,
    threshold: threshold ?? 1,
    addresses: located(at && memberOf(at, 'to'), () =>
      list.map((address) => toAddress(address, context, chain)).sort(compareBytes),
    ),
  }
}

/** Converts an asset ID; undefined is AVAX. */
export function toAssetID(argument: IDArgument | undefined, context: NetworkContext): Uint8Array {
  return argument === undefined ? context.assetID : toID(argument)
}

/** Converts an ID. Bytes are returned as they are. */
export function toID(argument: IDArgument): Uint8Array {
  return typeof argument === 'string' ? parseID(argument) : argument
}

/**
 * Creates outputs and checks each against the rules, before UTXOs are selected for them.
 *
 * @param at - where the outputs are, for errors
 */
export function toOutputs(
  outputs: readonly OutputArgument[],
  context: NetworkContext,
  chain?: string,
  at?: Place,
): TransferableOutput[] {
  return outputs.map((argument, i) => {
    const output: TransferableOutput = {
      assetID: toAssetID(argument.assetID, context),
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: toAmount(argument.amount),
        ...toOwners(argument, context, chain, at && itemOf(at, i)),
      },
    }
    verifyAssetID(output.assetID, `outputs[${i}]`)
    verifyOutput(output.output, `outputs[${i}]`)
    return output
  })
}

/** Returns `amount`. Rejects amounts above 2^64 − 1. */
export function toAmount(amount: bigint): bigint {
  if (amount > MAX_U64) throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
  return amount
}

/** Converts a memo or payload: text is encoded as UTF-8, undefined is empty. */
export function toBytes(argument: Uint8Array | string | undefined): Uint8Array {
  if (argument === undefined) return new Uint8Array(0)
  return typeof argument === 'string' ? utf8(argument, 'memo or payload') : argument
}

/** Finds another chain by its alias in the context, or by its ID. Rejects the X-Chain itself. */
export function toOtherChain(argument: IDArgument, context: NetworkContext): NamedChain {
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
