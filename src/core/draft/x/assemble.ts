import { integerFrom, list, type Members, optional } from '../../base/argument.ts'
import { AssetSums } from '../../chain/amounts.ts'
import { type NetworkContext, networkContext } from '../../chain/networks.ts'
import { compareInputs } from '../../chain/x/order.ts'
import { MAX_TX_SIZE, signedSize } from '../../chain/x/size.ts'
import type { TransferableOutput } from '../../chain/x/transferables.ts'
import { type BaseFields, encodeUnsignedTx, type UnsignedTx } from '../../chain/x/tx.ts'
import type { UTXO } from '../../chain/x/utxo.ts'
import type { Need } from '../../coins/need.ts'
import { type AmountArgument, type ChangeArgument, toAmount, toBytes } from '../arguments.ts'
import { amount, assetAmount, change as changeArgument, memo } from '../descriptions.ts'
import type { Draft } from '../draft.ts'
import { checkedFee } from '../fees.ts'
import { finishDraft } from './finish.ts'
import {
  changeOf,
  changeOwners,
  changeSize,
  chooseFrom,
  type Funds,
  fundsArgument,
  outputFor,
  sortedOutputs,
  toBurned,
  toInput,
} from './funds.ts'

/** Options of every builder. */
export type BuildOptions = {
  /** The network, from `networks` or a node client. */
  readonly context: NetworkContext
  /** UTXOs that pay, or a set to select them from. */
  readonly funds: Funds
  /**
   * Owner of the change: one address, or several with a threshold.
   *
   * @defaultValue the first owner of `funds`
   */
  readonly changeTo?: ChangeArgument | undefined
  /**
   * At most 256 bytes; text is encoded as UTF-8.
   *
   * @defaultValue empty
   */
  readonly memo?: Uint8Array | string | undefined
  /**
   * Amounts to destroy in addition to the fee.
   *
   * @defaultValue none
   */
  readonly burn?: readonly AmountArgument[] | undefined
  /**
   * Maximum fee to accept from the context, in nAVAX.
   *
   * @defaultValue `DEFAULT_MAX_FEE`
   */
  readonly maxFee?: bigint | undefined
  /**
   * Maximum size of the signed transaction in bytes.
   *
   * @defaultValue 65,536, the node's limit
   */
  readonly maxSize?: number | undefined
}

/** Options of builders that spend everything, so that nothing else can be burned. */
export type SpendAllOptions = Omit<BuildOptions, 'funds' | 'burn'>

/** Members of `SpendAllOptions`. */
export const spendAllMembers: Members<SpendAllOptions> = {
  context: networkContext,
  changeTo: optional(changeArgument),
  memo: optional(memo),
  maxFee: optional(amount),
  maxSize: optional(integerFrom(0)),
}

/** Members of the options of every builder, without `funds`. */
export const commonMembers: Members<Omit<BuildOptions, 'funds'>> = {
  ...spendAllMembers,
  burn: optional(list(assetAmount)),
}

/** Members of the options of every builder. */
export const buildMembers: Members<BuildOptions> = { ...commonMembers, funds: fundsArgument }

/** The parts of a transaction that depend on its type. */
export type Parts = {
  /** Outputs without change. */
  readonly outputs: readonly TransferableOutput[]
  /** Outputs for another chain. */
  readonly exported?: readonly TransferableOutput[] | undefined
  /** UTXOs spent in addition to the selected ones, in credential order. */
  readonly spent?: readonly UTXO[] | undefined
  /** Creates the transaction from the common fields. */
  readonly complete: (base: BaseFields) => UnsignedTx
}

/** Selects UTXOs for a transaction, adds change, and checks the result. */
export function assemble(options: BuildOptions, parts: Parts): Draft {
  const { context, funds, maxSize = MAX_TX_SIZE } = options
  const need = needOf(options, parts)
  const { coins, owners } = chooseFrom(funds, need, maxSize)
  const changeTo = changeOwners(options.changeTo, owners, context)
  const change = changeOf(coins, need)
  const sorted = [...coins].sort((a, b) => compareInputs(a.utxo, b.utxo))
  const unsignedTx = parts.complete({
    ...emptyBase(options),
    outputs: sortedOutputs([
      ...parts.outputs,
      ...change.map((amount) => outputFor(changeTo, amount)),
    ]),
    inputs: sorted.map(toInput),
  })
  // Checks the fields that the caller passed, such as a denomination.
  encodeUnsignedTx(unsignedTx)
  return finishDraft(
    {
      chain: 'X',
      unsignedTx,
      utxos: [...sorted.map(({ utxo }) => utxo), ...(parts.spent ?? [])],
      context,
      fee: checkedFee(unsignedTx.type, options),
      change,
      burned: toBurned(options.burn, context),
    },
    maxSize,
  )
}

/** Returns the amounts that a transaction needs, and its size without inputs and change. */
export function needOf(options: Omit<BuildOptions, 'funds'>, parts: Parts): Need {
  const { context } = options
  const bare = parts.complete({ ...emptyBase(options), outputs: parts.outputs })
  const amounts = [
    { assetID: context.assetID, amount: checkedFee(bare.type, options) },
    ...[...parts.outputs, ...(parts.exported ?? [])].map(({ assetID, output }) => ({
      assetID,
      amount: output.amount,
    })),
    ...toBurned(options.burn, context),
  ]
  for (const { amount } of new AssetSums(amounts).list()) toAmount(amount)
  return {
    amounts,
    baseSize: signedSize(bare),
    changeSize: changeSize(options.changeTo, context),
  }
}

/** Returns the fields that all transactions have, without inputs and outputs. */
export function emptyBase({ context, memo }: Pick<BuildOptions, 'context' | 'memo'>): BaseFields {
  return {
    networkID: context.networkID,
    blockchainID: context.chainID,
    outputs: [],
    inputs: [],
    memo: toBytes(memo),
  }
}
