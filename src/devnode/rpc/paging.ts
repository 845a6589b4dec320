import { compareBytes, equalBytes } from '../../bytes/compare.ts'
import { hex } from '../../encoding/hex.ts'
import type { UTXOSet } from '../utxo-set.ts'

/** The node's largest page. */
export const MAX_PAGE = 1024

/** Where a page begins or ended: an address and a UTXO ID. */
export type Cursor = { readonly address: Uint8Array; readonly utxo: string }

/** Keys of UTXOs, and the cursor to go on from. */
export type Page = { readonly keys: readonly string[]; readonly end: Cursor }

const ZERO_ADDRESS: Uint8Array = /* @__PURE__ */ new Uint8Array(20)
const ZERO_ID = '00'.repeat(32)

/** From the beginning. */
export const START: Cursor = { address: ZERO_ADDRESS, utxo: ZERO_ID }

/**
 * A page of the chain's own UTXOs. The start is left out; where it is gone, its address begins
 * anew. The end is the last address searched and the last UTXO looked at, which need not belong
 * together.
 */
export function localPage(
  set: UTXOSet,
  addresses: readonly Uint8Array[],
  start: Cursor,
  limit: number,
): Page {
  const found = new Set<string>()
  let { address: endAddress, utxo: endUTXO } = start
  for (const address of searched(addresses, start)) {
    endAddress = address
    const after = equalBytes(address, start.address) ? start.utxo : undefined
    let looked = 0
    for (const key of set.of(address).from(after)) {
      // No more than a page of one address is looked at, found or known already.
      if (looked++ === limit) break
      endUTXO = key
      found.add(key)
      if (found.size === limit) return page(found, endAddress, endUTXO)
    }
  }
  return page(found, endAddress, endUTXO)
}

/** A page of what another chain exported. Here the start comes again, so pages overlap by one. */
export function atomicPage(
  set: UTXOSet,
  addresses: readonly Uint8Array[],
  start: Cursor,
  limit: number,
): Page {
  const found = new Set<string>()
  let { address: endAddress, utxo: endUTXO } = start
  for (const address of searched(addresses, start)) {
    const first = equalBytes(address, start.address)
    endAddress = address
    if (!first) endUTXO = ZERO_ID
    const list = set.of(address)
    const again = first && list.has(start.utxo) ? [start.utxo] : []
    for (const key of chained(again, list.from(first ? start.utxo : undefined))) {
      endUTXO = key
      found.add(key)
      if (found.size === limit) return page(found, endAddress, endUTXO)
    }
  }
  return page(found, endAddress, endUTXO)
}

function searched(addresses: readonly Uint8Array[], start: Cursor): Uint8Array[] {
  const distinct = new Map(addresses.map((address) => [hex.encode(address), address]))
  return [...distinct.values()]
    .sort(compareBytes)
    .filter((address) => compareBytes(address, start.address) >= 0)
}

function* chained(first: readonly string[], rest: Iterable<string>): Generator<string> {
  yield* first
  yield* rest
}

function page(found: Set<string>, address: Uint8Array, utxo: string): Page {
  return { keys: [...found], end: { address, utxo } }
}
