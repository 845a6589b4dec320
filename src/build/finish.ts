import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { SecpCredential } from '../chain/secp256k1fx.ts'
import { signedSize } from '../chain/size.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import { feeOf, verifyTx } from '../chain/verify.ts'
import { formatAmount } from '../encoding/amount.ts'
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
    throw new BuildError(
      'FEE_ABOVE_CEILING',
      `expected a fee of at most ${formatAmount(maxFee)} AVAX, found ${formatAmount(fee)} AVAX`,
      { hint: 'check where the fee comes from, or raise maxFee' },
    )
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
  refuseUnintendedBurn(verifyTx({ unsignedTx, credentials }, context), draft.burned)
  return { ...draft, signedSize: size }
}

/** The chain lets vanish whatever is not put into an output; here that must have been asked for. */
function refuseUnintendedBurn(
  burned: readonly AssetAmount[],
  intended: readonly AssetAmount[],
): void {
  const sums = new AssetSums(burned)
  for (const { assetID, amount } of intended) sums.add(assetID, -amount)
  const [lost] = sums.list()
  if (lost !== undefined)
    throw new BuildError(
      'UNINTENDED_BURN',
      `${lost.amount} of ${formatID(lost.assetID)} would be destroyed`,
      { hint: 'name it in burn, or send it somewhere' },
    )
}
