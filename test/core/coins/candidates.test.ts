import { expect, it } from 'vitest'
import { encodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import { Pool } from '../../../src/core/coins/pool.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { alice, coin, coins, idOf, trio } from './samples.ts'

const assetID = idOf('asset')

it('candidates know their number, sum and size without reading every UTXO', () => {
  const set = new UTXOSet()
  const one = { assetID, addresses: [alice], threshold: 1 }
  const many = [
    ...coins(50, 7n, one),
    ...coins(30, 5n, { assetID, addresses: trio, threshold: 2 }),
    coin('other', 9n, { ...one, assetID: idOf('other') }),
  ]
  set.add(many)
  const spent = coin('taken', 100n, one)
  set.add([spent])
  const pool = new Pool(set, { owners: trio, now: 1n, excluded: [spent] })
  const found = pool.candidates(pool.store.findAsset(assetID))
  expect([found.count, found.sum]).toEqual([80, 500n])
  // The bytes that spending them adds to a signed transaction.
  const spending = many.filter((utxo) => utxo.assetID === assetID)
  const tx: SignedTx = {
    unsignedTx: {
      type: 'BaseTx',
      networkID: 1,
      blockchainID: idOf('chain'),
      outputs: [],
      inputs: [],
      memo: new Uint8Array(),
    },
    credentials: [],
  }
  const indices = (threshold: number) => Array.from({ length: threshold }, (_, i) => i)
  const signed: SignedTx = {
    unsignedTx: {
      ...(tx.unsignedTx as Extract<SignedTx['unsignedTx'], { type: 'BaseTx' }>),
      inputs: spending.map(({ txID, outputIndex, output }) => ({
        txID,
        outputIndex,
        assetID,
        input: {
          type: 'secp256k1fx.TransferInput',
          amount: 1n,
          signatureIndices: indices('threshold' in output ? output.threshold : 0),
        },
      })),
    },
    credentials: spending.map(({ output }) => ({
      type: 'secp256k1fx.Credential',
      signatures: indices('threshold' in output ? output.threshold : 0).map(
        () => new Uint8Array(65),
      ),
    })),
  }
  expect(found.spendSize).toBe(encodeTx(signed).length - encodeTx(tx).length)
})
