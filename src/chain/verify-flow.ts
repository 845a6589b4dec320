import { equalBytes } from '../bytes/compare.ts'
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
  if (produced.overflown || consumed.overflown) throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
  for (const { asset, amount } of produced.all())
    if (amount > consumed.of(asset))
      throw new VerifyError('INSUFFICIENT_FUNDS', 'insufficient funds')
}

/** Names the element in the error, so that no text is made for those that are in order. */
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
  const own: [string, readonly TransferableOutput[]] = ['outputs', tx.outputs]
  return tx.type === 'ExportTx' ? [own, ['exportedOutputs', tx.exportedOutputs]] : [own]
}

function inputLists(tx: UnsignedTx): [string, readonly TransferableInput[]][] {
  const own: [string, readonly TransferableInput[]] = ['inputs', tx.inputs]
  return tx.type === 'ImportTx' ? [own, ['importedInputs', tx.importedInputs]] : [own]
}

type Sum = { readonly asset: string; readonly assetID: Uint8Array; amount: bigint }

/** Amounts per asset; whether any sum left 64 bits is remembered, to be reported in its turn. */
class Sums {
  private readonly sums = new Map<string, Sum>()
  overflown = false
  // Elements of one asset follow one another, and a text for each takes longer than all other checks.
  private last: Sum | undefined

  add(assetID: Uint8Array, amount: bigint): void {
    if (this.last === undefined || !equalBytes(this.last.assetID, assetID)) {
      const asset = hex.encode(assetID)
      this.last = this.sums.get(asset) ?? { asset, assetID, amount: 0n }
      this.sums.set(asset, this.last)
    }
    this.last.amount += amount
    if (this.last.amount > MAX_U64) this.overflown = true
  }

  of(asset: string): bigint {
    return this.sums.get(asset)?.amount ?? 0n
  }

  all(): Iterable<Sum> {
    return this.sums.values()
  }
}
