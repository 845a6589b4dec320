import { expect, it } from 'vitest'
import { Pool } from '../../../src/core/coins/pool.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { alice, coin, coins, idOf, trio } from './samples.ts'

const assetID = idOf('asset')

/** Bytes of an input (84 and 4 per signature) and its credential (8 and 65 per signature) in a signed transaction. */
const spendSize = (signatures: number) => 84 + 8 + (4 + 65) * signatures

it('candidates know their number, sum and size without reading every UTXO', () => {
  const one = { assetID, addresses: [alice], threshold: 1 }
  const spent = coin('spent', 100n, one)
  const set = new UTXOSet()
  set.add([
    ...coins(50, 7n, one),
    ...coins(30, 5n, { assetID, addresses: trio, threshold: 2 }),
    coin('other', 9n, { ...one, assetID: idOf('other') }),
    spent,
  ])
  const pool = new Pool(set, { owners: trio, now: 1n, excluded: [spent] })
  const found = pool.candidates(pool.store.findAsset(assetID))
  expect([found.count, found.sum]).toEqual([80, 500n])
  expect(found.spendSize).toBe(50 * spendSize(1) + 30 * spendSize(2))
})
