import { describe, expect, it } from 'vitest'
import { cb58 } from '../../../../src/core/base/encoding/cb58.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { utxoID } from '../../../../src/core/chain/x/ids.ts'
import { parseJSON, stringifyJSON } from '../../../../src/core/codec/json-text.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { type CrossChainVector, contextOf, crossChain } from '../../../helpers/cross-chain.ts'
import { codeOf } from '../../../helpers/vectors.ts'

const weights = pChain.DEFAULT_GAS_WEIGHTS

function checkDecoded(v: CrossChainVector): pChain.SignedTx {
  const bytes = hex.decode(v.signed)
  const tx = pChain.decodeTx(bytes)
  expect(hex.encode(pChain.encodeTx(tx))).toBe(v.signed)
  expect(hex.encode(pChain.encodeUnsignedTx(tx.unsignedTx))).toBe(v.unsigned)
  expect(pChain.decodeUnsignedTx(hex.decode(v.unsigned))).toEqual(tx.unsignedTx)
  expect(cb58.encode(pChain.txID(tx))).toBe(v.txID)
  expect(cb58.encode(pChain.txID(bytes))).toBe(v.txID)
  expect(hex.encode(pChain.hashToSign(tx.unsignedTx))).toBe(v.hashToSign)
  const complexity = pChain.complexityOf(tx.unsignedTx)
  expect(Object.fromEntries(Object.entries(complexity).map(([k, n]) => [k, String(n)]))).toEqual(
    v.complexity,
  )
  expect(String(pChain.gasOf(tx.unsignedTx, weights))).toBe(v.gas)
  for (const { price, fee } of v.fees)
    expect(String(pChain.feeOf(tx.unsignedTx, { weights, price: BigInt(price!) }))).toBe(fee)
  return tx
}

describe('P-Chain transactions', () => {
  for (const v of crossChain('p-tx'))
    it(`judges ${v.name} as the node does`, () => {
      if (v.stage === 'decode') {
        expect(codeOf(() => pChain.decodeTx(hex.decode(v.signed)))).toMatch(/^CODEC_/)
        return
      }
      if (v.oddCredential && codeOf(() => pChain.decodeTx(hex.decode(v.signed)))) return
      const tx = checkDecoded(v)
      const code = codeOf(() => pChain.verifyTx(tx, contextOf(v)))
      if (v.verdict === 'ok') expect(code).toBeUndefined()
      else expect(code).toMatch(v.stage === 'memo' ? /^MEMO_TOO_LARGE$/ : /^(?!MEMO_|not an)/)
      if (v.jsonText !== undefined) {
        expect(stringifyJSON(pChain.txToJSON(tx, contextOf(v)))).toBe(v.jsonText)
        expect(pChain.txFromJSON(parseJSON(v.jsonText), contextOf(v))).toEqual(tx)
      }
      const created = pChain.createdUTXOs(tx).map((utxo) => hex.encode(pChain.encodeUTXO(utxo)))
      if (v.produces !== undefined)
        // The vectors were written by Go, which prints an empty list as null.
        expect(created).toEqual((v.produces ?? []).map(({ utxo }) => utxo))
      const exported = pChain.exportedUTXOs(tx)
      if (v.exports !== undefined)
        expect(exported.map((utxo) => hex.encode(pChain.encodeUTXO(utxo)))).toEqual(
          v.exports.map(({ utxo }) => utxo),
        )
    })

  it('create no UTXOs for an ID of another size', () => {
    const exporting = crossChain('p-tx').find(({ exports = [] }) => exports.length > 0)!
    const tx = pChain.decodeTx(hex.decode(exporting.signed))
    for (const utxosOf of [pChain.createdUTXOs, pChain.exportedUTXOs])
      for (const size of [0, 31, 33])
        expect(codeOf(() => utxosOf(tx, new Uint8Array(size)))).toBe('ENC_WRONG_LENGTH')
  })

  it('reports the node’s text for the first rule that is broken', () => {
    for (const v of crossChain('p-tx')) {
      if (v.stage !== 'syntactic' && v.stage !== 'memo') continue
      let reason: string | undefined
      try {
        pChain.verifyTx(pChain.decodeTx(hex.decode(v.signed)), contextOf(v))
      } catch (error) {
        reason = (error as { reason?: string }).reason
      }
      expect([v.name, reason]).toEqual([v.name, v.error])
    }
  })
})

describe('P-Chain UTXOs', () => {
  for (const v of crossChain('p-utxo'))
    it(`reads ${v.name}`, () => {
      const bytes = hex.decode(v.utxo)
      if (v.verdict === 'err') {
        expect(codeOf(() => pChain.decodeUTXO(bytes))).toMatch(/^CODEC_/)
        return
      }
      const utxo = pChain.decodeUTXO(bytes)
      expect(hex.encode(pChain.encodeUTXO(utxo))).toBe(v.utxo)
      const { output } = utxo
      const inner = output.type === 'stakeable.LockOut' ? output.output : output
      expect({
        type: output.type === 'stakeable.LockOut' ? '22' : '7',
        lock: String(pChain.stakeableLocktime(output)),
        amount: String(inner.amount),
        locktime: String(inner.locktime),
        threshold: String(inner.threshold),
        addresses: inner.addresses.map(hex.encode),
        assetID: cb58.encode(utxo.assetID),
        utxoID: cb58.encode(utxoID(utxo.txID, utxo.outputIndex)),
      }).toEqual({
        type: v.type,
        lock: v.stakeableLocktime ?? '0',
        amount: v.amount,
        locktime: v.locktime,
        threshold: v.threshold,
        addresses: v.addresses,
        assetID: v.assetID,
        utxoID: v.utxoID,
      })
    })
})

describe('gasPrice', () => {
  for (const v of crossChain('p-price'))
    it(`agrees with ${v.name}`, () => {
      const config = {
        minPrice: BigInt(v.minPrice),
        excessConversionConstant: BigInt(v.excessConversionConstant),
      }
      expect(String(pChain.gasPrice(BigInt(v.excess), config))).toBe(v.price)
    })

  it('rises from 1 to 2 between the excesses 1,500,002 and 1,500,003', () => {
    expect(pChain.gasPrice(1_500_002n, pChain.DEFAULT_PRICE_CONFIG)).toBe(1n)
    expect(pChain.gasPrice(1_500_003n, pChain.DEFAULT_PRICE_CONFIG)).toBe(2n)
  })
})

describe('fee state', () => {
  for (const v of crossChain('p-fee-state'))
    it(`moves as in ${v.name}`, () => {
      const config = pChain.DEFAULT_PRICE_CONFIG
      const state = { capacity: BigInt(v.capacity), excess: BigInt(v.excess) }
      const after = pChain.advanceFeeState(state, BigInt(v.seconds), config)
      const text = ({ capacity, excess }: pChain.FeeState) => ({
        capacity: String(capacity),
        excess: String(excess),
        price: String(pChain.gasPrice(excess, config)),
      })
      expect(text(after)).toEqual(v.after)
      const consumed = pChain.consumeGas(after, BigInt(v.gas))
      expect(consumed && text(consumed)).toEqual(v.consumed)
    })
})
