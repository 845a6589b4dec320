import type { FxOperation } from './fx.ts'
import type { SignerInput } from './owners.ts'
import type { UnsignedTx } from './tx.ts'

/** Who signs, for each credential of a transaction in order. */
export function signerInputs(tx: UnsignedTx): SignerInput[] {
  const inputs: SignerInput[] = tx.inputs.map(({ input }) => input)
  if (tx.type === 'ImportTx') inputs.push(...tx.importedInputs.map(({ input }) => input))
  if (tx.type === 'OperationTx')
    inputs.push(...tx.operations.map(({ operation }) => operationSigners(operation)))
  return inputs
}

/** Who signs for an operation. */
export function operationSigners(operation: FxOperation): SignerInput {
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
