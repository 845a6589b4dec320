import { describe, expect, it } from 'vitest'
import { cb58 } from '../../../../src/core/base/encoding/cb58.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import { exportedUTXOs } from '../../../../src/core/chain/x/created.ts'
import { txID, utxoID } from '../../../../src/core/chain/x/ids.ts'
import { decodeTx, encodeTx } from '../../../../src/core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO } from '../../../../src/core/chain/x/utxo.ts'
import { verifyTx } from '../../../../src/core/chain/x/verify/verify.ts'
import { KeyChain } from '../../../../src/core/crypto/keychain.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { requireSigned, signDraft } from '../../../../src/index.ts'
import { type CrossChainVector, contextOf, crossChain } from '../../../helpers/cross-chain.ts'

/** What the node accepts and signers usually do not. */
const accept = ['OPEN_OUTPUT', 'BURN', 'HIGH_FEE', 'STUCK_EXPORT', 'UNKNOWN_CHAIN'] as const

/** Signs the unsigned transaction of a vector with its keys; the signatures are deterministic. */
function resigned(v: CrossChainVector, chain: 'P' | 'C'): string {
  const keys = new KeyChain(v.keys!.flat().map((key) => hex.decode(key)))
  const unsigned = hex.decode(v.unsigned)
  const spends = (v.spends ?? []).map((utxo) => hex.decode(utxo))
  const members = { context: contextOf(v), fee: 0n, change: [], burned: [], signedSize: 0 }
  const draft =
    chain === 'P'
      ? {
          ...members,
          chain: 'P' as const,
          unsignedTx: pChain.decodeUnsignedTx(unsigned),
          utxos: spends.map(pChain.decodeUTXO),
        }
      : {
          ...members,
          chain: 'C' as const,
          unsignedTx: cChain.decodeUnsignedTx(unsigned),
          utxos: spends.map(decodeUTXO),
        }
  return hex.encode(requireSigned(signDraft<'P' | 'C'>(draft, keys, { accept })).bytes)
}

describe('signDraft', () => {
  for (const [kind, chain] of [
    ['p-tx', 'P'],
    ['c-tx', 'C'],
  ] as const)
    for (const v of crossChain(kind).filter(({ keys }) => keys !== undefined))
      it(`makes the node's own bytes of ${v.name}`, () => {
        expect(resigned(v, chain)).toBe(v.signed)
      })
})

/** What a leg exports, and its ID, by the code of its chain. */
function leg(v: CrossChainVector & { readonly chain: 'X' | 'P' | 'C' }): {
  readonly id: Uint8Array
  readonly exported: readonly string[]
} {
  const bytes = hex.decode(v.signed)
  if (v.chain === 'X') {
    const tx = decodeTx(bytes)
    verifyTx(tx, contextOf(v))
    expect(hex.encode(encodeTx(tx))).toBe(v.signed)
    return {
      id: txID(bytes),
      exported: exportedUTXOs(tx).map((utxo) => hex.encode(encodeUTXO(utxo))),
    }
  }
  if (v.chain === 'P') {
    const tx = pChain.decodeTx(bytes)
    pChain.verifyTx(tx, contextOf(v))
    expect(hex.encode(pChain.encodeTx(tx))).toBe(v.signed)
    const weights = pChain.DEFAULT_GAS_WEIGHTS
    expect(String(pChain.gasOf(tx.unsignedTx, weights))).toBe(v.gas)
    return {
      id: pChain.txID(bytes),
      exported: pChain.exportedUTXOs(tx).map((utxo) => hex.encode(pChain.encodeUTXO(utxo))),
    }
  }
  const tx = cChain.decodeTx(bytes)
  cChain.verifyTx(tx, contextOf(v), { helicon: true })
  expect(hex.encode(cChain.encodeTx(tx))).toBe(v.signed)
  expect(String(cChain.gasOf(tx.unsignedTx))).toBe(v.gas)
  return {
    id: cChain.txID(bytes),
    exported: cChain.exportedUTXOs(tx).map((utxo) => hex.encode(encodeUTXO(utxo))),
  }
}

describe('a move on a real node', () => {
  for (const v of crossChain('move'))
    it(`is read alike on both sides: ${v.name}`, () => {
      const exported = leg(v.export)
      expect(cb58.encode(exported.id)).toBe(v.export.txID)
      expect(exported.exported).toContain(v.atomicUTXO)
      const utxo = decodeUTXO(hex.decode(v.atomicUTXO))
      expect(cb58.encode(utxoID(utxo.txID, utxo.outputIndex))).toBe(v.atomicUTXOID)
      const imported = leg(v.import)
      expect(cb58.encode(imported.id)).toBe(v.import.txID)
      expect(v.import.signed).toContain(hex.encode(utxo.txID))
    })
})
