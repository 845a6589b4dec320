import type { NetworkContext } from '../chain/networks.ts'
import type { SecpCredential } from '../chain/secp256k1fx.ts'
import { signedSize } from '../chain/size.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import { feeOf, verifyTx } from '../chain/verify.ts'
import { AssetSums } from '../coins/amounts.ts'
import { formatID } from '../encoding/ids.ts'
import type { Draft } from './draft.ts'
import { BuildError } from './errors.ts'

/** Ten times the highest fee in use, 0.1 of the native asset: more than that is likely a mistake or a lie. */
export const DEFAULT_MAX_FEE = 100_000_000n

/** What a fee is taken from, and the highest one to accept. */
export type FeeOptions = { readonly context: NetworkContext; readonly maxFee?: bigint }

/** The fee of a transaction, unless the context asks for too much. */
export function checkedFee(
  type: UnsignedTx['type'],
  { context, maxFee = DEFAULT_MAX_FEE }: FeeOptions,
): bigint {
  const fee = feeOf({ type } as UnsignedTx, context)
  if (fee > maxFee)
    throw new BuildError('FEE_ABOVE_CEILING', `expected a fee of at most ${maxFee}, found ${fee}`, {
      hint: 'check where the fee comes from, or raise maxFee',
    })
  return fee
}

const BLANK: SecpCredential = { type: 'secp256k1fx.Credential', signatures: [] }

/** Has the rules judge a transaction, its size and what becomes of every unit it spends. */
export function finish(draft: Omit<Draft, 'signedSize'>, maxSize: number): Draft {
  const { unsignedTx, context, utxos } = draft
  const size = signedSize(unsignedTx)
  if (size > maxSize)
    throw new BuildError('TX_TOO_LARGE', `expected at most ${maxSize} signed bytes, found ${size}`)
  // One credential for each UTXO: the stateless rules count them, but do not look inside.
  const credentials = new Array<SecpCredential>(utxos.length).fill(BLANK)
  verifyTx({ unsignedTx, credentials }, context)
  refuseUnintendedBurn(draft)
  return { ...draft, signedSize: size }
}

/** The chain lets vanish whatever is not put into an output; here that must have been asked for. */
function refuseUnintendedBurn(draft: Omit<Draft, 'signedSize'>): void {
  const { unsignedTx, utxos, context, fee, burned } = draft
  const sums = new AssetSums()
  let asset = context.assetID
  let amount = 0n
  for (const utxo of utxos) {
    if (utxo.output.type !== 'secp256k1fx.TransferOutput') continue
    // Coins of one asset stand together as a rule, and are added up before it is looked up.
    if (utxo.assetID !== asset) {
      sums.add(asset, amount)
      asset = utxo.assetID
      amount = 0n
    }
    amount += utxo.output.amount
  }
  sums.add(asset, amount)
  for (const { assetID, output } of unsignedTx.outputs) sums.add(assetID, -output.amount)
  if (unsignedTx.type === 'ExportTx')
    for (const { assetID, output } of unsignedTx.exportedOutputs) sums.add(assetID, -output.amount)
  sums.add(context.assetID, -fee)
  for (const loss of burned) sums.add(loss.assetID, -loss.amount)
  const [lost] = sums.list()
  if (lost !== undefined)
    throw new BuildError(
      'UNINTENDED_BURN',
      `${lost.amount} of ${formatID(lost.assetID)} would be destroyed`,
      { hint: 'name it in burn, or send it somewhere' },
    )
}
