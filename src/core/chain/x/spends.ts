import type { UTXOID } from '../../base/encoding/ids.ts'
import { withFieldErrors } from '../../codec/codec.ts'
import { AssetSums } from '../amounts.ts'
import type { SignerInput } from '../owners.ts'
import type { FxOperation } from './fx.ts'
import type { TransferableInput } from './transferables.ts'
import { type UnsignedTx, unsignedTx } from './tx.ts'

/** An input, imported input or operation of a transaction: what one credential authorizes. */
export type Spend = {
  /** The list of the transaction that contains it. */
  readonly list: 'inputs' | 'importedInputs' | 'operations'
  /** Position in that list. */
  readonly index: number
  readonly assetID: Uint8Array
  /** The UTXOs that it spends. Always one, except for operations that no node accepts. */
  readonly utxoIDs: readonly UTXOID[]
  /** Which owners sign. */
  readonly signers: SignerInput
  /** Amount spent, in the smallest unit of `assetID`; undefined for an operation. */
  readonly amount: bigint | undefined
  /** The operation; undefined for an input. */
  readonly operation: FxOperation | undefined
}

/** Returns everything that a transaction spends, in the order of its credentials. */
export function spendsOf(tx: UnsignedTx): Spend[] {
  return withFieldErrors(unsignedTx, tx, () => {
    const spends = tx.inputs.map((input, index) => inputSpend('inputs', index, input))
    if (tx.type === 'ImportTx')
      tx.importedInputs.forEach((input, index) => {
        spends.push(inputSpend('importedInputs', index, input))
      })
    if (tx.type === 'OperationTx')
      tx.operations.forEach(({ assetID, inputIDs, operation }, index) => {
        const signers = operationSigners(operation)
        const at = { list: 'operations', index } as const
        spends.push({ ...at, assetID, utxoIDs: inputIDs, signers, amount: undefined, operation })
      })
    return spends
  })
}

/**
 * Returns which owners sign, per credential: the `signers` of {@link spendsOf} without creating the rest, since every
 * draft and every transaction is checked with them.
 */
export function signersOf(tx: UnsignedTx): SignerInput[] {
  return withFieldErrors(unsignedTx, tx, () => {
    const signers: SignerInput[] = tx.inputs.map(({ input }) => input)
    if (tx.type === 'ImportTx') for (const { input } of tx.importedInputs) signers.push(input)
    if (tx.type === 'OperationTx')
      for (const { operation } of tx.operations) signers.push(operationSigners(operation))
    return signers
  })
}

/**
 * Returns every UTXO that a transaction spends, in the order of its credentials: the `utxoIDs` of {@link spendsOf}
 * without creating the rest, since code that follows blocks needs nothing else of most transactions.
 */
export function consumedUTXOs(tx: UnsignedTx): readonly UTXOID[] {
  return withFieldErrors(unsignedTx, tx, () => {
    switch (tx.type) {
      case 'BaseTx':
      case 'CreateAssetTx':
      case 'ExportTx':
        return tx.inputs
      case 'ImportTx':
        return [...tx.inputs, ...tx.importedInputs]
      case 'OperationTx':
        return [...tx.inputs, ...tx.operations.flatMap(({ inputIDs }) => inputIDs)]
    }
  })
}

/**
 * Returns by how much the inputs of each asset exceed the outputs, in the order of the inputs: the fee, and everything
 * else that the transaction burns. Minted amounts do not count.
 */
export function burnedBy(tx: UnsignedTx): AssetSums {
  const sums = new AssetSums()
  for (const { assetID, amount } of spendsOf(tx)) sums.add(assetID, amount ?? 0n)
  for (const { assetID, output } of tx.outputs) sums.add(assetID, -output.amount)
  if (tx.type === 'ExportTx')
    for (const { assetID, output } of tx.exportedOutputs) sums.add(assetID, -output.amount)
  return sums
}

function inputSpend(list: Spend['list'], index: number, input: TransferableInput): Spend {
  return {
    list,
    index,
    assetID: input.assetID,
    utxoIDs: [input],
    signers: input.input,
    amount: input.input.amount,
    operation: undefined,
  }
}

function operationSigners(operation: FxOperation): SignerInput {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
    case 'nftfx.MintOperation':
    case 'propertyfx.MintOperation':
      return operation.mintInput
    case 'nftfx.TransferOperation':
      return operation.input
    case 'propertyfx.BurnOperation':
      return operation
  }
}
