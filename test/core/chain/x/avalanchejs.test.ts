import * as avalanchejs from '@avalabs/avalanchejs'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../../src/core/base/encoding/address.ts'
import { cb58 } from '../../../../src/core/base/encoding/cb58.ts'
import { decodeTx, encodeTx } from '../../../../src/core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO } from '../../../../src/core/chain/x/utxo.ts'
import { bytesOf, type GeneratedCase, vectors } from '../../../helpers/vectors.ts'

// Compares with avalanchejs on valid bytes of the types that it supports.

type Struct = { toBytes(codec: unknown): Uint8Array }
type TheirOutput = { getAssetId(): string; output: { amount(): bigint } }
type TheirTx = Struct & { unsignedTx: { baseTx: { outputs: TheirOutput[] } } }
type TheirUTXO = Struct & { getAssetId(): string }
/** The part that is used here; its own types do not resolve under nodenext. */
const { avaxSerial, utils, Utxo } = avalanchejs as unknown as {
  avaxSerial: { SignedTx: { new (): TheirTx } }
  Utxo: { new (): TheirUTXO }
  utils: {
    getManagerForVM(vm: 'AVM'): {
      getDefaultCodec(): unknown
      unpack<T>(bytes: Uint8Array, type: { new (): T }): T
    }
    format(chain: string, hrp: string, address: Uint8Array): string
  }
}

const manager = utils.getManagerForVM('AVM')
const codec = manager.getDefaultCodec()

describe('avalanchejs 5.2.0', () => {
  type Case = GeneratedCase & { txType: string }
  // It writes every credential back as one of secp256k1fx, and knows no properties.
  const known = vectors<Case[]>('generated/tx.json').filter(
    (item) =>
      item.ok &&
      item.parts === undefined &&
      /BaseTx|ImportTx|ExportTx/.test(item.txType) &&
      decodeTx(bytesOf(item)).credentials.every(({ type }) => type === 'secp256k1fx.Credential'),
  )

  it('is compared on enough transactions', () => {
    expect(known.length).toBeGreaterThan(20)
  })

  for (const item of known)
    it(`decodes and encodes ${item.id} equally`, () => {
      const bytes = bytesOf(item)
      const tx = decodeTx(bytes)
      const theirs = manager.unpack(bytes, avaxSerial.SignedTx)
      expect(encodeTx(tx)).toEqual(new Uint8Array(theirs.toBytes(codec)))
      const { outputs } = theirs.unsignedTx.baseTx
      expect(tx.unsignedTx.outputs.map(({ assetID }) => cb58.encode(assetID))).toEqual(
        outputs.map((output) => output.getAssetId()),
      )
      expect(tx.unsignedTx.outputs.map(({ output }) => output.amount)).toEqual(
        outputs.map((output) => output.output.amount()),
      )
    })

  const utxos = vectors<GeneratedCase[]>('generated/utxo.json').filter(
    ({ ok, parts, json }) => ok && parts === undefined && json?.includes('"amount"'),
  )
  for (const item of utxos)
    it(`decodes and encodes ${item.id} equally`, () => {
      const bytes = bytesOf(item)
      const utxo = decodeUTXO(bytes)
      const theirs = manager.unpack(bytes, Utxo)
      expect(encodeUTXO(utxo).subarray(2)).toEqual(new Uint8Array(theirs.toBytes(codec)))
      expect(cb58.encode(utxo.assetID)).toBe(theirs.getAssetId())
    })

  it('formats addresses equally', () => {
    const address = Uint8Array.from({ length: 20 }, (_, i) => 13 * i)
    expect(utils.format('X', 'fuji', address)).toBe(
      formatAddress({ chain: 'X', hrp: 'fuji', address }),
    )
  })
})
