import { equalBytes } from '../../base/bytes/compare.ts'
import { MAX_TX_SIZE } from '../../chain/x/size.ts'
import type { Selection } from '../../coins/need.ts'
import { type IDArgument, type OwnersArgument, toAssetID, toOutputs } from '../arguments.ts'
import { checkedFee } from '../fees.ts'
import { assemble, type BuildOptions, needOf, type Parts } from './assemble.ts'
import type { Draft } from './draft.ts'
import { requireSpendingSet, type SpendableSet, spendableBy } from './funds.ts'

/** Options of `buildSendAll`. */
export type SendAllOptions = Omit<BuildOptions, 'funds' | 'burn'> &
  OwnersArgument & {
    /** The set to spend from. Options about how to select UTXOs have no effect. */
    readonly funds: SpendableSet
    /**
     * The asset to send.
     *
     * @defaultValue AVAX
     */
    readonly assetID?: IDArgument | undefined
  }

/**
 * Builds a payment of the whole balance of an asset; for AVAX, minus the fee. `planSweep` creates several
 * transactions if one does not suffice.
 *
 * @throws FundsError `FUNDS_DO_NOT_FIT` if one transaction does not suffice, `BUILDER_INSUFFICIENT_FUNDS`
 * @throws BuildError, EncodingError, VerifyError
 *
 * @example
 * const funds = { utxos, owners: keys.addresses, now }
 * buildSendAll({ context, funds, to: 'X-fuji1…' })
 */
export function buildSendAll(options: SendAllOptions): Draft {
  requireSpendingSet('buildSendAll', options, ['to'])
  const { context, maxSize = MAX_TX_SIZE } = options
  const assetID = toAssetID(options.assetID, context)
  const isAVAX = equalBytes(assetID, context.assetID)
  const fee = checkedFee('BaseTx', options)
  const { amounts, ...size } = needOf(options, payment(options, 1n))
  // One unit is needed at least. The change of this selection is sent too, so there is no change output.
  const least = { assetID, amount: isAVAX ? fee + 1n : 1n }
  const everything = options.funds.utxos.select({
    ...spendableBy(options.funds),
    strategy: 'all',
    need: { ...size, amounts: [least], changeSize: 0 },
    maxSize,
  })
  const surplus = everything.change.find((change) => equalBytes(change.assetID, assetID))
  const amount = 1n + (surplus?.amount ?? 0n)
  const funds = isAVAX
    ? everything
    : withFee(options, everything, amounts[0]!.amount, size.changeSize, maxSize)
  return assemble({ ...options, funds }, payment(options, amount))
}

function payment(options: SendAllOptions, amount: bigint): Parts {
  return {
    outputs: toOutputs([{ ...options, amount }], options.context),
    complete: (base) => ({ type: 'BaseTx', ...base }),
  }
}

/** Adds UTXOs that pay the fee to those of another asset. */
function withFee(
  { context, funds }: SendAllOptions,
  everything: Selection,
  fee: bigint,
  changeSize: number,
  maxSize: number,
): Selection {
  const paying = funds.utxos.select({
    ...spendableBy(funds),
    need: {
      amounts: [{ assetID: context.assetID, amount: fee }],
      baseSize: everything.size,
      changeSize,
    },
    maxSize,
  })
  return { ...everything, coins: [...everything.coins, ...paying.coins] }
}
