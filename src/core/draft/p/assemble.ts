import { type Members, object, optional } from '../../base/argument.ts'
import { utxoIDs } from '../../base/encoding/ids.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import { contextOn, type NetworkContext, P_CHAIN_ID } from '../../chain/networks.ts'
import { type GasWeights, gasOf } from '../../chain/p/gas.ts'
import { DEFAULT_PRICE_CONFIG } from '../../chain/p/price.ts'
import {
  type TransferableInput,
  type TransferableOutput,
  unlockedOutput,
} from '../../chain/p/transferables.ts'
import type { BaseFields, UnsignedTx } from '../../chain/p/tx.ts'
import type { UTXO } from '../../chain/p/utxo.ts'
import type { UTXOID } from '../../chain/x/transferables.ts'
import {
  type Coin,
  type ListedUTXOs,
  listedMembers,
  sortedAsInputs,
  sumsOf,
} from '../../coins/listed.ts'
import { changeOwners } from '../x/funds.ts'
import { coinsOf, isAVAX, orderOf, outputFor, selectAVAX, sortedOutputs, toInput } from './coins.ts'
import { type CommonOptions, commonMembers, type Draft, finishDraft } from './draft.ts'
import { lockedCoins, mergedLocks } from './locks.ts'

/** Options of builders that spend UTXOs of the P-Chain. */
export type SpendOptions = CommonOptions & {
  /** UTXOs of the P-Chain to select from. Those with a stakeable lock that has not passed are not selected. */
  readonly funds: SpendFunds
}

/** UTXOs of the P-Chain to select from, and those that are spent in any case. */
export type SpendFunds = ListedUTXOs<UTXO> & {
  /**
   * IDs of UTXOs to spend in any case. Others are added if these do not suffice.
   *
   * @defaultValue none
   */
  readonly pinned?: readonly UTXOID[] | undefined
  /**
   * IDs of stakeable-locked UTXOs to spend in any case. Their amounts return to the same owners under the same lock,
   * in one output for each asset, locktime and owners: the chain allows nothing else.
   *
   * @defaultValue none
   */
  readonly locked?: readonly UTXOID[] | undefined
}

/** Descriptions of `SpendOptions`. */
export const spendMembers: Members<SpendOptions> = {
  ...commonMembers,
  funds: object<SpendFunds>({
    ...listedMembers<UTXO>(),
    pinned: optional(utxoIDs),
    locked: optional(utxoIDs),
  }),
}

/** The parts that differ between transaction types. */
export type Parts = {
  /** Outputs on the P-Chain, without change. */
  readonly outputs: readonly TransferableOutput[]
  /** Outputs that the transaction exports. */
  readonly exported?: readonly TransferableOutput[]
  /** UTXOs of another chain that it imports, in the order of inputs. */
  readonly imported?: readonly Coin<UTXO>[]
  /** Adds the fields of the type to those that all transactions have. */
  readonly complete: (base: BaseFields) => UnsignedTx
}

/** Chooses UTXOs for a transaction and its fee, adds change, and finishes it. */
export function assemble(options: SpendOptions, parts: Parts): Draft {
  const { context, fees, funds, maxGas = DEFAULT_PRICE_CONFIG.maxCapacity } = options
  const { now } = funds
  const coins = coinsOf(funds)
  const pinned = coins.named(funds.pinned ?? [])
  const locked = lockedCoins(funds, funds.locked ?? [])
  const changeTo = changeOwners(options.changeTo, funds.owners, contextOn('P', context))
  const need = needOf(parts)

  const tokens: Coin<UTXO>[] = []
  const change: AssetAmount[] = []
  for (const { assetID } of new AssetSums([...need.list(), ...sumsOf(pinned)]).list()) {
    if (isAVAX(assetID, context)) continue
    const amount = need.get(assetID)
    const selected = [
      ...orderOf(coins, pinned, assetID).pinned,
      ...coins.cover(assetID, amount, pinned),
    ]
    tokens.push(...selected)
    const surplus = selected.reduce((sum, coin) => sum + coin.amount, -amount)
    if (surplus > 0n) change.push({ assetID, amount: surplus })
  }
  const txWith = (avax: readonly Coin<UTXO>[], changes: readonly AssetAmount[]): UnsignedTx =>
    parts.complete({
      ...emptyBase(context),
      outputs: sortedOutputs([
        ...parts.outputs,
        ...mergedLocks(locked),
        ...changes.map((each) => outputFor(changeTo, each)),
      ]),
      inputs: sortedAsInputs([...tokens, ...avax, ...locked]).map((coin) => toInput(coin, now)),
    })
  const avaxChange = (amount: bigint): AssetAmount => ({ assetID: context.assetID, amount })
  const baseGas = gasOf(txWith([], change), fees.weights)
  const avax = selectAVAX(orderOf(coins, pinned, context.assetID), coins, {
    need: need.get(context.assetID),
    price: fees.price,
    baseGas,
    changeGas: gasOf(txWith([], [...change, avaxChange(1n)]), fees.weights) - baseGas,
    gasOfCoin: (coin) => gasOfInput(toInput(coin, now), fees.weights),
    maxGas,
    assetID: context.assetID,
  })
  if (avax.change > 0n) change.push(avaxChange(avax.change))
  const spent = sortedAsInputs([...tokens, ...avax.selected, ...locked])
  const utxos = [...spent, ...(parts.imported ?? [])].map(({ utxo }) => utxo)
  return finishDraft({ unsignedTx: txWith(avax.selected, change), utxos, change }, options)
}

/** The amounts that the selected UTXOs must cover, per asset, without the fee: outputs less imported UTXOs. */
function needOf({ outputs, exported = [], imported = [] }: Parts): AssetSums {
  const need = new AssetSums()
  for (const { assetID, output } of [...outputs, ...exported])
    need.add(assetID, unlockedOutput(output).amount)
  for (const { utxo, amount } of imported) need.add(utxo.assetID, -amount)
  return need
}

/** The gas that one input adds. */
export function gasOfInput(input: TransferableInput, weights: GasWeights): bigint {
  const base: UnsignedTx = { type: 'BaseTx', ...EMPTY_FIELDS }
  return gasOf({ ...base, inputs: [input] }, weights) - gasOf(base, weights)
}

const EMPTY_FIELDS: BaseFields = {
  networkID: 0,
  blockchainID: P_CHAIN_ID,
  outputs: [],
  inputs: [],
  memo: new Uint8Array(0),
}

/** A transaction of this network without inputs and outputs. */
export function emptyBase({ networkID }: NetworkContext): BaseFields {
  return { ...EMPTY_FIELDS, networkID }
}
