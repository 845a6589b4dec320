import { describe, expect, it } from 'vitest'
import type { Output } from '../../../../src/core/chain/x/fx.ts'
import type { OperationTx } from '../../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import {
  buildBurnProperty,
  buildMint,
  buildMintNFT,
  buildMintProperty,
  buildOperations,
  buildTransferNFT,
} from '../../../../src/core/draft/x/operations.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { alice, bob, coin, idOf, trio } from '../../coins/samples.ts'
import { addressText, context, expectSound, fee, funds, native, now } from './sound.ts'

const assetID = idOf('asset')
const to = addressText(bob)
const own = { locktime: 0n, threshold: 1, addresses: [alice] }
const bobs = { locktime: 0n, threshold: 1, addresses: [bob] }

const utxo = (name: string, output: Output): UTXO => ({ ...coin(name, 1n, { assetID }), output })
const pay = native('pay', 3n * fee)
const spending = (...list: readonly UTXO[]) => ({ context, funds: funds(pay, ...list) })
const using = (...list: readonly UTXO[]) => ({ ...spending(...list), assetID })

function operationsOf(draft: ReturnType<typeof buildOperations>) {
  expectSound(draft)
  return (draft.unsignedTx as OperationTx).operations
}

describe('operation builders', () => {
  it('refuse what is not a list of known operations', () => {
    const right = utxo('right', { type: 'nftfx.MintOutput', groupID: 0, ...own })
    const build = (operations: unknown) => () =>
      buildOperations({ ...spending(right), operations: operations as [] })
    const unknown = { type: 'zzz', assetID }
    for (const operations of [5, 'x', [null], [5], [unknown]])
      expect(codeOf(build(operations))).toBe('ENC_INVALID')
    const withoutRecipients = { type: 'mintNFT', assetID, payload: '' }
    for (const operations of [[undefined], [{ type: 'mint' }], [withoutRecipients]])
      expect(codeOf(build(operations))).toBe('MISSING_OPTION')
    for (const recipients of [null, 5, 'x'])
      expect(codeOf(build([{ type: 'mintNFT', assetID, payload: '', recipients }]))).toBe(
        'ENC_INVALID',
      )
  })

  it('mint an amount and keep the mint right', () => {
    const right = { type: 'secp256k1fx.MintOutput', ...own, threshold: 2, addresses: trio } as const
    const options = using(utxo('right', right))
    const draft = buildMint({
      ...options,
      funds: { ...options.funds, owners: trio },
      amount: 9n,
      to,
    })
    expect(operationsOf(draft)[0]!.operation).toEqual({
      type: 'secp256k1fx.MintOperation',
      mintInput: { signatureIndices: [0, 1] },
      mintOutput: right,
      transferOutput: { type: 'secp256k1fx.TransferOutput', amount: 9n, ...bobs },
    })
    expect(draft.change).toEqual([{ assetID: context.assetID, amount: 2n * fee }])
  })

  it('mint NFTs of the requested group', () => {
    const rights = [1, 2].map((groupID) =>
      utxo(`right ${groupID}`, { type: 'nftfx.MintOutput', groupID, ...own }),
    )
    const draft = buildMintNFT({
      ...using(...rights),
      groupID: 2,
      payload: 'hello',
      recipients: [{ to }, { to: alice }],
    })
    expect(operationsOf(draft)[0]!.operation).toMatchObject({
      groupID: 2,
      payload: new TextEncoder().encode('hello'),
      outputs: [bobs, own],
    })
  })

  it('transfer one of several NFTs only if all are equal or one is requested', () => {
    const nft = (name: string, groupID: number, payload: number) =>
      utxo(name, {
        type: 'nftfx.TransferOutput',
        groupID,
        payload: new Uint8Array([payload]),
        ...own,
      })
    const [one, twin, other, far] = [nft('a', 4, 1), nft('b', 4, 1), nft('c', 4, 2), nft('d', 5, 1)]
    const transfer = (list: readonly UTXO[], more: object = {}) =>
      buildTransferNFT({ ...using(...list), to, ...more })
    expect(operationsOf(transfer([one!, twin!]))).toHaveLength(1)
    expect(operationsOf(transfer([one!, twin!, far!], { groupID: 4 }))).toHaveLength(1)
    expect(operationsOf(transfer([one!, other!, far!], { utxo: other! }))).toHaveLength(1)
    expect(codeOf(() => transfer([one!, far!]))).toBe('AMBIGUOUS_NFT')
    expect(codeOf(() => transfer([one!, other!]))).toBe('AMBIGUOUS_NFT')
    expect(codeOf(() => transfer([one!, other!, far!], { groupID: 4 }))).toBe('AMBIGUOUS_NFT')
  })

  it('transfer the requested NFT unchanged', () => {
    const nft = (name: string, payload: number) =>
      utxo(name, {
        type: 'nftfx.TransferOutput',
        groupID: 4,
        payload: new Uint8Array([payload]),
        ...own,
      })
    const [one, two] = [nft('one', 1), nft('two', 2)]
    for (const named of [one!, two!]) {
      const draft = buildTransferNFT({ ...using(one!, two!), utxo: named, to })
      expect(operationsOf(draft)[0]!.operation).toMatchObject({
        output: { ...named.output, ...bobs },
      })
    }
  })

  it('mint and burn properties', () => {
    const right = { type: 'propertyfx.MintOutput', ...own } as const
    const draft = buildMintProperty({ ...using(utxo('right', right)), to })
    expect(operationsOf(draft)[0]!.operation).toMatchObject({
      mintOutput: right,
      ownedOutput: { type: 'propertyfx.OwnedOutput', ...bobs },
    })
    const property = utxo('property', { type: 'propertyfx.OwnedOutput', ...own })
    expect(operationsOf(buildBurnProperty(using(property)))[0]!.operation).toEqual({
      type: 'propertyfx.BurnOperation',
      signatureIndices: [0],
    })
  })

  it('use each UTXO once', () => {
    const properties = ['a', 'b'].map((name) =>
      utxo(name, { type: 'propertyfx.OwnedOutput', ...own }),
    )
    const burn = { type: 'burnProperty', assetID } as const
    const options = spending(...properties)
    expect(operationsOf(buildOperations({ ...options, operations: [burn, burn] }))).toHaveLength(2)
    expect(codeOf(() => buildOperations({ ...options, operations: [burn, burn, burn] }))).toBe(
      'NO_USABLE_UTXO',
    )
  })

  it('use no UTXO that is locked, reserved, excluded, of other owners or of another type', () => {
    const property = (details: object) =>
      utxo('property', { type: 'propertyfx.OwnedOutput', ...own, ...details })
    const code = (...list: readonly UTXO[]) => codeOf(() => buildBurnProperty(using(...list)))
    expect(code(property({}))).toBeUndefined()
    expect(code(property({ locktime: now + 1n }))).toBe('NO_USABLE_UTXO')
    expect(code(property({ addresses: [bob] }))).toBe('NO_USABLE_UTXO')
    expect(code({ ...property({}), assetID: idOf('other') })).toBe('NO_USABLE_UTXO')
    expect(code(coin('amount', 5n, { assetID }))).toBe('NO_USABLE_UTXO')
    const reserved = using(property({}))
    reserved.funds.utxos.reserve([property({})], { now })
    expect(codeOf(() => buildBurnProperty(reserved))).toBe('NO_USABLE_UTXO')
    const options = using(property({}))
    const excluding = { ...options, funds: { ...options.funds, excluded: [property({})] } }
    expect(codeOf(() => buildBurnProperty(excluding))).toBe('NO_USABLE_UTXO')
    expect(codeOf(() => buildBurnProperty({ ...options, utxo: pay }))).toBe('NO_USABLE_UTXO')
    expect(codeOf(() => buildBurnProperty({ ...options, utxo: coin('absent', 1n) }))).toBe(
      'UTXO_NOT_FOUND',
    )
  })

  it('require operations and positive amounts', () => {
    const right = utxo('right', { type: 'secp256k1fx.MintOutput', ...own })
    expect(codeOf(() => buildOperations({ ...spending(), operations: [] }))).toBe('NO_OPERATIONS')
    expect(codeOf(() => buildMint({ ...using(right), amount: 0n, to }))).toBe('OUTPUT_ZERO_AMOUNT')
  })
})
