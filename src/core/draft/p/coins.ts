import { equalBytes } from '../../base/bytes/compare.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import {
  stakeableLocktime,
  type TransferableInput,
  type TransferableOutput,
  transferableOutput,
  unlockedOutput,
} from '../../chain/p/transferables.ts'
import { type UTXO, utxo } from '../../chain/p/utxo.ts'
import { utxoKey } from '../../chain/x/ids.ts'
import { sortedBy } from '../../chain/x/order.ts'
import { encodeBare } from '../../codec/codec.ts'
import { FundsError } from '../../coins/errors.ts'
import { type Coin, Coins, type ListedUTXOs } from '../../coins/listed.ts'

/**
 * UTXOs of the P-Chain, divided into those that can be transferred now and those that cannot. `sourceChain` selects the
 * UTXOs of a set that a chain has exported.
 */
export function coinsOf(funds: ListedUTXOs<UTXO>, sourceChain?: Uint8Array): Coins<UTXO> {
  const outputOf = ({ output }: UTXO) => ({
    output: unlockedOutput(output),
    stakeableLocktime: stakeableLocktime(output),
  })
  return new Coins(funds, utxo, outputOf, sourceChain)
}

/** UTXOs of one asset in the order of selection. */
export type CoinOrder = {
  /** Those that are spent in any case. */
  readonly pinned: readonly Coin<UTXO>[]
  /** The others, largest first. */
  readonly others: readonly Coin<UTXO>[]
}

/** The UTXOs of one asset, pinned ones first. */
export function orderOf(
  coins: Coins<UTXO>,
  pinned: readonly Coin<UTXO>[],
  assetID: Uint8Array,
): CoinOrder {
  const pinnedKeys = new Set(pinned.map(({ utxo }) => utxoKey(utxo)))
  return {
    pinned: pinned.filter(({ utxo }) => equalBytes(utxo.assetID, assetID)),
    others: coins.of(assetID).filter(({ utxo }) => !pinnedKeys.has(utxoKey(utxo))),
  }
}

/** The details that a fee depends on during coin selection. Gas is linear in inputs and outputs. */
export type FeePlan = {
  /** nAVAX needed in addition to the fee; negative if imported AVAX exceeds the outputs. */
  readonly need: bigint
  /** nAVAX per unit of gas. */
  readonly price: bigint
  /** Gas of everything but the UTXOs to select and the change of AVAX. */
  readonly baseGas: bigint
  /** Gas of an output for the change of AVAX. */
  readonly changeGas: bigint
  readonly gasOfCoin: (coin: Coin<UTXO>) => bigint
  readonly maxGas: bigint
  /** ID of AVAX. */
  readonly assetID: Uint8Array
}

/**
 * Selects the pinned UTXOs of AVAX, and the largest others until they cover the need and the fee, which grows with each
 * of them. Change worth no more than the gas of its output is burned instead.
 */
export function selectAVAX(
  { pinned, others }: CoinOrder,
  coins: Coins<UTXO>,
  plan: FeePlan,
): { readonly selected: readonly Coin<UTXO>[]; readonly change: bigint } {
  const { need, price, assetID } = plan
  const selected: Coin<UTXO>[] = []
  let have = 0n
  let gas = plan.baseGas
  const select = (coin: Coin<UTXO>, coinGas: bigint): void => {
    selected.push(coin)
    have += coin.amount
    gas += coinGas
    if (gas > plan.maxGas)
      throw new FundsError(
        'FUNDS_DO_NOT_FIT',
        `the UTXOs to spend need ${gas} gas, more than one transaction's ${plan.maxGas}`,
        [],
        { hint: 'send less, or first merge UTXOs by sending to yourself' },
      )
  }
  for (const coin of pinned) select(coin, plan.gasOfCoin(coin))
  for (const coin of others) {
    if (have >= need + gas * price) break
    const coinGas = plan.gasOfCoin(coin)
    // The UTXO is worth no more than its own input costs; the remaining ones are smaller.
    if (coin.amount <= coinGas * price) break
    select(coin, coinGas)
  }
  const surplus = have - need - gas * price
  if (surplus < 0n) throw coins.insufficient(assetID, need + gas * price, true)
  const changeCost = plan.changeGas * price
  return { selected, change: surplus > changeCost ? surplus - changeCost : 0n }
}

/** The input that spends a UTXO: a LockIn if the UTXO has a stakeable lock that has not passed. */
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

/** Sorts outputs in the order that the chain requires. */
export function sortedOutputs(outputs: readonly TransferableOutput[]): TransferableOutput[] {
  return sortedBy(outputs, (output) => encodeBare(transferableOutput, output))
}

/** Whether an asset is AVAX, which pays the fees. */
export function isAVAX(assetID: Uint8Array, context: { readonly assetID: Uint8Array }): boolean {
  return equalBytes(assetID, context.assetID)
}
