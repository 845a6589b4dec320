import type { FxOperation, Output } from './fx.ts'
import { txID } from './ids.ts'
import type { SignedTx, UnsignedTx } from './tx.ts'
import type { UTXO } from './utxo.ts'

/**
 * The UTXOs that an accepted transaction creates on this chain, in index order. What an export sends
 * away is in `exportedUTXOs`.
 *
 * @example
 * const deposits = createdUTXOs(tx).filter((utxo) => isOurs(utxo))
 */
export function createdUTXOs(tx: SignedTx, id: Uint8Array = txID(tx)): UTXO[] {
  return createdOutputs(tx.unsignedTx, id).map(({ assetID, output }, outputIndex) => ({
    txID: id,
    outputIndex,
    assetID,
    output,
  }))
}

/** The UTXOs that an accepted ExportTx puts where its destination chain can import them. */
export function exportedUTXOs(tx: SignedTx, id: Uint8Array = txID(tx)): UTXO[] {
  const { unsignedTx } = tx
  if (unsignedTx.type !== 'ExportTx') return []
  return unsignedTx.exportedOutputs.map(({ assetID, output }, i) => ({
    txID: id,
    outputIndex: unsignedTx.outputs.length + i,
    assetID,
    output,
  }))
}

function createdOutputs(
  tx: UnsignedTx,
  id: Uint8Array,
): readonly { assetID: Uint8Array; output: Output }[] {
  switch (tx.type) {
    case 'BaseTx':
    case 'ImportTx':
    case 'ExportTx':
      return tx.outputs
    case 'CreateAssetTx':
      return [
        ...tx.outputs,
        ...tx.initialStates.flatMap((state) =>
          state.outputs.map((output) => ({ assetID: id, output })),
        ),
      ]
    case 'OperationTx':
      return [
        ...tx.outputs,
        ...tx.operations.flatMap(({ assetID, operation }) =>
          producedOutputs(operation).map((output) => ({ assetID, output })),
        ),
      ]
  }
}

/** What an operation leaves behind, in order. An NFT's mint right is used up, the others come back. */
export function producedOutputs(operation: FxOperation): Output[] {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
      return [operation.mintOutput, operation.transferOutput]
    case 'nftfx.MintOperation':
      return operation.outputs.map((owners) => ({
        type: 'nftfx.TransferOutput',
        groupID: operation.groupID,
        payload: operation.payload,
        ...owners,
      }))
    case 'nftfx.TransferOperation':
      return [operation.output]
    case 'propertyfx.MintOperation':
      return [operation.mintOutput, operation.ownedOutput]
    case 'propertyfx.BurnOperation':
      return []
  }
}
