import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { AvmError, CodecError } from '../../../../src/core/base/errors.ts'
import { formatEVMAddress } from '../../../../src/core/chain/c/evm-address.ts'
import { readEVMTx } from '../../../../src/core/chain/c/evm-tx.ts'
import { nobleBackend } from '../../../../src/core/crypto/secp256k1.ts'

// The first is the example of EIP-155, the others were signed by micro-eth-signer 0.7.2 with the key 01…01.
const TXS = [
  {
    name: 'legacy, of Ethereum',
    raw: 'f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    hash: '33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788',
    chainID: 1n,
    nonce: 9n,
    sender: '0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F',
  },
  {
    name: 'legacy',
    raw: 'f87182012c8505d21dba00825208948db97c7cece249c2b98bdc0226cc4c2a57bf52fc880de0b6b3a764000080830150f3a085c77ce188af56943ffc7ebe8829aa6091646e26276c680cba355fcb0b876d74a037267cc17a806b7bc557c511c1e225a0dcec90d6cf6d32cb8a0fb7f2d51922d3',
    hash: '9be89506e9ac6102ec11e301e177fccd5f6f0339eab83fd1040a493d10e2837e',
    chainID: 43_112n,
    nonce: 300n,
    sender: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  },
  {
    name: 'EIP-2930',
    raw: '01f87082a868808505d21dba00825208948db97c7cece249c2b98bdc0226cc4c2a57bf52fc880de0b6b3a764000080c080a0d86f1af26e077de91ae87dac33cc1a7f7f8a240d71b52bf4502b21b60315f52aa01f010015f2d02b029d50c963cab2b9fe39db048d31492e9c1d48d001e7860981',
    hash: 'd6ad552a094fc7c5f29947baf092cd5ff35793a4bc57bfdc108f3d036f02c801',
    chainID: 43_112n,
    nonce: 0n,
    sender: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  },
  {
    name: 'EIP-1559',
    raw: '02f87582a86880843b9aca00850ba43b7400825208948db97c7cece249c2b98bdc0226cc4c2a57bf52fc880de0b6b3a764000080c080a0e583c512b032a55ac698cd6a3cf59d987b2665aabd589e5e5514e59da4472187a00df87b6da66856f83ea2525a5335186bed1e6fca795a1e5af6cb9df4883dbfbf',
    hash: 'e349d45d6bfcf77f5f4f8fa738f0ec4970da0a9841dcf9b07be4c2bc850379f8',
    chainID: 43_112n,
    nonce: 0n,
    sender: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  },
] as const

describe('readEVMTx', () => {
  for (const { name, raw, hash, chainID, nonce, sender } of TXS) {
    it(`reads ${name}`, () => {
      const details = readEVMTx(hex.decode(raw), nobleBackend)
      expect({
        ...details,
        hash: hex.encode(details.hash),
        sender: formatEVMAddress(details.sender),
      }).toEqual({ hash, chainID, nonce, sender })
    })

    it(`refuses or attributes to others every changed byte of ${name}`, () => {
      const bytes = hex.decode(raw)
      for (let i = 0; i < bytes.length; i++) {
        const changed = bytes.slice()
        changed[i]! ^= 1
        try {
          expect(formatEVMAddress(readEVMTx(changed, nobleBackend).sender)).not.toBe(sender)
        } catch (error) {
          if (!(error instanceof AvmError)) throw error
        }
      }
    })

    it(`refuses ${name} if it is cut`, () => {
      const bytes = hex.decode(raw)
      for (let size = 0; size < bytes.length; size++)
        expect(() => readEVMTx(bytes.subarray(0, size), nobleBackend)).toThrow(AvmError)
    })
  }

  const [, , , { raw }] = TXS
  for (const [what, bytes] of [
    ['a list of millions of fields', `02fa3d0900${'01'.repeat(4_000_000)}`],
    // 0 is the parity, here as 256.
    ['a parity above 1', raw.replace('02f875', '02f877').replace('c080a0', 'c0820100a0')],
    ['a number with leading zeros', raw.replace('02f875', '02f876').replace('c080a0', 'c08100a0')],
    ['a length with leading zeros', raw.replace('02f875', '02f90075')],
    ['an empty list', '02c0'],
    ['the type 0', `00${raw.slice(2)}`],
    ['a length of 2^64 - 1', `02ff${'ff'.repeat(8)}`],
  ] as const)
    it(`refuses ${what}`, () => {
      const start = performance.now()
      expect(() => readEVMTx(hex.decode(bytes), nobleBackend)).toThrow(CodecError)
      expect(performance.now() - start).toBeLessThan(1_000)
    })
})
