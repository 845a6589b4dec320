import { compareBytes } from '../../base/bytes/compare.ts'
import { ADDRESS_SIZE } from '../../base/encoding/address.ts'
import { EncodingError } from '../../base/errors.ts'
import {
  isBytes,
  requireFields,
  requireKnown,
  requireList,
  requireSpelling,
} from '../../base/require.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import { sortedBy } from '../../chain/x/order.ts'
import { transferableOutputSize } from '../../chain/x/size.ts'
import {
  type TransferableInput,
  type TransferableOutput,
  transferableOutput,
} from '../../chain/x/transferables.ts'
import type { UTXO } from '../../chain/x/utxo.ts'
import { encodeBare } from '../../codec/codec.ts'
import type { ChosenCoins } from '../../coins/chosen.ts'
import { describeShortfall, FundsError, type Shortfall } from '../../coins/errors.ts'
import type { ChoiceOptions, Need } from '../../coins/need.ts'
import type { Coin, PoolOptions } from '../../coins/pool.ts'
import type { UTXOSet } from '../../coins/utxo-set.ts'
import type { Viewpoint } from '../../coins/viewpoint.ts'
import {
  type AmountArgument,
  type ChangeArgument,
  requireOptions,
  toAmount,
  toAssetID,
  toOwners,
} from '../arguments.ts'
import { BuildError } from '../errors.ts'

/** A set of UTXOs, and which of them may be spent: signers, time, and UTXOs that are excluded or solely allowed. */
export type SpendableSet = Viewpoint &
  Pick<PoolOptions, 'excluded' | 'only'> & {
    /** The set. */
    readonly utxos: UTXOSet
  }

/** A set to select UTXOs from, and how to select them. */
export type CoinSource = SpendableSet &
  Pick<ChoiceOptions, 'pinned' | 'strategy' | 'order' | 'consolidate'>

/** Members of a `CoinSource`. */
const COIN_SOURCE_MEMBERS =
  'utxos owners now excluded only pinned strategy order consolidate'.split(' ')

/** Where the UTXOs come from: already selected ones, all of which are spent, or a set to select from. */
export type Funds = ChosenCoins | CoinSource

/** Rejects calls from plain JavaScript without the network, complete funds or another required option. */
export function requireSpending<
  T extends { readonly context: NetworkContext; readonly funds: Funds },
>(builder: string, options: T, names: readonly (keyof T & string)[]): void {
  requireOptions(builder, options, ['context', 'funds', ...names])
  const { funds } = options
  if (isChosen(funds)) requireOptions(builder, funds, ['owners'], 'funds.')
  else requireSet(builder, funds)
}

/** Like `requireSpending`, for builders whose funds must be a set. */
export function requireSpendingSet<
  T extends { readonly context: NetworkContext; readonly funds: SpendableSet },
>(builder: string, options: T, names: readonly (keyof T & string)[]): void {
  requireOptions(builder, options, ['context', 'funds', ...names])
  requireSet(builder, options.funds)
}

/** Rejects funds from plain JavaScript that are incomplete or have no `UTXOSet`. */
function requireSet(builder: string, funds: SpendableSet): void {
  requireOptions(builder, funds, ['utxos', 'owners', 'now'], 'funds.')
  if (typeof funds.utxos.select !== 'function')
    throw new EncodingError('ENC_INVALID', `${builder}: funds.utxos must be a UTXOSet`)
  requireKnown(funds, 'funds', COIN_SOURCE_MEMBERS)
}

/**
 * Returns the options that say which UTXOs of a set may be spent, without those that say how to select. The same funds
 * may be passed to builders that select and to those that spend everything.
 */
export function spendableBy({
  owners,
  now,
  excluded,
  only,
}: SpendableSet): Omit<SpendableSet, 'utxos'> {
  return { owners, now, excluded, only }
}

/** Returns the UTXOs of `funds` if they are already selected; otherwise selects them. */
export function chooseFrom(funds: Funds, need: Need, maxSize: number): ChosenCoins {
  if (isChosen(funds)) return funds
  const { utxos, ...options } = funds
  return utxos.select({ ...options, need, maxSize })
}

function isChosen(funds: Funds): funds is ChosenCoins {
  return Array.isArray((funds as Partial<ChosenCoins>).coins)
}

