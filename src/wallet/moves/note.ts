import { hex } from '../../core/base/encoding/hex.ts'
import { StoreError } from '../store/errors.ts'
import type { MoveChain } from './side.ts'

/** Describes a move. The store keeps it with each of its two transactions until the move ends. */
export type MoveNote = {
  readonly from: MoveChain
  readonly to: MoveChain
  /**
   * Amount that is to arrive, in the asset's smallest unit; less arrives if the fee of the import rises above the
   * reserve. `all`: all AVAX that can be spent.
   */
  readonly amount: bigint | 'all'
  readonly assetID: Uint8Array
  /** An address, or an account on the C-Chain; 20 bytes. */
  readonly recipient: Uint8Array
  /** The highest fee of each transaction, in nAVAX. */
  readonly maxFee: bigint
}

const CHAINS: readonly string[] = ['X', 'P', 'C']

/** A note as JSON text in UTF-8. */
export function encodeNote({ from, to, amount, assetID, recipient, maxFee }: MoveNote): Uint8Array {
  const text = JSON.stringify({
    version: 1,
    from,
    to,
    amount: String(amount),
    assetID: hex.encode(assetID),
    recipient: hex.encode(recipient),
    maxFee: String(maxFee),
  })
  return new TextEncoder().encode(text)
}

/** @throws StoreError `STORE_CORRUPT` for bytes that are not a note */
export function decodeNote(bytes: Uint8Array): MoveNote {
  try {
    const { version, from, to, amount, assetID, recipient, maxFee } = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes),
    )
    if (version !== 1 || !CHAINS.includes(from) || !CHAINS.includes(to))
      throw new Error('unknown version or chain')
    return {
      from,
      to,
      amount: amount === 'all' ? amount : BigInt(amount),
      assetID: hex.decode(assetID),
      recipient: hex.decode(recipient),
      maxFee: BigInt(maxFee),
    }
  } catch (cause) {
    throw new StoreError('STORE_CORRUPT', 'the note of a move cannot be read', { cause })
  }
}
