import * as pChain from 'avmkit/p-chain'
import { importTx } from './lib/fixtures.js'
import { assertSame, row, time } from './lib/harness.js'
import { avalanchejs, RIVAL } from './lib/rival.js'
import { transfer } from './transfer.js'

const manager = avalanchejs.utils.getManagerForVM('PVM')
const codec = manager.getDefaultCodec()

/** Rows `chains …`: transfers between chains. */
export default async function* chains() {
  yield* importCodec()
  yield* transfer()
}

function* importCodec() {
  const bytes = pChain.encodeTx(importTx(100))
  const ours = pChain.decodeTx(bytes)
  const theirs = manager.unpack(bytes, avalanchejs.avaxSerial.SignedTx)
  const name = 'signed P ImportTx, 100 inputs 1 output'
  assertSame(name, bytes, pChain.encodeTx(ours), theirs.toBytes(codec))
  const fees = { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 3n }
  const spent = time({
    ours: () => pChain.decodeTx(bytes),
    rival: () => manager.unpack(bytes, avalanchejs.avaxSerial.SignedTx),
    fee: () => pChain.feeOf(ours.unsignedTx, fees),
  })
  yield row({
    name: `chains decode ${name}`,
    unit: 'µs',
    ours: spent.ours,
    rival: spent.rival,
    rivalName: RIVAL,
    atLeast: 50,
  })
  const encoded = time({ ours: () => pChain.encodeTx(ours), rival: () => theirs.toBytes(codec) })
  yield row({
    name: `chains encode ${name}`,
    unit: 'µs',
    ...encoded,
    rivalName: RIVAL,
    atLeast: 12,
  })
  yield row({
    name: 'chains gas and fee of the same',
    unit: 'µs',
    ours: spent.fee,
    rival: spent.ours,
    rivalName: 'decoding it',
    atMost: 1,
  })
}
