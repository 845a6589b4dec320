import { integerFrom, type Members, optional } from '../../base/argument.ts'
import { feeOf, gasOf, MAX_TX_SIZE, signedSize } from '../../chain/c/gas.ts'
import type { UnsignedTx } from '../../chain/c/tx.ts'
import { burnedBy, verifyTx } from '../../chain/c/verify.ts'
import { type NetworkContext, networkContext } from '../../chain/networks.ts'
import type { UTXO } from '../../chain/x/utxo.ts'
import { amount } from '../descriptions.ts'
import type { Draft as AnyDraft } from '../draft.ts'
import { BuildError } from '../errors.ts'
import { requireMaxFee } from '../fees.ts'

/** A draft of the C-Chain. It has no change, and burns nothing but the fee: gas × base fee, rounded up. */
export type Draft = AnyDraft<'C'>

/** Options of every builder of the C-Chain. */
export type CommonOptions = {
  readonly context: NetworkContext
  /**
   * In wei per unit of gas, as `eth_baseFee` reports it, with the caller's margin: the base fee of the chain may rise
   * before acceptance.
   */
  readonly baseFee: bigint
  /**
   * The highest fee to accept, in nAVAX.
   *
   * @defaultValue 100_000_000n
   */
  readonly maxFee?: bigint | undefined
  /**
   * The most gas of one transaction. Nodes before Helicon refuse more than 100,000, later ones more than
   * 1,000,000.
   *
   * @defaultValue 100_000n
   */
  readonly maxGas?: bigint | undefined
  /**
   * The most bytes of one signed transaction. Nodes before Helicon refuse more than 40,960.
   *
   * @defaultValue 40_960
   */
  readonly maxSize?: number | undefined
}

/** Descriptions of `CommonOptions`. */
export const commonMembers: Members<CommonOptions> = {
  context: networkContext,
  baseFee: amount,
  maxFee: optional(amount),
  maxGas: optional(amount),
  maxSize: optional(integerFrom(0)),
}

/** Default of the maximum gas: the limit of nodes before Helicon. */
export const DEFAULT_MAX_GAS = 100_000n

/** Checks size, gas, fee, rules and that the fee is all that is burned, and completes the draft. */
export function finishDraft(
  unsignedTx: UnsignedTx,
  utxos: readonly UTXO[],
  options: CommonOptions,
): Draft {
  const { context, baseFee, maxGas = DEFAULT_MAX_GAS, maxSize = MAX_TX_SIZE } = options
  const gas = gasOf(unsignedTx)
  if (gas > maxGas)
    throw new BuildError('TX_TOO_LARGE', `transaction uses ${gas} gas, more than ${maxGas}`)
  const size = signedSize(unsignedTx)
  if (size > maxSize)
    throw new BuildError('TX_TOO_LARGE', `transaction has ${size} bytes, more than ${maxSize}`)
  const fee = requireMaxFee(feeOf(unsignedTx, baseFee), options.maxFee)
  verifyTx({ unsignedTx, credentials: [] }, context, { helicon: true })
  if (burnedBy(unsignedTx) !== fee)
    throw new BuildError(
      'UNINTENDED_BURN',
      `transaction burns ${burnedBy(unsignedTx)} nAVAX, its fee is ${fee}`,
    )
  return { chain: 'C', unsignedTx, utxos, context, fee, change: [], burned: [], signedSize: size }
}
