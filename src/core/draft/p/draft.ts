import { MAX_U64 } from '../../base/encoding/amount.ts'
import { VerifyError } from '../../base/errors.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import { type FeeParameters, feeOf, gasOf } from '../../chain/p/gas.ts'
import { DEFAULT_PRICE_CONFIG } from '../../chain/p/price.ts'
import { unlockedInput, unlockedOutput } from '../../chain/p/transferables.ts'
import { inputsOf, outputsOf, type UnsignedTx } from '../../chain/p/tx.ts'
import type { UTXO } from '../../chain/p/utxo.ts'
import { verifyTx } from '../../chain/p/verify.ts'
import type { ChangeArgument } from '../arguments.ts'
import { BuildError } from '../errors.ts'
import { requireMaxFee } from '../fees.ts'

/** A P-Chain transaction that is ready to be signed. It has passed the stateless rules. */
export type Draft = {
  readonly unsignedTx: UnsignedTx
  /** The UTXOs it spends, one per credential and in their order: inputs, then imported inputs. */
  readonly utxos: readonly UTXO[]
  readonly context: NetworkContext
  readonly gas: bigint
  /** gas × price, in nAVAX. */
  readonly fee: bigint
  /** The change, per asset. */
  readonly change: readonly AssetAmount[]
  /** Amounts burned in addition to the fee: AVAX worth less than the cost of a change output. */
  readonly burned: readonly AssetAmount[]
  /** Bytes of the transaction once it is signed, exactly. */
  readonly signedSize: number
}

/** Options of every builder of the P-Chain. */
export type CommonOptions = {
  readonly context: NetworkContext
  /** Gas weights, and a price with the caller's margin: the price of the chain may rise before acceptance. */
  readonly fees: FeeParameters
  /**
   * Owner of the change.
   *
   * @defaultValue the first owner of `funds`
   */
  readonly changeTo?: ChangeArgument | undefined
  /**
   * The highest fee to accept, in nAVAX.
   *
   * @defaultValue 100_000_000n
   */
  readonly maxFee?: bigint | undefined
  /**
   * The most gas of one transaction. The chain refuses a transaction that needs more than its current capacity.
   *
   * @defaultValue 1_000_000n
   */
  readonly maxGas?: bigint | undefined
}

/** Checks gas, fee and the stateless rules, computes what is burned, and completes the draft. */
export function finishDraft(
  draft: Pick<Draft, 'unsignedTx' | 'utxos' | 'change'>,
  options: CommonOptions,
): Draft {
  const { unsignedTx } = draft
  const { context, fees, maxGas = DEFAULT_PRICE_CONFIG.maxCapacity } = options
  const gas = gasOf(unsignedTx, fees.weights)
  if (gas > maxGas)
    throw new BuildError('TX_TOO_LARGE', `transaction uses ${gas} gas, more than ${maxGas}`)
  const fee = requireMaxFee(feeOf(unsignedTx, fees), options.maxFee)
  const burned = new AssetSums()
  for (const { assetID, input } of inputsOf(unsignedTx))
    burned.add(assetID, unlockedInput(input).amount)
  requireSums(burned.list())
  verifyTx({ unsignedTx, credentials: [] }, context)
  for (const { assetID, output } of outputsOf(unsignedTx))
    burned.add(assetID, -unlockedOutput(output).amount)
  burned.add(context.assetID, -fee)
  const size = Number(gasOf(unsignedTx, { bandwidth: 1n, dbRead: 0n, dbWrite: 0n, compute: 0n }))
  return { ...draft, context, gas, fee, burned: burned.list(), signedSize: size }
}

/**
 * Rejects sums of inputs that the chain cannot add up in 64 bits. The stateless rules do not check this.
 *
 * @throws VerifyError `AMOUNT_OVERFLOW`
 */
export function requireSums(consumed: readonly AssetAmount[]): void {
  if (consumed.some(({ amount }) => amount > MAX_U64))
    throw new VerifyError('AMOUNT_OVERFLOW', 'inputs of an asset exceed 2^64 - 1', 'inputs')
}
