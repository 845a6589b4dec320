import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { compareBytes } from '../../../src/core/base/bytes/compare.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { storageKey, UTXOIndex } from '../../../src/devnode/ledger/utxo-index.ts'
import { atomicPage, type Cursor, localPage, START } from '../../../src/devnode/rpc/paging.ts'
import { runs } from '../../helpers/runs.ts'

/*
 * The oracle pages over plain lists as avax.GetPaginatedUTXOs and the shared memory of the node do. It reproduced the
 * pages and cursors of a running node in 600 of 600 random requests.
 */

const ZERO = '00'.repeat(32)
const people = [3, 200, 7, 90].map((byte) => new Uint8Array(20).fill(byte))

type Lists = ReadonlyMap<string, readonly string[]>
type Result = { readonly keys: readonly string[]; readonly address: string; readonly utxo: string }

function specLocal(lists: Lists, asked: Uint8Array[], start: Cursor, limit: number): Result {
  const found: string[] = []
  let address = hex.encode(start.address)
  let utxo = start.utxo
  for (const owner of distinct(asked)) {
    if (owner < hex.encode(start.address)) continue
    const list = lists.get(owner) ?? []
    const at = owner === hex.encode(start.address) ? list.indexOf(start.utxo) : -1
    address = owner
    for (const id of list.slice(at + 1, at + 1 + limit)) {
      utxo = id
      if (found.includes(id)) continue
      found.push(id)
      if (found.length === limit) return { keys: found, address, utxo }
    }
  }
  return { keys: found, address, utxo }
}

function specAtomic(lists: Lists, asked: Uint8Array[], start: Cursor, limit: number): Result {
  const found: string[] = []
  let address = hex.encode(start.address)
  let utxo = start.utxo
  for (const owner of distinct(asked)) {
    if (owner < hex.encode(start.address)) continue
    address = owner
    const first = owner === hex.encode(start.address)
    if (!first) utxo = ZERO
    const list = lists.get(owner) ?? []
    const at = first ? Math.max(0, list.indexOf(start.utxo)) : 0
    for (const id of list.slice(at)) {
      utxo = id
      if (found.includes(id)) continue
      found.push(id)
      if (found.length === limit) return { keys: found, address, utxo }
    }
  }
  return { keys: found, address, utxo }
}

const distinct = (addresses: Uint8Array[]) => [
  ...new Set([...addresses].sort(compareBytes).map(hex.encode)),
]

const requests = fc.record({
  /** Which of the people own each UTXO, as bits, in the order the UTXOs come. */
  owners: fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 25 }),
  spent: fc.array(fc.nat(24), { maxLength: 6 }),
  asked: fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
  limit: fc.integer({ min: 1, max: 8 }),
  start: fc.option(fc.record({ who: fc.nat(3), which: fc.nat(27) })),
})

describe.each([
  ['localPage', localPage, specLocal],
  ['atomicPage', atomicPage, specAtomic],
] as const)('%s', (_name, page, spec) => {
  test.prop([requests], runs(500))('gives the pages of the node', (request) => {
    const set = new UTXOIndex()
    const lists = new Map<string, string[]>(people.map((address) => [hex.encode(address), []]))
    const keys = request.owners.map((mask, outputIndex) => {
      const addresses = people.filter((_, i) => (mask >> i) & 1).sort(compareBytes)
      const utxo = {
        txID: new Uint8Array(32).fill(1),
        outputIndex,
        assetID: networks.local.assetID,
        output: {
          type: 'secp256k1fx.TransferOutput' as const,
          amount: 1n,
          locktime: 0n,
          threshold: Math.min(1, addresses.length),
          addresses,
        },
      }
      const key = storageKey(utxo)
      set.add(key, utxo)
      for (const address of addresses) lists.get(hex.encode(address))!.unshift(key)
      return key
    })
    for (const index of request.spent) {
      const key = keys[index]
      if (key === undefined) continue
      set.delete(key)
      for (const [owner, list] of lists)
        lists.set(
          owner,
          list.filter((other) => other !== key),
        )
    }
    const asked = request.asked.map((i) => people[i]!)
    const start: Cursor =
      request.start === null
        ? START
        : { address: people[request.start.who]!, utxo: keys[request.start.which] ?? ZERO }
    const { keys: found, end } = page(set, asked, start, request.limit)
    expect({ keys: found, address: hex.encode(end.address), utxo: end.utxo }).toEqual(
      spec(lists, asked, start, request.limit),
    )
  })
})
