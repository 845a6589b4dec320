import { equalBytes } from '../../core/base/bytes/compare.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { decodeTx as decodeCTx } from '../../core/c-chain.ts'
import { P_CHAIN_ID } from '../../core/chain/networks.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'

/** A signed transaction of the P- or C-Chain. */
export type POrCTx = { readonly chain: 'P' | 'C'; readonly bytes: Uint8Array }

/** Codec version (2 bytes), type ID (4) and network ID (4) precede the chain ID. */
const CHAIN_ID_OFFSET = 10

/** Recognizes a transaction of the P- or C-Chain in hex; undefined for everything else. */
export function pOrCTxIn(text: string): POrCTx | undefined {
  const bytes = tryDecode(() => checkedHex.decode(text.trim()))
  if (bytes === undefined) return undefined
  const chainID = bytes.subarray(CHAIN_ID_OFFSET, CHAIN_ID_OFFSET + P_CHAIN_ID.length)
  if (equalBytes(chainID, P_CHAIN_ID)) return { chain: 'P', bytes }
  if (tryDecode(() => decodeTx(bytes)) !== undefined) return undefined
  return tryDecode(() => decodeCTx(bytes)) && { chain: 'C', bytes }
}

function tryDecode<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof AvmError) return undefined
    throw error
  }
}
