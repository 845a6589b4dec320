import { compareBytes, equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { UTXOIndex } from '../ledger/utxo-index.ts'

/** Maximum page size of the node. */
export const MAX_PAGE = 1024

/** Start or end of a page: an address and a UTXO ID in hex. */
export type Cursor = { readonly address: Uint8Array; readonly utxo: string }

/** The keys of a page and the cursor to continue from. */
export type KeyPage = { readonly keys: readonly string[]; readonly end: Cursor }

const ZERO_ADDRESS: Uint8Array = /* @__PURE__ */ new Uint8Array(20)
const ZERO_ID_HEX = '00'.repeat(32)

/** The start of the first page. */
export const START: Cursor = { address: ZERO_ADDRESS, utxo: ZERO_ID_HEX }

/**
 * Returns a page of the chain's own UTXOs. The start UTXO is excluded; if it no longer exists, its address starts
 * from the beginning. The end consists of the last address searched and the last UTXO examined, which need not belong
 * together.
 */
export function localPage(
  set: UTXOIndex,
  addresses: readonly Uint8Array[],
  start: Cursor,
  limit: number,
): KeyPage {
  const found = new Set<string>()
  let { address: endAddress, utxo: endUTXO } = start
  for (const address of searched(addresses, start)) {
    endAddress = address
    const after = equalBytes(address, start.address) ? start.utxo : undefined
    let examined = 0
    for (const key of set.of(address).from(after)) {
      // At most `limit` UTXOs are examined per address, including those that another address has as well.
      if (examined++ === limit) break
      endUTXO = key
      found.add(key)
      if (found.size === limit) return keyPage(found, endAddress, endUTXO)
    }
  }
  return keyPage(found, endAddress, endUTXO)
}

/** Returns a page of UTXOs exported by another chain. Here the start UTXO is included, so pages overlap by one. */
export function atomicPage(
  set: UTXOIndex,
  addresses: readonly Uint8Array[],
  start: Cursor,
  limit: number,
): KeyPage {
  const found = new Set<string>()
  let { address: endAddress, utxo: endUTXO } = start
  for (const address of searched(addresses, start)) {
    const isStart = equalBytes(address, start.address)
    endAddress = address
    if (!isStart) endUTXO = ZERO_ID_HEX
    const list = set.of(address)
    const repeated = isStart && list.has(start.utxo) ? [start.utxo] : []
    for (const key of chained(repeated, list.from(isStart ? start.utxo : undefined))) {
      endUTXO = key
      found.add(key)
      if (found.size === limit) return keyPage(found, endAddress, endUTXO)
    }
  }
  return keyPage(found, endAddress, endUTXO)
}

/** The distinct addresses from the start on, sorted. */
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

function keyPage(found: Set<string>, address: Uint8Array, utxo: string): KeyPage {
  return { keys: [...found], end: { address, utxo } }
}
