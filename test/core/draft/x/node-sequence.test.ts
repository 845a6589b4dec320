import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import { createdUTXOs } from '../../../../src/core/chain/x/created.ts'
import { CREDENTIAL_TYPES, type Credential, fxIndexOf } from '../../../../src/core/chain/x/fx.ts'
import { hashToSign } from '../../../../src/core/chain/x/ids.ts'
import { spendsOf } from '../../../../src/core/chain/x/spends.ts'
import { decodeTx, encodeTx } from '../../../../src/core/chain/x/tx.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import { addressOf, publicKeyOf, signHash } from '../../../../src/core/crypto/secp256k1.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import { buildCreateAsset } from '../../../../src/core/draft/x/create-asset.ts'
import { buildExport } from '../../../../src/core/draft/x/export.ts'
import { buildImport } from '../../../../src/core/draft/x/import.ts'
import { buildOperations } from '../../../../src/core/draft/x/operations.ts'
import { buildTransfer } from '../../../../src/core/draft/x/transfer.ts'
import { vectors } from '../../../helpers/vectors.ts'

// Transactions that a node of avalanchego 1.14.2 accepted, byte for byte (wire-format 14.5).

type Event = {
  readonly n: number
  readonly event: string
  readonly bytes: string
  readonly utxos?: readonly string[]
}
const { events, keys } = vectors<{
  events: Event[]
  keys: { name: string; privateKey: string; xAddress: string }[]
}>('node-sequence.json')

const context = networks.local
const now = 1_794_709_506n
const bytesAt = (n: number) => hex.decode(events.find((event) => event.n === n)!.bytes)
const key = (name: string) => keys.find((entry) => entry.name === name)!
const ewoqKey = hex.decode(key('ewoq').privateKey)
const ewoq = addressOf(publicKeyOf(ewoqKey))
const testKey0 = key('test key 0').xAddress
const to = key('ewoq').xAddress

/** The UTXOs of the key ewoq after a transaction of the sequence. */
function fundsAfter(tx: Uint8Array) {
  const utxos = new UTXOSet()
  utxos.add(createdUTXOs(decodeTx(tx)))
  return { utxos, owners: [ewoq], now }
}

function signed(draft: Draft): string {
  const signature = signHash(hashToSign(draft.unsignedTx), ewoqKey)
  const credentials = spendsOf(draft.unsignedTx).map(
    ({ signers: { signatureIndices } }, i): Credential => ({
      type: CREDENTIAL_TYPES[fxIndexOf(draft.utxos[i]!.output)]!,
      signatures: signatureIndices.map(() => signature),
    }),
  )
  return hex.encode(encodeTx({ unsignedTx: draft.unsignedTx, credentials }))
}

describe('the builders', () => {
  it('reproduce a transfer, as in E1 of the recording', () => {
    const utxos = new UTXOSet()
    utxos.add([
      '0x0000dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000001dbcf890f77f49b96' +
        '857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070429d069189e00000000000000000000000000' +
        '01000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29cf57b8be2',
    ])
    const draft = buildTransfer({
      context,
      funds: { utxos, owners: [ewoq], now },
      outputs: [{ to: testKey0, amount: 1_000_000_000n }],
    })
    expect(signed(draft)).toBe(hex.encode(bytesAt(1)))
    expect(draft.signedSize).toBe(379)
  })

  it('reproduce an asset with all three feature extensions, as in E2 of the recording', () => {
    const draft = buildCreateAsset({
      context,
      funds: fundsAfter(bytesAt(1)),
      name: 'Team Rocket',
      symbol: 'TR',
      denomination: 2,
      holders: [{ to, amount: 500n }],
      minters: [{ to }],
      nftMinters: [
        { to, groupID: 2 },
        { to, groupID: 1 },
      ],
      propertyMinters: [{ to }],
    })
    expect(signed(draft)).toBe(hex.encode(bytesAt(3)))
  })

  const assetID = '24UeNCpk9BmserQBdSQdgnVHhZjvB1k4Vi6NUR9gs6faTSkj1o'

  it('reproduce minting of an amount, an NFT and a property, as in E3 of the recording', () => {
    const draft = buildOperations({
      context,
      funds: fundsAfter(bytesAt(3)),
      operations: [
        { type: 'mintProperty', assetID, to },
        { type: 'mintNFT', assetID, groupID: 1, payload: 'hello', recipients: [{ to }] },
        { type: 'mint', assetID, amount: 1000n, to: testKey0 },
      ],
    })
    expect(signed(draft)).toBe(hex.encode(bytesAt(5)))
    expect(draft.signedSize).toBe(979)
  })

  it('reproduce the transfer of an NFT, the burning of a property, as in E4 of the recording', () => {
    const draft = buildOperations({
      context,
      funds: fundsAfter(bytesAt(5)),
      operations: [
        { type: 'burnProperty', assetID },
        { type: 'transferNFT', assetID, to: testKey0 },
      ],
    })
    expect(signed(draft)).toBe(hex.encode(bytesAt(7)))
  })

  it('reproduce an export to C, as in E5 of the recording', () => {
    const draft = buildExport({
      context,
      funds: fundsAfter(bytesAt(7)),
      destinationChain: 'C',
      outputs: [{ to: to.replace('X-', 'C-'), amount: 2_000_000_000n }],
    })
    expect(signed(draft)).toBe(hex.encode(bytesAt(9)))
  })

  it('reproduce the import of an export from P, with P given in three forms, as in E9 of the recording', () => {
    const utxos = new UTXOSet()
    utxos.add(events.find(({ n }) => n === 13)!.utxos!.map(hex.decode), {
      sourceChain: new Uint8Array(32),
    })
    const funds = { utxos, owners: [ewoq], now }
    for (const sourceChain of ['P', '11111111111111111111111111111111LpoYY', new Uint8Array(32)]) {
      const draft = buildImport({ context, funds, sourceChain, to })
      expect(signed(draft)).toBe(hex.encode(bytesAt(14)))
    }
  })

  it('reproduce the import of an invented UTXO, as in E7 of the recording', () => {
    const utxos = new UTXOSet()
    const output = {
      type: 'secp256k1fx.TransferOutput',
      amount: 5_000_000_000n,
      locktime: 0n,
      threshold: 1,
      addresses: [ewoq],
    } as const
    const txID = new Uint8Array(32).fill(0x11)
    utxos.add([{ txID, outputIndex: 0, assetID: context.assetID, output }], {
      sourceChain: new Uint8Array(32),
    })
    const funds = { utxos, owners: [ewoq], now }
    const draft = buildImport({ context, funds, sourceChain: 'P', to })
    expect(signed(draft)).toBe(hex.encode(bytesAt(12)))
  })
})
