import type { UTXOID } from './transferables.ts'
import type { UnsignedTx } from './tx.ts'

/**
 * Every UTXO that a transaction spends, in the order of its credentials: inputs, then imported inputs or
 * the UTXOs of its operations.
 */
export function consumedUTXOs(tx: UnsignedTx): UTXOID[] {
  switch (tx.type) {
    case 'BaseTx':
    case 'CreateAssetTx':
    case 'ExportTx':
      return [...tx.inputs]
    case 'ImportTx':
      return [...tx.inputs, ...tx.importedInputs]
    case 'OperationTx':
      return [...tx.inputs, ...tx.operations.flatMap((operation) => operation.inputIDs)]
  }
}
