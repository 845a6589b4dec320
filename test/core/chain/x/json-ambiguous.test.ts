import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import type { Output } from '../../../../src/core/chain/x/fx.ts'
import { txToJSON } from '../../../../src/core/chain/x/json.ts'
import { blockFromJSON, txFromJSON } from '../../../../src/core/chain/x/json-in.ts'
import { type CreateAssetTx, encodeTx, type SignedTx } from '../../../../src/core/chain/x/tx.ts'
import type { Json } from '../../../../src/core/codec/json.ts'
import { codeOf } from '../../../helpers/vectors.ts'

const { fuji } = networks

/** An asset whose outputs look alike in JSON: mint rights, property rights and properties. */
function ambiguous(rights: number, properties: number, owned: number): SignedTx {
  const owners = (i: number) => ({
    locktime: BigInt(i),
    threshold: 1,
    addresses: [new Uint8Array(20).fill(i & 255)],
  })
  const outputs: Output[] = [
    ...Array.from({ length: rights }, (_, i) => ({
      type: 'secp256k1fx.MintOutput' as const,
      ...owners(i),
    })),
    ...Array.from({ length: properties }, (_, i) => ({
      type: 'propertyfx.MintOutput' as const,
      ...owners(i),
    })),
    ...Array.from({ length: owned }, (_, i) => ({
      type: 'propertyfx.OwnedOutput' as const,
      ...owners(i),
    })),
  ]
  const unsignedTx: CreateAssetTx = {
    type: 'CreateAssetTx',
    networkID: fuji.networkID,
    blockchainID: fuji.chainID,
    outputs: [],
    inputs: [],
    memo: new Uint8Array(),
    name: 'Asset',
    symbol: 'AST',
    denomination: 0,
    initialStates: [{ fxIndex: 0, outputs }],
  }
  return { unsignedTx, credentials: [] }
}

describe('txFromJSON with outputs of ambiguous type', () => {
  it('determines the types of up to eight outputs from the transaction ID', () => {
    for (let rights = 0; rights <= 8; rights++)
      for (let properties = 0; rights + properties <= 8; properties++) {
        const tx = ambiguous(rights, properties, 8 - rights - properties)
        const read = txFromJSON(txToJSON(tx, fuji), fuji)
        expect(hex.encode(encodeTx(read))).toBe(hex.encode(encodeTx(tx)))
      }
  })

  it('finds the last of the 1,891 combinations for sixty outputs', () => {
    const tx = ambiguous(0, 0, 60)
    expect(encodeTx(txFromJSON(txToJSON(tx, fuji), fuji))).toEqual(encodeTx(tx))
  })

  it('gives up after a limited number of combinations, however long the JSON is', () => {
    // The last of 406,351 combinations: trying all of them would take minutes.
    const json = txToJSON(ambiguous(0, 0, 900), fuji)
    expect(codeOf(() => txFromJSON(json, fuji))).toBe('CODEC_JSON_AMBIGUOUS')
    const first = ambiguous(900, 0, 0)
    expect(encodeTx(txFromJSON(txToJSON(first, fuji), fuji))).toEqual(encodeTx(first))
  })
})

describe('blockFromJSON with credentials of ambiguous type', () => {
  /** Older nodes omit the fx ID, so that each of seven credentials may have three types: 2,187 combinations. */
  const ambiguousTx = () => {
    const memo = new Uint8Array(256)
    const unsignedTx = { ...ambiguous(0, 0, 0).unsignedTx, initialStates: [], memo }
    const credential = { type: 'propertyfx.Credential' as const, signatures: [] }
    const json = txToJSON({ unsignedTx, credentials: Array(7).fill(credential) }, fuji) as {
      credentials: { fxID?: unknown }[]
    }
    for (const slot of json.credentials) delete slot.fxID
    return json as Json
  }
  const blockOf = (count: number) =>
    ({
      parentID: formatID(fuji.chainID),
      height: 1,
      time: 1,
      merkleRoot: formatID(new Uint8Array(32)),
      txs: Array(count).fill(ambiguousTx()),
    }) as Json

  it('shares one limit between all transactions', () => {
    expect(blockFromJSON(blockOf(2), fuji).txs).toHaveLength(2)
    expect(codeOf(() => blockFromJSON(blockOf(40), fuji))).toBe('CODEC_JSON_AMBIGUOUS')
  })
})
