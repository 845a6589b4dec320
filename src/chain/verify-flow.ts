import { MAX_U64 } from '../encoding/amount.ts'
import { hex } from '../encoding/hex.ts'
import { VerifyError } from '../errors.ts'
import { compareInputs, compareOutputs, isSorted, isSortedUnique } from './order.ts'
import type { TransferableInput, TransferableOutput } from './transferables.ts'
import type { UnsignedTx } from './tx.ts'
import { verifyAssetID, verifyInput, verifyOutput } from './verify-fx.ts'

/**
 * The value checks: every output and input on its own, their order, and that no asset flows out that did
 * not flow in. More may flow in than out: the rest is burned, of any asset.
 */
export function verifyFlow(feeAssetID: Uint8Array, fee: bigint, tx: UnsignedTx): void {
  const produced = new Sums()
  const consumed = new Sums()
  produced.add(feeAssetID, fee)
  for (const [path, list] of outputLists(tx)) {
    list.forEach((output, i) => {
      verifyAssetID(output.assetID, `${path}[${i}]`)
      verifyOutput(output.output, `${path}[${i}]`)
      produced.add(output.assetID, output.output.amount)
    })
    if (!isSorted(list, compareOutputs))
      throw new VerifyError('OUTPUTS_NOT_SORTED', 'outputs not sorted', path)
  }
  for (const [path, list] of inputLists(tx)) {
    list.forEach((input, i) => {
      verifyAssetID(input.assetID, `${path}[${i}]`)
      verifyInput(input.input, `${path}[${i}]`)
      consumed.add(input.assetID, input.input.amount)
    })
    if (!isSortedUnique(list, compareInputs))
      throw new VerifyError('INPUTS_NOT_SORTED_UNIQUE', 'inputs not sorted and unique', path)
  }
  if (produced.overflown || consumed.overflown) throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
  for (const [asset, amount] of produced.amounts)
    if (amount > (consumed.amounts.get(asset) ?? 0n))
      throw new VerifyError('INSUFFICIENT_FUNDS', 'insufficient funds')
}

function outputLists(tx: UnsignedTx): [string, readonly TransferableOutput[]][] {
  const own: [string, readonly TransferableOutput[]] = ['outputs', tx.outputs]
  return tx.type === 'ExportTx' ? [own, ['exportedOutputs', tx.exportedOutputs]] : [own]
}

function inputLists(tx: UnsignedTx): [string, readonly TransferableInput[]][] {
  const own: [string, readonly TransferableInput[]] = ['inputs', tx.inputs]
  return tx.type === 'ImportTx' ? [own, ['importedInputs', tx.importedInputs]] : [own]
}

/** Amounts per asset; whether any sum left 64 bits is remembered, to be reported in its turn. */
class Sums {
  readonly amounts = new Map<string, bigint>()
  overflown = false

  add(assetID: Uint8Array, amount: bigint): void {
    const asset = hex.encode(assetID)
    const sum = (this.amounts.get(asset) ?? 0n) + amount
    if (sum > MAX_U64) this.overflown = true
    this.amounts.set(asset, sum)
  }
}
