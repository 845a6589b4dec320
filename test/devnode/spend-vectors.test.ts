import { describe, expect, it } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'
import * as cChain from '../../src/core/c-chain.ts'
import { P_CHAIN_ID } from '../../src/core/chain/networks.ts'
import { utxoID } from '../../src/core/chain/x/ids.ts'
import { recoverPublicKey } from '../../src/core/crypto/secp256k1.ts'
import * as pChain from '../../src/core/p-chain.ts'
import { verifyHeliconTx } from '../../src/devnode/c-chain/helicon-rules.ts'
import { verifyCTx } from '../../src/devnode/c-chain/rules.ts'
import { Signers } from '../../src/devnode/ledger/signers.ts'
import { verifyPTx } from '../../src/devnode/p-chain/rules.ts'
import { contextOf, crossChain } from '../helpers/cross-chain.ts'

/** UTXO bytes by ID; the ID stands in front of what the chains encode differently. */
function stored(utxos: readonly string[] = []): Map<string, Uint8Array> {
  return new Map(
    utxos.map((text) => {
      const bytes = hex.decode(text)
      const index = new DataView(bytes.buffer, bytes.byteOffset).getUint32(34)
      return [hex.encode(utxoID(bytes.subarray(2, 34), index)), bytes]
    }),
  )
}

function reasonOf(run: () => void): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as { reason?: string }).reason ?? `not a refusal: ${error}`
  }
}

describe('verifyPTx', () => {
  for (const v of crossChain('p-spend'))
    it(`agrees with the node on ${v.name}`, () => {
      const context = contextOf(v)
      const tx = pChain.decodeTx(hex.decode(v.signed))
      const utxos = stored(v.spends)
      const price = BigInt(v.price)
      const weights = pChain.DEFAULT_GAS_WEIGHTS
      expect(String(pChain.feeOf(tx.unsignedTx, { weights, price }))).toBe(v.fee)
      const reason = reasonOf(() =>
        verifyPTx(
          tx,
          {
            subnetOf: () => P_CHAIN_ID,
            utxo: (id) => utxos.get(hex.encode(id)),
            atomic: (_, id) => utxos.get(hex.encode(id)),
            weights,
            price,
          },
          context,
          {
            now: BigInt(v.now),
            signerOf: new Signers().of(pChain.encodeUnsignedTx(tx.unsignedTx)),
          },
        ),
      )
      expect(reason?.replace('failed verifySpend: ', '')).toBe(v.error)
    })
})

describe('verifyCTx', () => {
  for (const v of crossChain('c-spend'))
    it(`agrees with the node on ${v.name}`, () => {
      const context = contextOf(v)
      const tx = cChain.decodeTx(hex.decode(v.signed))
      const utxos = stored(v.spends)
      const bytes = cChain.encodeUnsignedTx(tx.unsignedTx)
      const hash = cChain.hashToSign(bytes)
      const state = {
        atomic: (_: Uint8Array, id: Uint8Array) => utxos.get(hex.encode(id)),
        account: () => ({ nonce: 0n, balance: 0n }),
        baseFee: BigInt(v.baseFee),
      }
      const environment = {
        now: BigInt(v.now),
        signerOf: new Signers().of(bytes),
        keyOf: (signature: Uint8Array) => recoverPublicKey(hash, signature),
      }
      expect(reasonOf(() => verifyCTx(tx, state, context, environment))).toBe(v.error)
      const { stage, error } = v.helicon!
      // After Helicon a price that is too low is no reason to refuse: the transaction waits.
      const expected =
        stage === 'sanity'
          ? `sanity check: ${error}`
          : stage === 'credentials'
            ? `credential verification: ${error}`
            : undefined
      expect(reasonOf(() => verifyHeliconTx(tx, state, context, environment))).toBe(expected)
    })

  // Found by comparing with avalanchego 1.14.2 on random cases.
  it('refuses an imported UTXO of another asset with the text of the node', () => {
    // The amount is checked after the asset.
    const v = crossChain('c-spend').find(({ name }) => name.endsWith('amount differs'))!
    const tx = cChain.decodeTx(hex.decode(v.signed))
    const utxos = stored(v.spends)
    // Codec version, transaction ID and index stand in front of the asset.
    for (const bytes of utxos.values()) bytes[38]! ^= 1
    const unreachable = () => {
      throw new Error('the asset comes first')
    }
    const state = {
      atomic: (_: Uint8Array, id: Uint8Array) => utxos.get(hex.encode(id)),
      account: unreachable,
      baseFee: BigInt(v.baseFee),
    }
    const environment = { now: BigInt(v.now), signerOf: unreachable, keyOf: unreachable }
    expect(reasonOf(() => verifyCTx(tx, state, contextOf(v), environment))).toBe(
      "asset IDs in the input don't match the utxo",
    )
  })
})

describe('verifyHeliconTx', () => {
  for (const v of crossChain('c-tx').filter(({ helicon }) => helicon?.stage === 'sanity'))
    it(`refuses ${v.name} with the text of the node`, () => {
      const tx = cChain.decodeTx(hex.decode(v.signed))
      const unreachable = () => {
        throw new Error('sanity comes first')
      }
      const environment = { now: 0n, signerOf: unreachable, keyOf: unreachable }
      expect(
        reasonOf(() => verifyHeliconTx(tx, { atomic: unreachable }, contextOf(v), environment)),
      ).toBe(`sanity check: ${v.helicon!.error}`)
    })
})
