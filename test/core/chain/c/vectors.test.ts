import { describe, expect, it } from 'vitest'
import { cb58 } from '../../../../src/core/base/encoding/cb58.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import { encodeUTXO } from '../../../../src/core/chain/x/utxo.ts'
import { addressOf } from '../../../../src/core/crypto/secp256k1.ts'
import { contextOf, crossChain } from '../../../helpers/cross-chain.ts'
import { codeOf } from '../../../helpers/vectors.ts'

describe('C-Chain atomic transactions', () => {
  for (const v of crossChain('c-tx'))
    it(`judges ${v.name} as the node does`, () => {
      const bytes = hex.decode(v.signed)
      if (v.stage === 'decode') {
        expect(codeOf(() => cChain.decodeTx(bytes))).toMatch(/^CODEC_/)
        return
      }
      if (v.oddCredential && codeOf(() => cChain.decodeTx(bytes))) return
      const tx = cChain.decodeTx(bytes)
      expect(hex.encode(cChain.encodeTx(tx))).toBe(v.signed)
      expect(hex.encode(cChain.encodeUnsignedTx(tx.unsignedTx))).toBe(v.unsigned)
      expect(cChain.decodeUnsignedTx(hex.decode(v.unsigned))).toEqual(tx.unsignedTx)
      expect(cb58.encode(cChain.txID(tx))).toBe(v.txID)
      expect(hex.encode(cChain.hashToSign(tx.unsignedTx))).toBe(v.hashToSign)
      expect(cChain.unsignedSize(tx.unsignedTx)).toBe(v.unsigned.length / 2)
      expect(String(cChain.gasOf(tx.unsignedTx))).toBe(v.gas)
      for (const { baseFee, fee } of v.fees)
        expect(String(cChain.feeOf(tx.unsignedTx, BigInt(baseFee!)))).toBe(fee)
      const judge = (helicon: boolean) =>
        codeOf(() => cChain.verifyTx(tx, contextOf(v), { helicon })) === undefined ? 'ok' : 'err'
      expect(judge(false)).toBe(v.verdict)
      const sane = v.helicon!.verdict === 'ok' || v.helicon!.stage !== 'sanity'
      expect(judge(true)).toBe(sane ? 'ok' : 'err')
      if (v.exports !== undefined)
        expect(cChain.exportedUTXOs(tx).map((utxo) => hex.encode(encodeUTXO(utxo)))).toEqual(
          v.exports.map(({ utxo }) => utxo),
        )
    })

  it('reports the node’s text for the first rule that is broken', () => {
    for (const v of crossChain('c-tx')) {
      if (v.stage !== 'verify') continue
      let reason: string | undefined
      try {
        cChain.verifyTx(cChain.decodeTx(hex.decode(v.signed)), contextOf(v))
      } catch (error) {
        reason = (error as { reason?: string }).reason
      }
      expect([v.name, reason]).toEqual([v.name, v.error])
    }
  })
})

describe('feeOfGas', () => {
  for (const v of crossChain('c-fee'))
    it(`agrees with ${v.name}`, () => {
      const fee = () => String(cChain.feeOfGas(BigInt(v.gas), BigInt(v.baseFee)))
      if (v.verdict === 'ok') expect(fee()).toBe(v.fee)
      else expect(codeOf(fee)).toBe('AMOUNT_OVERFLOW')
    })

  it('refuses a fee of more than 64 bits', () => {
    const most = 2n ** 64n - 1n
    expect(cChain.feeOfGas(most, 10n ** 9n)).toBe(most)
    expect(codeOf(() => cChain.feeOfGas(most, 10n ** 9n + 1n))).toBe('AMOUNT_OVERFLOW')
  })
})

describe('EVM addresses', () => {
  for (const v of crossChain('evm-address'))
    it(`of ${v.name} come from the public key`, () => {
      const publicKey = hex.decode(v.publicKey)
      expect(cChain.evmAddressOf(publicKey)).toBe(v.checksummed)
      expect(hex.encode(cChain.evmAddressBytes(publicKey))).toBe(v.evmAddress)
      expect(hex.encode(addressOf(publicKey))).toBe(v.address)
      expect(hex.encode(cChain.parseEVMAddress(v.checksummed))).toBe(v.evmAddress)
      expect(hex.encode(cChain.parseEVMAddress(`0x${v.evmAddress}`))).toBe(v.evmAddress)
      expect(hex.encode(cChain.parseEVMAddress(`0x${v.evmAddress.toUpperCase()}`))).toBe(
        v.evmAddress,
      )
    })

  it('refuses a wrong checksum, other prefixes, lengths and letters', () => {
    const [v] = crossChain('evm-address')
    const flipped = v!.checksummed.replace(/[a-f](?!.*[a-f])/, (letter) => letter.toUpperCase())
    expect(codeOf(() => cChain.parseEVMAddress(flipped))).toBe('ENC_BAD_CHECKSUM')
    expect(codeOf(() => cChain.parseEVMAddress(v!.evmAddress))).toBe('ENC_MISSING_0X')
    expect(codeOf(() => cChain.parseEVMAddress('C-local1abc'))).toBe('ENC_MISSING_0X')
    expect(codeOf(() => cChain.parseEVMAddress(`${v!.checksummed}00`))).toBe('ENC_WRONG_LENGTH')
    expect(codeOf(() => cChain.parseEVMAddress(`0x0x${'1'.repeat(38)}`))).toBe('ENC_BAD_HEX')
    expect(codeOf(() => cChain.parseEVMAddress(undefined as never))).toBe('ENC_MISSING_0X')
    expect(codeOf(() => cChain.formatEVMAddress(new Uint8Array(21)))).toBe('ENC_WRONG_LENGTH')
  })

  it('refuses what is no compressed public key', () => {
    const key = hex.decode(crossChain('evm-address')[0]!.publicKey)
    for (const bad of [key.subarray(1), new Uint8Array(33), new Uint8Array(33).fill(255), 'x'])
      expect(codeOf(() => cChain.evmAddressOf(bad as Uint8Array))).toBe('KEY_INVALID')
  })
})
