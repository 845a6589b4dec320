import { encode } from '../codec/codec.ts'
import { hex } from '../encoding/hex.ts'
import { EncodingError } from '../errors.ts'
import { sha256 } from '../hash/sha256.ts'
import { type Block, encodeBlock } from './block.ts'
import type { UTXOID } from './transferables.ts'
import { encodeTx, encodeUnsignedTx, type SignedTx, signedTx, type UnsignedTx } from './tx.ts'

/** The ID of a signed transaction, or of its bytes where these are at hand. Signing changes it. */
export function txID(tx: SignedTx | Uint8Array): Uint8Array {
  return sha256(tx instanceof Uint8Array ? tx : encodeTx(tx))
}

/** What each signature of a transaction signs. */
export function hashToSign(tx: UnsignedTx | Uint8Array): Uint8Array {
  return sha256(tx instanceof Uint8Array ? tx : encodeUnsignedTx(tx))
}

/** The ID of a block, or of its bytes where these are at hand. */
export function blockID(block: Block | Uint8Array): Uint8Array {
  return sha256(block instanceof Uint8Array ? block : encodeBlock(block))
}

/** The IDs of the transactions in a block, in their order. */
export function blockTxIDs(block: Block): Uint8Array[] {
  // In a block transactions stand without the version that their IDs are made with.
  return block.txs.map((tx) => sha256(encode(signedTx, tx)))
}

/** A text that names a UTXO, for maps and sets: made much faster than its ID or its cb58 name. */
export function utxoKey({ txID, outputIndex }: UTXOID): string {
  return `${hex.encode(txID)}:${outputIndex}`
}

/** The ID of the UTXO (also: of the input) at an index of a transaction's outputs. */
export function utxoID(txID: Uint8Array, outputIndex: number): Uint8Array {
  if (txID.length !== 32)
    throw new EncodingError(
      'ENC_WRONG_LENGTH',
      `expected a transaction ID of 32 bytes, found ${txID.length}`,
    )
  if (outputIndex >>> 0 !== outputIndex)
    throw new EncodingError(
      'ENC_BAD_INDEX',
      `expected an output index from 0 to 4294967295, found ${outputIndex}`,
    )
  // The index comes first and is widened to 8 bytes.
  const image = new Uint8Array(40)
  for (let i = 0; i < 4; i++) image[4 + i] = outputIndex >>> (24 - 8 * i)
  image.set(txID, 8)
  return sha256(image)
}
