import { compareBytes, equalBytes } from '../bytes/compare.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { OutputOwners } from '../chain/owners.ts'
import type { TransferableOutput } from '../chain/transferables.ts'
import { verifyAssetID, verifyOutput } from '../chain/verify-fx.ts'
import { ADDRESS_SIZE, parseAddress } from '../encoding/address.ts'
import { MAX_U64 } from '../encoding/amount.ts'
import { formatID, ID_SIZE, parseID } from '../encoding/ids.ts'
import { EncodingError, VerifyError } from '../errors.ts'
import { BuildError } from './errors.ts'

/** An address as text with its chain, `X-fuji1…`, or its 20 bytes. */
export type AddressArgument = string | Uint8Array

/** An ID as cb58 text or its 32 bytes. */
export type IDArgument = string | Uint8Array

/** Who shall own something. */
export type OwnersArgument = {
  /** One address, or several with a threshold. */
  readonly to: AddressArgument | readonly AddressArgument[]
  /** How many of them must sign; only one address needs none said. */
  readonly threshold?: number
  /** Unix seconds before which it cannot be spent. */
  readonly locktime?: bigint
}

/** Where change goes: to one address, or to several with a threshold. */
export type ChangeArgument = AddressArgument | Omit<OwnersArgument, 'locktime'>

/** An amount of an asset; of the native one where none is named. */
export type AmountArgument = { readonly amount: bigint; readonly assetID?: IDArgument }

/** An output to make: what, and to whom. */
export type OutputArgument = OwnersArgument & AmountArgument

/** A chain that assets can move to or from. */
export type Peer = {
  readonly chainID: Uint8Array
  /** How its addresses begin. */
  readonly alias: string
}

/** Reads an address, which must be of this chain (or of the one named) and network. */
export function toAddress(
  argument: AddressArgument,
  context: NetworkContext,
  chain: string = context.chainAlias,
): Uint8Array {
  if (typeof argument === 'string')
    return parseAddress(argument, { chain, hrp: context.hrp }).address
  if (argument.length !== ADDRESS_SIZE)
    throw new EncodingError(
      'ENC_WRONG_LENGTH',
      `expected an address of ${ADDRESS_SIZE} bytes, found ${argument.length}`,
    )
  return argument
}

/** Puts owners into the order of the chain. What else is wrong with them, the rules find. */
export function toOwners(
  { to, threshold, locktime = 0n }: OwnersArgument,
  context: NetworkContext,
  chain?: string,
): OutputOwners {
  const list = typeof to === 'string' || to instanceof Uint8Array ? [to] : to
  if (threshold === undefined && list.length > 1)
    throw new BuildError('THRESHOLD_MISSING', `expected a threshold for ${list.length} owners`, {
      hint: 'say how many of them must sign: with 1, any of them can spend alone',
    })
  return {
    locktime,
    threshold: threshold ?? 1,
    addresses: list.map((address) => toAddress(address, context, chain)).sort(compareBytes),
  }
}

/** Reads an asset ID; the native asset where there is none. */
export function toAssetID(argument: IDArgument | undefined, context: NetworkContext): Uint8Array {
  return argument === undefined ? context.assetID : toID(argument)
}

/** Reads an ID, checking length and checksum. */
export function toID(argument: IDArgument): Uint8Array {
  if (typeof argument === 'string') return parseID(argument)
  if (argument.length !== ID_SIZE)
    throw new EncodingError(
      'ENC_WRONG_LENGTH',
      `expected an ID of ${ID_SIZE} bytes, found ${argument.length}`,
    )
  return argument
}

/** Makes outputs and has the rules look at each, before anything is chosen for them. */
export function toOutputs(
  outputs: readonly OutputArgument[],
  context: NetworkContext,
  chain?: string,
): TransferableOutput[] {
  return outputs.map((argument, i) => {
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

/** Refuses what is no amount. */
export function toAmount(amount: bigint): bigint {
  if (typeof amount !== 'bigint' || amount < 0n)
    throw new BuildError('BAD_AMOUNT', `expected an amount as bigint from 0 up, found ${amount}`)
  if (amount > MAX_U64) throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
  return amount
}

/** Bytes of a memo or payload; text becomes UTF-8, nothing becomes no bytes. */
export function toBytes(argument: Uint8Array | string | undefined): Uint8Array {
  if (typeof argument !== 'string') return argument ?? new Uint8Array(0)
  // An encoder would put another letter in its place without a word.
  if (/\p{Surrogate}/u.test(argument))
    throw new EncodingError('ENC_INVALID', 'expected text, found half of a surrogate pair')
  return new TextEncoder().encode(argument)
}

/** Finds a chain by its alias in the context, or by its ID. This chain itself is none. */
export function toPeer(argument: IDArgument, context: NetworkContext): Peer {
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
      `expected one of ${known} or the ID of a chain, found ${JSON.stringify(argument)}`,
      { cause },
    )
  }
}

function sameChain(): VerifyError {
  return new VerifyError('SAME_CHAIN', 'same chainID')
}
