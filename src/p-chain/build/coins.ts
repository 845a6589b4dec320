import { type Coin, Coins, type ListedUTXOs } from '../../atomic/coins.ts'
import { equalBytes } from '../../bytes/compare.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import { sortedBy } from '../../chain/order.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import { encodeBare } from '../../codec/codec.ts'
import { FundsError } from '../../coins/errors.ts'
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

/** The largest coins of an asset until they cover an amount. */
export function takeAmount(
  coins: Coins<UTXO>,
  assetID: Uint8Array,
  amount: bigint,
  isAVAX: boolean,
): Coin<UTXO>[] {
  const taken: Coin<UTXO>[] = []
  let sum = 0n
  for (const coin of coins.of(assetID)) {
    if (sum >= amount) break
    taken.push(coin)
    sum += coin.amount
  }
  if (sum < amount) throw coins.insufficient(assetID, amount, isAVAX)
  return taken
}

/** What a fee depends on while coins are chosen to pay it. Gas is linear in inputs and outputs. */
export type FeePlan = {
  /** AVAX that is needed beside the fee; negative if other inputs bring more. */
  readonly need: bigint
  readonly price: bigint
  /** Gas of everything but the coins to choose and their change. */
  readonly baseGas: bigint
  readonly changeGas: bigint
  readonly gasOfCoin: (coin: Coin<UTXO>) => bigint
  readonly maxGas: bigint
  readonly assetID: Uint8Array
}

/**
 * The largest coins that cover a need and the fee, which grows with each of them. Change that would cost
 * more than it holds is not made.
 */
export function payFee(
  coins: Coins<UTXO>,
  plan: FeePlan,
): { readonly taken: readonly Coin<UTXO>[]; readonly change: bigint } {
  const { need, price, assetID } = plan
  const taken: Coin<UTXO>[] = []
  let have = 0n
  let gas = plan.baseGas
  for (const coin of coins.of(assetID)) {
    if (have >= need + gas * price) break
    const cost = plan.gasOfCoin(coin)
    // Those behind it are smaller still.
    if (coin.amount <= cost * price) break
    taken.push(coin)
    have += coin.amount
    gas += cost
    if (gas > plan.maxGas)
      throw new FundsError(
        'FUNDS_DO_NOT_FIT',
        `the coins to spend need ${gas} gas, more than one transaction's ${plan.maxGas}`,
        [],
        { hint: 'send less, or first send to yourself to join coins' },
      )
  }
  const surplus = have - need - gas * price
  if (surplus < 0n) throw coins.insufficient(assetID, need + gas * price, true)
  const changeCost = plan.changeGas * price
  return { taken, change: surplus > changeCost ? surplus - changeCost : 0n }
}

/** The input that spends a coin; one with a stakeable lock that has not passed keeps it. */
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
