import { type Members, optional } from '../../base/argument.ts'
import { compareBytes } from '../../base/bytes/compare.ts'
import { VerifyError } from '../../base/errors.ts'
import { MAX_U64 } from '../../base/integers.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import { type NetworkContext, networkContext } from '../../chain/networks.ts'
import { type FeeParameters, feeOf, feeParameters, gasOf, signedSize } from '../../chain/p/gas.ts'
import { DEFAULT_PRICE_CONFIG } from '../../chain/p/price.ts'
import { unlockedInput, unlockedOutput } from '../../chain/p/transferables.ts'
import { inputsOf, outputsOf } from '../../chain/p/tx.ts'
import { verifyTx } from '../../chain/p/verify.ts'
import type { ChangeArgument } from '../arguments.ts'
import { amount, change } from '../descriptions.ts'
import type { Draft as AnyDraft } from '../draft.ts'
import { BuildError } from '../errors.ts'
import { requireMaxFee } from '../fees.ts'

/** A draft of the P-Chain. AVAX worth less than the cost of a change output is burned in addition to the fee. */
export type Draft = AnyDraft<'P'>

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

/** Descriptions of `CommonOptions`. */
export const commonMembers: Members<CommonOptions> = {
  context: networkContext,
  fees: feeParameters,
  changeTo: optional(change),
  maxFee: optional(amount),
  maxGas: optional(amount),
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
  const byAsset = (a: AssetAmount, b: AssetAmount) => compareBytes(a.assetID, b.assetID)
  return {
    ...draft,
    chain: 'P',
    context,
    fee,
    change: draft.change.toSorted(byAsset),
    burned: burned.list().sort(byAsset),
    signedSize: signedSize(unsignedTx),
  }
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
