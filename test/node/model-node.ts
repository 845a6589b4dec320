import { compareBytes } from '../../src/core/base/bytes/compare.ts'
import { formatAddress, parseAddress } from '../../src/core/base/encoding/address.ts'
import { cb58 } from '../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { utxoID } from '../../src/core/chain/x/ids.ts'
import { encodeUTXO, type UTXO } from '../../src/core/chain/x/utxo.ts'
import type { Fetch } from '../../src/node/index.ts'

/** Owner lists, newest first, as the node keeps them; a test changes them between two pages. */
export type Lists = Map<string, UTXO[]>

/** A request to the model. */
export type Asked = {
  readonly addresses: readonly string[]
  readonly limit: number
  readonly startIndex?: { readonly address: string; readonly utxo: string }
  readonly sourceChain?: string
  readonly encoding: string
}

/** A coin made of a number; three of them come from one transaction. */
export function coin(n: number, owners: readonly Uint8Array[]): UTXO {
  const txID = new Uint8Array(32)
  new DataView(txID.buffer).setUint32(0, Math.floor(n / 3))
  return {
    txID,
    outputIndex: n % 3,
    assetID: new Uint8Array(32).fill(2),
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount: BigInt(n) + 1n,
      locktime: 0n,
      threshold: 1,
      addresses: [...owners].sort(compareBytes),
    },
  }
}

/** An address made of a number. */
export function owner(n: number): Uint8Array {
  const address = new Uint8Array(20)
  new DataView(address.buffer).setUint32(0, (n * 2654435761) >>> 0)
  return address
}

/** Adds UTXOs to the lists of their owners; the last one becomes the newest. */
export function give(lists: Lists, coins: readonly UTXO[]): void {
  for (const utxo of coins)
    for (const address of (utxo.output as { addresses: readonly Uint8Array[] }).addresses) {
      const key = hex.encode(address)
      lists.set(key, [utxo, ...(lists.get(key) ?? [])])
    }
}

/** Removes UTXOs, as spending does. */
export function spend(lists: Lists, spent: readonly UTXO[]): void {
  const names = new Set(spent.map(nameOf))
  for (const [key, list] of lists)
    lists.set(
      key,
      list.filter((utxo) => !names.has(nameOf(utxo))),
    )
}

export function nameOf(utxo: UTXO): string {
  return cb58.encode(utxoID(utxo.txID, utxo.outputIndex))
}

/**
 * The node's getUTXOs, after the pseudo-code of its two walks: over owner lists with an exclusive start, or
 * over shared memory with an inclusive one. `before` runs ahead of each answer.
 */
export function modelFetch(
  lists: Lists,
  before: (asked: Asked, n: number) => void = () => {},
): Fetch {
  let n = 0
  return async (_, init) => {
    await new Promise((resolve) => setImmediate(resolve))
    init.signal?.throwIfAborted()
    const { id, params } = JSON.parse(String(init.body)) as { id: number; params: Asked }
    before(params, n++)
    const result = answer(lists, params)
    return new Response(JSON.stringify({ jsonrpc: '2.0', result, id }), {
      headers: { 'content-type': 'application/json' },
    })
  }
}

const bytesOf = (text: string) =>
  text.includes('-') ? parseAddress(text).address : cb58.decode(text)

function answer(lists: Lists, asked: Asked): unknown {
  const limit = Math.min(asked.limit || 1024, 1024)
  const atomic = asked.sourceChain !== undefined
  const addresses = new Map(
    asked.addresses.map((text) => [hex.encode(bytesOf(text)), bytesOf(text)]),
  )
  const sorted = [...addresses.values()].sort(compareBytes)
  const { startIndex } = asked
  const zero = cb58.encode(new Uint8Array(32))
  const startAddress = startIndex === undefined ? new Uint8Array(20) : bytesOf(startIndex.address)
  let endAddress = startAddress
  let endUtxo = startIndex?.utxo ?? zero
  const found: UTXO[] = []
  const seen = new Set<string>()
  walk: for (const address of sorted) {
    if (compareBytes(address, startAddress) < 0) continue
    const isStart = compareBytes(address, startAddress) === 0
    endAddress = address
    if (atomic && !isStart) endUtxo = zero
    const list = lists.get(hex.encode(address)) ?? []
    const at = isStart ? list.findIndex((utxo) => nameOf(utxo) === startIndex?.utxo) : -1
    const from = at < 0 ? 0 : atomic ? at : at + 1
    const rest = list.slice(from, atomic ? undefined : from + limit)
    for (const utxo of rest) {
      endUtxo = nameOf(utxo)
      if (seen.has(endUtxo)) continue
      seen.add(endUtxo)
      found.push(utxo)
      if (found.length === limit) break walk
    }
  }
  const write = (utxo: UTXO) =>
    asked.encoding === 'hexnc'
      ? `0x${hex.encode(encodeUTXO(utxo))}`
      : checkedHex.encode(encodeUTXO(utxo))
  return {
    numFetched: String(found.length),
    utxos: found.map(write),
    endIndex: {
      address: formatAddress({ chain: 'X', hrp: 'local', address: endAddress }),
      utxo: endUtxo,
    },
    encoding: asked.encoding,
  }
}
