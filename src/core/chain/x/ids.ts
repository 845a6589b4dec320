import { hex } from '../../base/encoding/hex.ts'
import { ID_SIZE, requireIndex, type UTXOID } from '../../base/encoding/ids.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { isBytes, requireBytes } from '../../base/require.ts'
import { encode, withFieldErrors } from '../../codec/codec.ts'
import { type Block, block as codec, encodeBlock } from './block.ts'
import { encodeTx, encodeUnsignedTx, type SignedTx, signedTx, type UnsignedTx } from './tx.ts'

/** Returns the ID of a signed transaction or of its encoded bytes. Signing changes the ID. */
export function txID(tx: SignedTx | Uint8Array): Uint8Array {
  return sha256(isBytes(tx) ? tx : encodeTx(tx))
}

/** Returns the hash that every signature of a transaction signs. */
export function hashToSign(tx: UnsignedTx | Uint8Array): Uint8Array {
  return sha256(isBytes(tx) ? tx : encodeUnsignedTx(tx))
}

/** Returns the ID of a block or of its encoded bytes. */
export function blockID(block: Block | Uint8Array): Uint8Array {
  return sha256(isBytes(block) ? block : encodeBlock(block))
}

/** Returns the IDs of the transactions in a block, in order. */
export function blockTxIDs(block: Block): Uint8Array[] {
  // Inside a block, transactions have no codec version, but their IDs are hashed with one.
  return withFieldErrors(codec, block, () => block.txs.map((tx) => sha256(encode(signedTx, tx))))
}

/** Returns a text that identifies a UTXO, for use as a map key. Much faster than the UTXO ID or its cb58 name. */
export function utxoKey(reference: UTXOID): string {
  const { txID, outputIndex } = reference ?? {}
  return `${hex.encode(txID)}:${outputIndex}`
}

/**
 * Returns the ID of a UTXO (which is also its input ID) from the transaction ID and the output index.
 *
 * @throws ArgumentError `ENC_INVALID`, `ENC_WRONG_LENGTH`, `ENC_BAD_INDEX`
 */
export function utxoID(txID: Uint8Array, outputIndex: number): Uint8Array {
  requireBytes(txID, 'txID', ID_SIZE)
  requireIndex(outputIndex)
  // The index comes first, as a u64.
  const image = new Uint8Array(40)
  for (let i = 0; i < 4; i++) image[4 + i] = outputIndex >>> (24 - 8 * i)
  image.set(txID, 8)
  return sha256(image)
}
