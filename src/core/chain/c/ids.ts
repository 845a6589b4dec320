import { ID_SIZE } from '../../base/encoding/ids.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { isBytes, requireBytes } from '../../base/require.ts'
import { withFieldErrors } from '../../codec/codec.ts'
import type { UTXO } from '../x/utxo.ts'
import { encodeTx, encodeUnsignedTx, type SignedTx, signedTx, type UnsignedTx } from './tx.ts'

/** The ID of a signed transaction or of its bytes. Signing changes it. */
export function txID(tx: SignedTx | Uint8Array): Uint8Array {
  return sha256(isBytes(tx) ? tx : encodeTx(tx))
}

/** The hash that each signature of a transaction signs: SHA-256, also where accounts sign an export. */
export function hashToSign(tx: UnsignedTx | Uint8Array): Uint8Array {
  return sha256(isBytes(tx) ? tx : encodeUnsignedTx(tx))
}

/** The UTXOs that an accepted ExportTx creates on its destination chain, in index order. Others create none. */
export function exportedUTXOs(tx: SignedTx, id: Uint8Array = txID(tx)): UTXO[] {
  requireBytes(id, 'transaction ID', ID_SIZE)
  return withFieldErrors(signedTx, tx, () => {
    const { unsignedTx } = tx
    if (unsignedTx.type !== 'ExportTx') return []
    return unsignedTx.exportedOutputs.map(({ assetID, output }, outputIndex) => ({
      txID: id,
      outputIndex,
      assetID,
      output,
    }))
  })
}
