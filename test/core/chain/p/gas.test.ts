import { expect, it } from 'vitest'
import { networks } from '../../../../src/core/chain/networks.ts'
import * as pChain from '../../../../src/core/p-chain.ts'

const MAX = 2n ** 64n - 1n
/** One input with one signature: one read, and no other resource that is weighed. */
const tx: pChain.UnsignedTx = {
  type: 'BaseTx',
  networkID: networks.local.networkID,
  blockchainID: new Uint8Array(32),
  outputs: [],
  inputs: [
    {
      txID: new Uint8Array(32).fill(1),
      outputIndex: 0,
      assetID: new Uint8Array(32).fill(1),
      input: { type: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] },
    },
  ],
  memo: new Uint8Array(),
}
const weights = { bandwidth: 0n, dbRead: MAX, dbWrite: 0n, compute: 0n }
const overflow = expect.objectContaining({ code: 'AMOUNT_OVERFLOW' })

it('gas and fees are exact up to the largest amount, and refused above it', () => {
  expect(pChain.gasOf(tx, weights)).toBe(MAX)
  expect(pChain.feeOf(tx, { weights, price: 1n })).toBe(MAX)
  expect(() => pChain.feeOf(tx, { weights, price: 2n })).toThrow(overflow)
  // The input is also written.
  expect(() => pChain.gasOf(tx, { ...weights, dbWrite: 1n })).toThrow(overflow)
})
