import { formatID } from '../../base/encoding/ids.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import { signedSize } from '../../chain/x/size.ts'
import { verifyUnsigned } from '../../chain/x/verify/verify.ts'
import type { Draft } from '../draft.ts'
import { BuildError } from '../errors.ts'

/** Checks a draft: rules, size, and that nothing is burned unintentionally. */
export function finishDraft(draft: Omit<Draft, 'signedSize'>, maxSize: number): Draft {
  const { unsignedTx, context } = draft
  const size = signedSize(unsignedTx)
  if (size > maxSize)
    throw new BuildError(
      'TX_TOO_LARGE',
      `transaction too large: ${size} bytes, at most ${maxSize} allowed`,
    )
  refuseUnintendedBurn(verifyUnsigned(unsignedTx, context), draft.burned)
  return { ...draft, signedSize: size }
}

/** The chain burns the part of the inputs that no output contains. Builders require that it is requested explicitly. */
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
      `${lost.amount} units of ${formatID(lost.assetID)} would be destroyed`,
      { hint: 'add the amount to the option burn, or to an output' },
    )
}
