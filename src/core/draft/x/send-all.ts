import { argument, type Check, object, optional } from '../../base/argument.ts'
import { equalBytes } from '../../base/bytes/compare.ts'
import { id } from '../../base/encoding/ids.ts'
import { MAX_TX_SIZE } from '../../chain/x/size.ts'
import { selectCoins } from '../../coins/select.ts'
import {
  type IDArgument,
  type OwnersArgument,
  toAssetID,
  toOutputs,
  toOwners,
} from '../arguments.ts'
import { ownersMembers } from '../descriptions.ts'
import type { Draft } from '../draft.ts'
import { checkedFee } from '../fees.ts'
import { assemble, needOf, type Parts, type SpendAllOptions, spendAllMembers } from './assemble.ts'
import { type CoinSource, coinSource, type SpendableSet, toSet } from './funds.ts'

/** Options of `buildSendAll`. */
export type SendAllOptions = SpendAllOptions &
  OwnersArgument & {
    /** The set to spend from. `pinned` UTXOs of other assets are spent as well; other options of selection have no effect. */
    readonly funds: SpendableSet & Pick<CoinSource, 'pinned'>
    /**
     * The asset to send.
     *
     * @defaultValue AVAX
     */
    readonly assetID?: IDArgument | undefined
  }

const sendAllOptions: Check<SendAllOptions> = object<SendAllOptions>({
  ...spendAllMembers,
  ...ownersMembers,
  funds: coinSource,
  assetID: optional(id),
})

/**
 * Builds a payment of the whole balance of an asset; for AVAX, minus the fee. `planSweep` creates several
 * transactions if one does not suffice.
 *
 * @throws FundsError `FUNDS_DO_NOT_FIT` if one transaction does not suffice, `BUILDER_INSUFFICIENT_FUNDS`
 * @throws BuildError, ArgumentError, VerifyError
 *
 * @example
 * const funds = { utxos, owners: keys.addresses, now }
 * buildSendAll({ context, funds, to: 'X-fuji1…' })
 */
export function buildSendAll(given: SendAllOptions): Draft {
  const options = argument('buildSendAll', given, sendAllOptions)
  const { context, maxSize = MAX_TX_SIZE } = options
  const { owners, now, excluded, only, pinned = [] } = options.funds
  const spendable = { owners, now, excluded, only }
  const utxos = toSet(options.funds.utxos)
  const assetID = toAssetID(options.assetID, context)
  const isAVAX = equalBytes(assetID, context.assetID)
  const fee = checkedFee('BaseTx', options)
  const at = { call: 'buildSendAll', path: '' }
  const recipient = toOwners(options, context, context.chainAlias, at)
  const payment = (amount: bigint): Parts => ({
    outputs: toOutputs([{ ...recipient, to: recipient.addresses, assetID, amount }], context),
    complete: (base) => ({ type: 'BaseTx', ...base }),
  })
  const { amounts: _, ...size } = needOf(options, payment(1n))
  // One unit is needed at least. The change of this selection is sent too, so there is no change output.
  const least = { assetID, amount: isAVAX ? fee + 1n : 1n }
  const everything = selectCoins(utxos, {
    ...spendable,
    strategy: 'all',
    need: { ...size, amounts: [least], changeSize: 0 },
    maxSize,
  })
  const surplus = everything.change.find((change) => equalBytes(change.assetID, assetID))
  const spent = everything.coins.map(({ utxo }) => utxo)
  // For another asset this adds UTXOs that pay the fee.
  const funds = { ...spendable, utxos, pinned: [...spent, ...pinned] }
  return assemble({ ...options, funds }, payment(1n + (surplus?.amount ?? 0n)))
}
