import { VerifyError } from '../../../base/errors.ts'
import { MAX_U64 } from '../../../base/integers.ts'
import { type AssetAmount, AssetSums } from '../../amounts.ts'
import { compareInputs, compareOutputs, isSorted, isSortedUnique } from '../order.ts'
import type { TransferableInput, TransferableOutput } from '../transferables.ts'
import type { UnsignedTx } from '../tx.ts'
import { verifyAssetID, verifyInput, verifyOutput } from './verify-fx.ts'

/**
 * Checks each output and input, their order, and that no asset has more produced than consumed. The node allows a
 * transaction to consume more than it produces: the difference is burned. Returns what is burned beyond the fee.
 */
export function verifyFlow(feeAssetID: Uint8Array, fee: bigint, tx: UnsignedTx): AssetAmount[] {
  const produced = new AssetSums()
  const consumed = new AssetSums()
  produced.add(feeAssetID, fee)
  for (const [path, list] of outputLists(tx)) {
    verifyEach(path, list, ({ assetID, output }) => {
      verifyAssetID(assetID, '')
      verifyOutput(output, '')
      produced.add(assetID, output.amount)
    })
    if (!isSorted(list, compareOutputs))
      throw new VerifyError('OUTPUTS_NOT_SORTED', 'outputs not sorted', path)
  }
  for (const [path, list] of inputLists(tx)) {
    verifyEach(path, list, ({ assetID, input }) => {
      verifyAssetID(assetID, '')
      verifyInput(input, '')
      consumed.add(assetID, input.amount)
    })
    if (!isSortedUnique(list, compareInputs))
      throw new VerifyError('INPUTS_NOT_SORTED_UNIQUE', 'inputs not sorted and unique', path)
  }
  if (overflows(produced) || overflows(consumed))
    throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
  for (const { assetID, amount } of produced.list()) {
    if (amount > consumed.get(assetID))
      throw new VerifyError('INSUFFICIENT_FUNDS', 'insufficient funds')
    consumed.add(assetID, -amount)
  }
  return consumed.list()
}

function overflows(sums: AssetSums): boolean {
  return sums.list().some(({ amount }) => amount > MAX_U64)
}

/** Verifies each item. Only an error adds the position to the path, so no path is formatted for valid items. */
function verifyEach<T>(path: string, list: readonly T[], verify: (item: T) => void): void {
  let at = 0
  try {
    for (; at < list.length; at++) verify(list[at]!)
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error
    throw new VerifyError(error.code, error.reason, `${path}[${at}]${error.path}`)
  }
}

function outputLists(tx: UnsignedTx): [string, readonly TransferableOutput[]][] {
  const local: [string, readonly TransferableOutput[]] = ['outputs', tx.outputs]
  return tx.type === 'ExportTx' ? [local, ['exportedOutputs', tx.exportedOutputs]] : [local]
}

function inputLists(tx: UnsignedTx): [string, readonly TransferableInput[]][] {
  const local: [string, readonly TransferableInput[]] = ['inputs', tx.inputs]
  return tx.type === 'ImportTx' ? [local, ['importedInputs', tx.importedInputs]] : [local]
}
