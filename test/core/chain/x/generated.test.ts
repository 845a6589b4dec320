import { describe, expect, it } from 'vitest'
import { decodeBech32 } from '../../../../src/core/base/encoding/bech32.ts'
import { cb58 } from '../../../../src/core/base/encoding/cb58.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import { decodeBlock, encodeBlock } from '../../../../src/core/chain/x/block.ts'
import { createdUTXOs, exportedUTXOs } from '../../../../src/core/chain/x/created.ts'
import {
  buildGenesis,
  decodeGenesis,
  encodeGenesis,
  genesisTx,
} from '../../../../src/core/chain/x/genesis.ts'
import { blockID, blockTxIDs, txID, utxoID } from '../../../../src/core/chain/x/ids.ts'
import { blockToJSON, txToJSON, utxoToJSON } from '../../../../src/core/chain/x/json.ts'
import { signedSize, unsignedSize } from '../../../../src/core/chain/x/size.ts'
import { consumedUTXOs } from '../../../../src/core/chain/x/spends.ts'
import {
  decodeGenesisTx,
  decodeTx,
  decodeUnsignedTx,
  encodeTx,
  encodeUnsignedTx,
} from '../../../../src/core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO } from '../../../../src/core/chain/x/utxo.ts'
import { verifyTx } from '../../../../src/core/chain/x/verify/verify.ts'
import { stringifyJSON } from '../../../../src/core/codec/json-text.ts'
import {
  bytesOf,
  codeOf,
  expectBytes,
  type GeneratedCase,
  hrpOfCase,
  vectors,
} from '../../../helpers/vectors.ts'

// Verdicts, IDs and JSON of the node's own code (avalanchego 1.14.2) on random and damaged values.

const jsonContext = (item: GeneratedCase) => ({ hrp: hrpOfCase(item), chainAlias: 'X' })

for (const kind of ['tx', 'tx-mutated']) {
  describe(`decodeTx on ${kind}`, () => {
    type Case = GeneratedCase & { txID: string; txType?: string; unsignedLength: number }
    for (const item of vectors<Case[]>(`generated/${kind}.json`))
      it(`agrees with the node on ${item.id}`, () => {
        const bytes = bytesOf(item)
        if (!item.ok) return expect(codeOf(() => decodeTx(bytes))).toBe(item.code)
        const tx = decodeTx(bytes)
        expectBytes(encodeTx(tx), bytes)
        if (item.txType !== undefined) expect(tx.unsignedTx.type).toBe(item.txType)
        expect(cb58.encode(txID(tx))).toBe(item.txID)
        expect(cb58.encode(txID(bytes))).toBe(item.txID)
        expectBytes(encodeUnsignedTx(tx.unsignedTx), bytes.slice(0, item.unsignedLength))
        expect(unsignedSize(tx.unsignedTx)).toBe(item.unsignedLength)
        if (item.jsonErr !== undefined)
          expect(codeOf(() => txToJSON(tx, jsonContext(item)))).toBe('CODEC_BAD_VALUE')
        else if (item.json !== undefined)
          expect(stringifyJSON(txToJSON(tx, jsonContext(item)))).toBe(item.json)
        return undefined
      })
  })
}

describe('decodeGenesisTx', () => {
  type Case = GeneratedCase & { txID: string; standardCodec: boolean }
  for (const item of vectors<Case[]>('generated/genesis-tx.json'))
    it(`agrees with the node on ${item.id}`, () => {
      const bytes = bytesOf(item)
      const tx = decodeGenesisTx(bytes)
      expectBytes(encodeTx(tx), bytes)
      expect(cb58.encode(txID(bytes))).toBe(item.txID)
      expect(codeOf(() => decodeTx(bytes))).toBe(item.standardCodec ? undefined : 'CODEC_TOO_BIG')
    })
})

describe('buildGenesis', () => {
  type Case = GeneratedCase & {
    definition: {
      alias: string
      name: string
      symbol: string
      denomination: number
      memo: string
      fixedCap: { amount: string; address: string }[]
      variableCap: { minters: string[] }[]
    }[]
    assets: { alias: string; assetID: string; txBytes: string }[]
  }
  for (const item of vectors<Case[]>('generated/genesis.json'))
    it(`agrees with the node on ${item.id}`, () => {
      const bytes = bytesOf(item)
      const address = (text: string) => decodeBech32(text).bytes
      const built = buildGenesis(
        item.network!,
        item.definition.map(({ fixedCap, variableCap, memo, ...rest }) => ({
          ...rest,
          memo: hex.decode(memo),
          holders: fixedCap.map((holder) => ({
            amount: BigInt(holder.amount),
            address: address(holder.address),
          })),
          minters: variableCap.map(({ minters }) => minters.map(address)),
        })),
      )
      expectBytes(encodeGenesis(built), bytes)
      const decoded = decodeGenesis(bytes)
      expectBytes(encodeGenesis(decoded), bytes)
      expect(
        decoded.assets.map((asset) => ({
          alias: asset.alias,
          assetID: cb58.encode(txID(genesisTx(asset))),
          txBytes: hex.encode(encodeTx(genesisTx(asset))),
        })),
      ).toEqual(item.assets)
    })
})

