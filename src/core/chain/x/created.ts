import { ID_SIZE } from '../../base/encoding/ids.ts'
import { requireBytes } from '../../base/require.ts'
import { withFieldErrors } from '../../codec/codec.ts'
import type { FxOperation, Output } from './fx.ts'
import { txID } from './ids.ts'
import { type SignedTx, signedTx, type UnsignedTx } from './tx.ts'
import type { UTXO } from './utxo.ts'

/**
 * Returns the UTXOs that an accepted transaction creates on this chain, in index order. `exportedUTXOs` returns those
 * that an export creates for another chain.
 *
 * @param id - ID of the transaction; computed if omitted
 *
 * @example
 * const deposits = createdUTXOs(tx).filter(({ output }) => output.addresses.length === 1)
 */
export function createdUTXOs(tx: SignedTx, id: Uint8Array = txID(tx)): UTXO[] {
  requireBytes(id, 'transaction ID', ID_SIZE)
  return withFieldErrors(signedTx, tx, () => numbered(createdOutputs(tx.unsignedTx, id), id, 0))
}

/** Returns the UTXOs that an accepted ExportTx makes available for import on its destination chain. */
export function exportedUTXOs(tx: SignedTx, id: Uint8Array = txID(tx)): UTXO[] {
  requireBytes(id, 'transaction ID', ID_SIZE)
  return withFieldErrors(signedTx, tx, () => {
    const { unsignedTx } = tx
    if (unsignedTx.type !== 'ExportTx') return []
    return numbered(unsignedTx.exportedOutputs, id, unsignedTx.outputs.length)
  })
}

/** Returns outputs of a transaction as UTXOs with consecutive indices from `first` on. */
function numbered(
  outputs: readonly Pick<UTXO, 'assetID' | 'output'>[],
  txID: Uint8Array,
  first: number,
): UTXO[] {
  return outputs.map(({ assetID, output }, i) => ({
    txID,
    outputIndex: first + i,
    assetID,
    output,
  }))
}

/** Returns the assets and outputs of {@link createdUTXOs}, in index order. */
export function createdOutputs(
  tx: UnsignedTx,
  id: Uint8Array,
): readonly Pick<UTXO, 'assetID' | 'output'>[] {
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

/**
 * Returns the outputs that an operation creates, in order. Minting an NFT uses up the mint right; other rights are
 * recreated.
 */
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
