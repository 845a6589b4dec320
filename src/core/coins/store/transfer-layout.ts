import { MAX_SIZE } from '../../codec/codec.ts'
import { EMPTY_OWNERS_SIZE } from './owner-groups.ts'

/** Offsets of the fields of an encoded UTXO, counted from the codec version. */
export const AT = { txID: 2, assetID: 38, type: 70, amount: 74, owners: 82 } as const

/** The type ID of a secp256k1fx TransferOutput. */
const TRANSFER_OUTPUT = 7

/**
 * Returns the number of owners if the bytes are a transfer output in exactly the form that the codec accepts;
 * otherwise -1, and the codec must decode it.
 */
export function transferOwnerCount(view: DataView, start: number, end: number): number {
  const size = end - start
  if (size < AT.owners + EMPTY_OWNERS_SIZE || size > MAX_SIZE) return -1
  if (view.getUint16(start) !== 0 || view.getUint32(start + AT.type) !== TRANSFER_OUTPUT) return -1
  const count = view.getUint32(start + AT.owners + 12)
  return size === AT.owners + EMPTY_OWNERS_SIZE + 20 * count ? count : -1
}