for (const kind of ['utxo', 'utxo-mutated']) {
  describe(`decodeUTXO on ${kind}`, () => {
    type Case = GeneratedCase & {
      txID: string
      outputIndex: number
      assetID: string
      utxoID: string
    }
    for (const item of vectors<Case[]>(`generated/${kind}.json`))
      it(`agrees with the node on ${item.id}`, () => {
        const bytes = bytesOf(item)
        if (!item.ok) return expect(codeOf(() => decodeUTXO(bytes))).toBe(item.code)
        const utxo = decodeUTXO(bytes)
        expectBytes(encodeUTXO(utxo), bytes)
        expect(cb58.encode(utxo.txID)).toBe(item.txID)
        expect(utxo.outputIndex).toBe(item.outputIndex)
        expect(cb58.encode(utxo.assetID)).toBe(item.assetID)
        expect(cb58.encode(utxoID(utxo.txID, utxo.outputIndex))).toBe(item.utxoID)
        if (typeof item.json === 'string')
          expect(stringifyJSON(utxoToJSON(utxo, jsonContext(item)))).toBe(item.json)
        return undefined
      })
  })
}

for (const kind of ['block', 'block-mutated']) {
  describe(`decodeBlock on ${kind}`, () => {
    type Case = GeneratedCase & {
      blockID: string
      parentID: string
      height: string
      time: string
      merkleRoot: string
      txIDs: string[]
    }
    for (const item of vectors<Case[]>(`generated/${kind}.json`))
      it(`agrees with the node on ${item.id}`, () => {
        const bytes = bytesOf(item)
        if (!item.ok) return expect(codeOf(() => decodeBlock(bytes))).toBe(item.code)
        const block = decodeBlock(bytes)
        expectBytes(encodeBlock(block), bytes)
        expect(cb58.encode(blockID(block))).toBe(item.blockID)
        expect(cb58.encode(blockID(bytes))).toBe(item.blockID)
        expect(cb58.encode(block.parentID)).toBe(item.parentID)
        expect(block.height).toBe(BigInt(item.height))
        expect(block.time).toBe(BigInt(item.time))
        expect(cb58.encode(block.merkleRoot)).toBe(item.merkleRoot)
        expect(blockTxIDs(block).map(cb58.encode)).toEqual(item.txIDs)
        if (item.jsonErr !== undefined)
          expect(codeOf(() => blockToJSON(block, jsonContext(item)))).toBe('CODEC_BAD_VALUE')
        else if (item.json !== undefined)
          expect(stringifyJSON(blockToJSON(block, jsonContext(item)))).toBe(item.json)
        return undefined
      })
  })
}

describe('verifyTx', () => {
  for (const item of vectors<GeneratedCase[]>('generated/syntactic.json'))
    it(`agrees with the node on ${item.id}`, () => {
      const tx = decodeTx(bytesOf(item))
      expect(codeOf(() => verifyTx(tx, networks.local))).toBe(item.code)
      if (!item.ok) {
        try {
          verifyTx(tx, networks.local)
        } catch (error) {
          expect((error as { reason: string }).reason).toBe(item.err)
        }
      }
    })
})

describe('createdUTXOs, exportedUTXOs and consumedUTXOs', () => {
  type Case = GeneratedCase & {
    utxos: { utxoID: string; bytes: string }[]
    inputIDs: string[]
    assetID?: string
    atomic?: {
      peerChain: string
      put?: { key: string; value: string; traits: string[] }[]
      remove?: string[]
    }
  }
  for (const item of vectors<Case[]>('generated/utxos-of-tx.json'))
    it(`agree with the node on ${item.id}`, () => {
      const tx = decodeTx(bytesOf(item))
      expect(
        createdUTXOs(tx).map((utxo) => ({
          utxoID: cb58.encode(utxoID(utxo.txID, utxo.outputIndex)),
          bytes: hex.encode(encodeUTXO(utxo)),
        })),
      ).toEqual(item.utxos)
      const consumed = consumedUTXOs(tx.unsignedTx).map((utxo) =>
        cb58.encode(utxoID(utxo.txID, utxo.outputIndex)),
      )
      expect([...new Set(consumed)].sort()).toEqual(item.inputIDs)
      expect(
        exportedUTXOs(tx).map((utxo) => ({
          key: hex.encode(utxoID(utxo.txID, utxo.outputIndex)),
          value: hex.encode(encodeUTXO(utxo)),
          traits: utxo.output.addresses.map(hex.encode),
        })),
      ).toEqual(item.atomic?.put ?? [])
    })
})

describe('unsignedSize and signedSize', () => {
  type Case = GeneratedCase & { unsigned: string; unsignedLength: number; signedLength: number }
  for (const item of vectors<Case[]>('generated/size.json'))
    it(`agree with the node on ${item.id}`, () => {
      const tx = decodeUnsignedTx(hex.decode(item.unsigned))
      expect(unsignedSize(tx)).toBe(item.unsignedLength)
      expect(signedSize(tx)).toBe(item.signedLength)
    })
})