/**
 * Returns the excess of UTXOs over a need, sorted by asset ID.
 *
 * @throws FundsError `BUILDER_INSUFFICIENT_FUNDS`, BuildError `NO_USABLE_UTXO`
 */
export function changeOf(coins: readonly Coin[], need: Need): AssetAmount[] {
  const sums = new AssetSums()
  for (const { utxo } of coins) sums.add(utxo.assetID, inputAmountOf(utxo.output))
  const needs = new AssetSums(need.amounts)
  const short = needs.list().filter(({ assetID, amount }) => sums.get(assetID) < amount)
  if (short.length > 0) throw insufficientFunds(short, sums)
  for (const { assetID, amount } of needs.list()) sums.add(assetID, -amount)
  return sums.list().sort((a, b) => compareBytes(a.assetID, b.assetID))
}

function insufficientFunds(short: readonly AssetAmount[], sums: AssetSums): FundsError {
  const assets = short.map(
    ({ assetID, amount }): Shortfall => ({
      assetID,
      needed: amount,
      available: sums.get(assetID),
      didNotFit: 0n,
      locked: 0n,
      shortOfSigners: 0n,
      reserved: 0n,
      otherOwners: 0n,
      opaque: 0,
    }),
  )
  return new FundsError(
    'BUILDER_INSUFFICIENT_FUNDS',
    `insufficient funds: ${assets.map((asset) => describeShortfall(asset)).join('; ')}`,
    assets,
  )
}

/** Returns the input that spends a UTXO. */
export function toInput({ utxo, signatureIndices }: Coin): TransferableInput {
  return inputFor(utxo, signatureIndices)
}

/** Like `toInput`, for a UTXO and its signers. */
export function inputFor(utxo: UTXO, signatureIndices: readonly number[]): TransferableInput {
  return {
    txID: utxo.txID,
    outputIndex: utxo.outputIndex,
    assetID: utxo.assetID,
    input: {
      type: 'secp256k1fx.TransferInput',
      amount: inputAmountOf(utxo.output),
      signatureIndices,
    },
  }
}

function inputAmountOf(output: Coin['utxo']['output']): bigint {
  if (output.type !== 'secp256k1fx.TransferOutput')
    throw new BuildError('NO_USABLE_UTXO', `a ${output.type} cannot be an input`)
  return output.amount
}

/** Returns the owners of the change; by default the first owner. */
export function changeOwners(
  changeTo: ChangeArgument | undefined,
  owners: readonly Uint8Array[],
  context: NetworkContext,
): OutputOwners {
  const to = changeTo ?? owners[0]
  if (to === undefined)
    throw new EncodingError('ENC_WRONG_LENGTH', 'no owner for the change: set changeTo or owners')
  const isAddress = typeof to === 'string' || isBytes(to)
  return toOwners(isAddress ? { to } : to, context)
}

/** Returns the size of a change output. */
export function changeSize(changeTo: ChangeArgument | undefined, context: NetworkContext): number {
  const owners = changeOwners(changeTo, [new Uint8Array(ADDRESS_SIZE)], context)
  return transferableOutputSize(outputFor(owners, { assetID: context.assetID, amount: 0n }))
}

/** Returns an output with an amount for these owners. */
export function outputFor(
  owners: OutputOwners,
  { assetID, amount }: AssetAmount,
): TransferableOutput {
  return { assetID, output: { type: 'secp256k1fx.TransferOutput', amount, ...owners } }
}

/** Returns the amounts to destroy, per asset. */
export function toBurned(
  burn: readonly AmountArgument[] | undefined,
  context: NetworkContext,
): AssetAmount[] {
  if (burn === undefined) return []
  requireList(burn, 'burn')
  for (const item of burn) {
    requireFields(item, 'burn', ['amount'])
    requireSpelling(item, 'burn', ['amount', 'assetID'])
  }
  const sums = new AssetSums()
  for (const { assetID, amount } of burn) sums.add(toAssetID(assetID, context), toAmount(amount))
  return sums.list().sort((a, b) => compareBytes(a.assetID, b.assetID))
}

/** Sorts outputs as the chain requires. */
export function sortedOutputs(outputs: readonly TransferableOutput[]): TransferableOutput[] {
  return sortedBy(outputs, (output) => encodeBare(transferableOutput, output))
}
