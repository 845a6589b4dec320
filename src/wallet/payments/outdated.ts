import { equalBytes } from '../../core/base/bytes/compare.ts'
import { VerifyError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { TransferableInput } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import { verifyTx } from '../../core/chain/x/verify/verify.ts'
import type { Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import type { WalletView } from './intents.ts'

/** Whether a transaction pays too low a fee or spends UTXOs that differ from the current ones. */
export function differsFrom(tx: SignedTx, { context, utxos }: WalletView): boolean {
  return !paysFee(tx, context) || !spendsAmountsOf(tx, utxos)
}

/** Whether the inputs have the assets and amounts of the UTXOs that they spend. */
function spendsAmountsOf({ unsignedTx }: SignedTx, utxos: UTXOSet): boolean {
  const isOf =
    (source: Source) =>
    ({ assetID, input, ...id }: TransferableInput): boolean => {
      const utxo = utxos.get(id, source)
      return (
        utxo?.output.type === 'secp256k1fx.TransferOutput' &&
        utxo.output.amount === input.amount &&
        equalBytes(utxo.assetID, assetID)
      )
    }
  return (
    unsignedTx.inputs.every(isOf({})) &&
    (unsignedTx.type !== 'ImportTx' ||
      unsignedTx.importedInputs.every(isOf({ sourceChain: unsignedTx.sourceChain })))
  )
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
