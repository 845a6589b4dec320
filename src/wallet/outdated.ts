import { equalBytes } from '../bytes/compare.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { SignedTx } from '../chain/tx.ts'
import { verifyTx } from '../chain/verify.ts'
import type { UTXOSet } from '../coins/utxo-set.ts'
import { VerifyError } from '../errors.ts'
import type { AttemptGroup } from './attempts.ts'
import type { View } from './intents.ts'

/** Rejections that signing again does not change: the fee has risen, or a server reported false UTXOs. */
const OUTDATED: readonly unknown[] = [
  'INSUFFICIENT_FUNDS',
  'MISMATCHED_AMOUNTS',
  'ASSET_ID_MISMATCH',
  'WRONG_UTXO_TYPE',
]

/**
 * Whether the last rejection is a reason to draft the newest attempt again. A cancellation is also drafted again if one
 * of its inputs does not exist: another input of the payment may exist.
 */
export function isRefusedAsOutdated({ attempts, lastRejection }: AttemptGroup): boolean {
  const code = lastRejection?.code
  const isCancellation = attempts.at(-1)?.kind === 'cancellation'
  return OUTDATED.includes(code) || (isCancellation && code === 'UTXO_NOT_FOUND')
}

/** Whether a transaction pays too low a fee or spends UTXOs that differ from the current ones. */
export function isOutdated(tx: SignedTx, { context, coins }: View): boolean {
  return !paysFee(tx, context) || !spendsAmountsOf(tx, coins)
}

/** Whether the inputs have the assets and amounts of the UTXOs that they spend. */
function spendsAmountsOf({ unsignedTx }: SignedTx, utxos: UTXOSet): boolean {
  return unsignedTx.inputs.every(({ assetID, input, ...id }) => {
    const utxo = utxos.get(id)
    return (
      utxo?.output.type === 'secp256k1fx.TransferOutput' &&
      utxo.output.amount === input.amount &&
      equalBytes(utxo.assetID, assetID)
    )
  })
}

/** Whether the transaction pays the current fee. Other violations of the rules are ignored. */
function paysFee(tx: SignedTx, context: NetworkContext): boolean {
  try {
    verifyTx(tx, context)
    return true
  } catch (error) {
    if (error instanceof VerifyError) return error.code !== 'INSUFFICIENT_FUNDS'
    throw error
  }
}
