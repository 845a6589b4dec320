import { type Coin, Coins, type ListedUTXOs } from '../../atomic/coins.ts'
import { equalBytes } from '../../bytes/compare.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import { utxoKey } from '../../chain/ids.ts'
import { sortedBy } from '../../chain/order.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import type { UTXOID } from '../../chain/transferables.ts'
import { encodeBare } from '../../codec/codec.ts'
import { FundsError } from '../../coins/errors.ts'
import { formatUTXOName } from '../../encoding/ids.ts'
import { requireList } from '../../encoding/require.ts'
import {
  stakeableLocktime,
  type TransferableInput,
  type TransferableOutput,
  transferableOutput,
  unlockedOutput,
} from '../transferables.ts'
import { type UTXO, utxo } from '../utxo.ts'

/** UTXOs of the P-Chain, sorted by whether they can be spent and transferred now. */
export function coinsOf(funds: ListedUTXOs<UTXO>): Coins<UTXO> {
  return new Coins(funds, utxo, ({ output }) => ({
    output: unlockedOutput(output),
    stakeableLocktime: stakeableLocktime(output),
  }))
}

/** The UTXOs with these IDs. Throws `UTXO_NOT_FOUND` for an ID that is not among the given UTXOs. */
export function namedUTXOs({ utxos }: ListedUTXOs<UTXO>, names: readonly UTXOID[]): UTXO[] {
  requireList(names, 'UTXO IDs')
  const known = new Map(utxos.map((utxo) => [utxoKey(utxo), utxo]))
  return names.map((name) => {
    const utxo = known.get(utxoKey(name))
    if (utxo !== undefined) return utxo
    throw new FundsError('UTXO_NOT_FOUND', `missing UTXO ${formatUTXOName(name)}`)
  })
}

/**
 * The UTXOs that are spent in any case.
 *
 * @throws FundsError `UTXO_NOT_FOUND` or `UTXO_NOT_SPENDABLE` for one that cannot be spent.
 */
export function pinnedCoins(funds: ListedUTXOs<UTXO>, names: readonly UTXOID[]): Coin<UTXO>[] {
  const coins = coinsOf({ ...funds, utxos: namedUTXOs(funds, names) })
  coins.requireAll()
  return [...coins.spendable]
}

/** UTXOs of one asset in the order in which they are taken. */
export type CoinOrder = {
  /** Those that are taken in any case. */
  readonly pinned: readonly Coin<UTXO>[]
  /** The others, largest first. */
  readonly others: readonly Coin<UTXO>[]
}

/** The UTXOs of one asset, pinned ones first. */
export function inOrder(
  coins: Coins<UTXO>,
  pinned: readonly Coin<UTXO>[],
  assetID: Uint8Array,
): CoinOrder {
  const first = new Set(pinned.map(({ utxo }) => utxoKey(utxo)))
  return {
    pinned: pinned.filter(({ utxo }) => equalBytes(utxo.assetID, assetID)),
    others: coins.of(assetID).filter(({ utxo }) => !first.has(utxoKey(utxo))),
  }
}

/** The pinned UTXOs of a token, and the largest others until they cover an amount. */
export function takeAmount(
  { pinned, others }: CoinOrder,
  coins: Coins<UTXO>,
  assetID: Uint8Array,
  amount: bigint,
): Coin<UTXO>[] {
  const taken = [...pinned]
  let sum = taken.reduce((total, coin) => total + coin.amount, 0n)
  for (const coin of others) {
    if (sum >= amount) break
    taken.push(coin)
    sum += coin.amount
  }
  if (sum < amount) throw coins.insufficient(assetID, amount, false)
  return taken
}

/** The facts that a fee depends on during coin selection. Gas is linear in inputs and outputs. */
export type FeePlan = {
  /** AVAX that is needed beside the fee; negative if other inputs bring more. */
  readonly need: bigint
  readonly price: bigint
  /** Gas of everything but the UTXOs to choose and their change. */
  readonly baseGas: bigint
  readonly changeGas: bigint
  readonly gasOfCoin: (coin: Coin<UTXO>) => bigint
  readonly maxGas: bigint
  readonly assetID: Uint8Array
}

/**
 * The pinned UTXOs, and the largest others until they cover a need and the fee, which grows with each of them. Change
 * that would cost more than it holds is not made.
 */
export function payFee(
  { pinned, others }: CoinOrder,
  coins: Coins<UTXO>,
  plan: FeePlan,
): { readonly taken: readonly Coin<UTXO>[]; readonly change: bigint } {
  const { need, price, assetID } = plan
  const taken: Coin<UTXO>[] = []
  let have = 0n
  let gas = plan.baseGas
  const take = (coin: Coin<UTXO>, cost: bigint): void => {
    taken.push(coin)
    have += coin.amount
    gas += cost
    if (gas > plan.maxGas)
      throw new FundsError(
        'FUNDS_DO_NOT_FIT',
        `the UTXOs to spend need ${gas} gas, more than one transaction's ${plan.maxGas}`,
        [],
        { hint: 'send less, or first send to yourself to join UTXOs' },
      )
  }
  for (const coin of pinned) take(coin, plan.gasOfCoin(coin))
  for (const coin of others) {
    if (have >= need + gas * price) break
    const cost = plan.gasOfCoin(coin)
    // Those behind it are smaller still.
    if (coin.amount <= cost * price) break
    take(coin, cost)
  }
  const surplus = have - need - gas * price
  if (surplus < 0n) throw coins.insufficient(assetID, need + gas * price, true)
  const changeCost = plan.changeGas * price
  return { taken, change: surplus > changeCost ? surplus - changeCost : 0n }
}

/** The input that spends a UTXO; one with a stakeable lock that has not passed keeps it. */
export function toInput(
  { utxo, amount, signatureIndices }: Coin<UTXO>,
  now: bigint,
): TransferableInput {
  const { txID, outputIndex, assetID, output } = utxo
  const input = { type: 'secp256k1fx.TransferInput', amount, signatureIndices } as const
  const locktime = stakeableLocktime(output)
  return {
    txID,
    outputIndex,
    assetID,
    input: locktime > now ? { type: 'stakeable.LockIn', locktime, input } : input,
  }
}

/** An output of an amount for these owners. */
export function outputFor(
  owners: OutputOwners,
  { assetID, amount }: AssetAmount,
): TransferableOutput {
  return { assetID, output: { type: 'secp256k1fx.TransferOutput', amount, ...owners } }
}

/** Puts outputs into the order of the chain. */
export function sortedOutputs(outputs: readonly TransferableOutput[]): TransferableOutput[] {
  return sortedBy(outputs, (output) => encodeBare(transferableOutput, output))
}

/** Whether an asset is the one that pays fees. */
export function isAVAX(assetID: Uint8Array, context: { readonly assetID: Uint8Array }): boolean {
  return equalBytes(assetID, context.assetID)
}
