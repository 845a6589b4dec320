import { AssetSums } from '../chain/amounts.ts'
import type { NetworkContext } from '../chain/networks.ts'
import { compareInputs } from '../chain/order.ts'
import { MAX_TX_SIZE, signedSize } from '../chain/size.ts'
import type { TransferableOutput } from '../chain/transferables.ts'
import type { BaseFields, UnsignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import type { Need } from '../coins/need.ts'
import { type AmountArgument, type ChangeArgument, toAmount, toBytes } from './arguments.ts'
import type { Draft } from './draft.ts'
import { checkedFee, finish } from './finish.ts'
import {
  changeOf,
  changeOwners,
  changeSize,
  chooseFrom,
  type Funds,
  outputFor,
  sortedOutputs,
  toBurned,
  toInput,
} from './funds.ts'

/** What every builder takes. */
export type BuildOptions = {
  readonly context: NetworkContext
  readonly funds: Funds
  /** One address, or several with a threshold; the first of the owners alone where nobody is named. */
  readonly changeTo?: ChangeArgument
  /** At most 256 bytes; text becomes UTF-8. */
  readonly memo?: Uint8Array | string
  /** What shall be destroyed beside the fee. */
  readonly burn?: readonly AmountArgument[]
  /** The highest fee to accept from the context. */
  readonly maxFee?: bigint
  /** The largest signed transaction, in bytes. */
  readonly maxSize?: number
}

/** What is special about a transaction. */
export type Parts = {
  /** Its outputs without change. */
  readonly outputs: readonly TransferableOutput[]
  /** What leaves the chain with it. */
  readonly exported?: readonly TransferableOutput[]
  /** What it spends beside the coins that are chosen, in the order of the credentials. */
  readonly spent?: readonly UTXO[]
  readonly complete: (base: BaseFields) => UnsignedTx
}

/** Chooses coins for a transaction, adds change, and finishes it. */
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
  return finish(
    {
      unsignedTx,
      utxos: [...sorted.map(({ utxo }) => utxo), ...(parts.spent ?? [])],
      context,
      fee: checkedFee(unsignedTx.type, options),
      change,
      burned: toBurned(options.burn ?? [], context),
    },
    maxSize,
  )
}

/** What coins a transaction wants, and how much room it leaves for them. */
export function needOf(options: Omit<BuildOptions, 'funds'>, parts: Parts): Need {
  const { context } = options
  const bare = parts.complete({ ...emptyBase(options), outputs: parts.outputs })
  const amounts = [
    { assetID: context.assetID, amount: checkedFee(bare.type, options) },
    ...[...parts.outputs, ...(parts.exported ?? [])].map(({ assetID, output }) => ({
      assetID,
      amount: output.amount,
    })),
    ...toBurned(options.burn ?? [], context),
  ]
  for (const { amount } of new AssetSums(amounts).list()) toAmount(amount)
  return {
    amounts,
    baseSize: signedSize(bare),
    changeSize: changeSize(options.changeTo, context),
  }
}

function emptyBase({ context, memo }: Pick<BuildOptions, 'context' | 'memo'>): BaseFields {
  return {
    networkID: context.networkID,
    blockchainID: context.chainID,
    outputs: [],
    inputs: [],
    memo: toBytes(memo),
  }
}
