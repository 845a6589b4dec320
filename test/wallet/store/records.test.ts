import { expect, it } from 'vitest'
import { concat } from '../../../src/core/base/bytes/concat.ts'
import {
  decodeRecord,
  encodeRecord,
  type StoreRecord,
} from '../../../src/wallet/store/file/records.ts'
import { bytesOf, txOf, utxo } from './samples.ts'

const number = (size: number, value: bigint | number) =>
  Uint8Array.from({ length: size }, (_, i) =>
    Number((BigInt(value) >> BigInt(8 * (size - 1 - i))) & 0xffn),
  )
const u32 = (value: number) => number(4, value)
const u64 = (value: bigint) => number(8, value)
const blob = (bytes: Uint8Array) => concat([u32(bytes.length), bytes])
const text = (value: string) => blob(new TextEncoder().encode(value))
const list = (...items: Uint8Array[]) => concat([u32(items.length), ...items])
const place = (name: string) => concat([utxo(name).txID, u32(utxo(name).outputIndex)])

const [one, two] = [bytesOf('one'), bytesOf('two')]
const tx = txOf(['a'])

/** Each type of record with its number and what follows it in a file. Files of earlier versions have them, so none may change. */
const layouts: [number, StoreRecord, Uint8Array[]][] = [
  [0, { type: 'binding', networkID: 5, chainID: one }, [u32(5), one]],
  [1, { type: 'snapshot', payments: [] }, [list()]],
  [
    2,
    { type: 'attempt', kind: 'payment', keys: ['a', 'b'], fromHeight: 7n, bytes: tx },
    [number(1, 0), list(text('a'), text('b')), u64(7n), blob(tx)],
  ],
  [
    3,
    {
      type: 'claim',
      kind: 'cancellation',
      payments: [{ key: 'a', digest: one, generated: true, content: two }],
      fromHeight: 7n,
      bytes: tx,
    },
    [number(1, 1), list(concat([text('a'), one, number(1, 3), blob(two)])), u64(7n), blob(tx)],
  ],
  [4, { type: 'acceptance', txID: one, inputs: [utxo('a')] }, [one, list(place('a'))]],
  [5, { type: 'spent', inputs: [utxo('a'), utxo('b')] }, [list(place('a'), place('b'))]],
  [6, { type: 'canceled', key: 'a' }, [text('a')]],
  [
    7,
    { type: 'accepted', txID: one, inputs: [utxo('a')], own: [3], ends: [two], bytes: tx },
    [one, list(place('a')), list(u32(3)), list(two), blob(tx)],
  ],
  [
    8,
    { type: 'rival', txID: one, evidence: [utxo('a')], txs: [tx] },
    [one, list(place('a')), list(blob(tx))],
  ],
  [
    9,
    { type: 'ended', txID: one, keys: ['a'], inputs: [utxo('b')] },
    [one, list(text('a')), list(place('b'))],
  ],
  [10, { type: 'identity', id: one }, [one]],
  [11, { type: 'block', height: 9n, blockID: one, firm: true }, [u64(9n), one, number(1, 1)]],
  [12, { type: 'found', height: 9n, bytes: tx }, [u64(9n), blob(tx)]],
  [13, { type: 'made', txIDs: [one, two] }, [list(one, two)]],
  [
    14,
    { type: 'indexes', account: one, receive: 1, change: 2, nextChange: 3 },
    [one, u32(1), u32(2), u32(3)],
  ],
  [15, { type: 'time', time: 1_700_000_000n }, [u64(1_700_000_000n)]],
]

it('records keep the layout that files have', () => {
  layouts.forEach(([type, record, members], i) => {
    expect(type).toBe(i)
    const bytes = concat([number(2, 0), u32(type), ...members])
    expect(encodeRecord(record), record.type).toEqual(bytes)
    expect(decodeRecord(bytes), record.type).toEqual(record)
  })
  expect(() => decodeRecord(concat([number(2, 0), u32(layouts.length)]))).toThrow()
})
