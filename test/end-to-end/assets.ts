import { describe, expect, it } from 'vitest'
import type { Output } from '../../src/codec.ts'
import { BuildError, FundsError, formatID } from '../../src/index.ts'
import { type Account, failureOf, type TestEnvironment } from './environment.ts'

/** Assets from their creation on: amounts, NFTs and properties. */
export function assetTests(env: () => TestEnvironment): void {
  /** Outputs of an asset that name somebody, by the wallet's own walk. */
  const outputsOf = async (person: Account, assetID: Uint8Array): Promise<Output[]> => {
    const found: Output[] = []
    for await (const { utxos } of env().client.utxoPages({ addresses: [person.address] }))
      for (const utxo of utxos)
        if (formatID(utxo.assetID) === formatID(assetID)) found.push(utxo.output)
    return found
  }

  describe('an asset', () => {
    it('with a fixed supply is created, described and transferred', async () => {
      const { fee, funding, context, rawNode } = env()
      const payer = env().fundedAccount()
      const other = env().newAccount()
      const wallet = env().wallet(payer)
      const receipt = await wallet.createAsset({
        name: 'Fixed asset 1',
        symbol: 'FIX',
        denomination: 2,
        holders: [
          { to: payer.address, amount: 1_000n },
          { to: other.address, amount: 500n },
        ],
      })
      await env().accepted(receipt)
      const assetID = receipt.txID
      expect(await rawNode.avm('getAssetDescription', { assetID: formatID(assetID) })).toEqual({
        assetID: formatID(assetID),
        name: 'Fixed asset 1',
        symbol: 'FIX',
        denomination: '2',
      })
      expect(await env().balance(payer)).toBe(funding - context.createAssetTxFee)
      expect(await env().balance(payer, assetID)).toBe(1_000n)
      expect(await env().balance(other, assetID)).toBe(500n)

      const sent = await wallet.transfer({ to: other.address, amount: 300n, assetID })
      await env().accepted(sent)
      expect(sent.explanation?.assets[formatID(assetID)]).toEqual({
        symbol: 'FIX',
        denomination: 2,
        known: true,
      })
      expect(await env().balance(payer, assetID)).toBe(700n)
      expect(await env().balance(other, assetID)).toBe(800n)
      expect(await env().balance(payer)).toBe(funding - context.createAssetTxFee - fee)

      const tooMuch = await failureOf(wallet.transfer({ to: other.address, amount: 701n, assetID }))
      expect(tooMuch).toBeInstanceOf(FundsError)
      expect(tooMuch).toMatchObject({ assets: [{ assetID, needed: 701n, available: 700n }] })
      const more = await failureOf(wallet.mint({ to: other.address, amount: 1n, assetID }))
      expect(more).toBeInstanceOf(BuildError)
      expect(more).toMatchObject({ code: 'NO_USABLE_UTXO' })
    })

    it('with a variable supply is minted repeatedly', async () => {
      const { fee, funding, context } = env()
      const payer = env().fundedAccount()
      const other = env().newAccount()
      const wallet = env().wallet(payer)
      const { txID: assetID } = await wallet.createAsset({
        name: 'Variable asset',
        symbol: 'VAR',
        minters: [{ to: payer.address }],
      })
      await env().accepted({ txID: assetID })
      expect(await env().balance(payer, assetID)).toBe(0n)
      for (const amount of [700n, 35n]) {
        const receipt = await wallet.mint({ to: other.address, amount, assetID })
        await env().accepted(receipt)
        expect(receipt.explanation).toMatchObject({ type: 'OperationTx', fee })
      }
      expect(await env().balance(other, assetID)).toBe(735n)
      expect(await outputsOf(payer, assetID)).toMatchObject([{ type: 'secp256k1fx.MintOutput' }])
      expect(await env().balance(payer)).toBe(funding - context.createAssetTxFee - 2n * fee)
    })

    it('of NFTs is minted once per mint right, and transferred', async () => {
      const { fee, funding, context } = env()
      const payer = env().fundedAccount()
      const other = env().newAccount()
      const wallet = env().wallet(payer)
      const { txID: assetID } = await wallet.createAsset({
        name: 'Pictures',
        symbol: 'PICS',
        nftMinters: [
          { groupID: 1, to: payer.address },
          { groupID: 2, to: payer.address },
        ],
      })
      await env().accepted({ txID: assetID })
      const minted = await wallet.mintNFT({
        assetID,
        groupID: 1,
        payload: 'ipfs://picture',
        recipients: [{ to: payer.address }, { to: other.address }],
      })
      await env().accepted(minted)
      const picture = {
        type: 'nftfx.TransferOutput',
        groupID: 1,
        payload: new TextEncoder().encode('ipfs://picture'),
      }
      const right = { type: 'nftfx.MintOutput', groupID: 2 }
      expect(await outputsOf(other, assetID)).toMatchObject([picture])
      const again = { assetID, groupID: 1, payload: 'x', recipients: [{ to: payer.address }] }
      expect(await failureOf(wallet.mintNFT(again))).toMatchObject({ code: 'NO_USABLE_UTXO' })

      const moved = await wallet.transferNFT({ assetID, groupID: 1, to: other.address })
      await env().accepted(moved)
      expect(await outputsOf(other, assetID)).toMatchObject([picture, picture])
      expect(await outputsOf(payer, assetID)).toMatchObject([right])
      expect(await env().balance(payer)).toBe(funding - context.createAssetTxFee - 2n * fee)
    })

    it('of properties is minted and burned', async () => {
      const { fee, funding, context } = env()
      const payer = env().fundedAccount()
      const wallet = env().wallet(payer)
      const { txID: assetID } = await wallet.createAsset({
        name: 'Houses',
        symbol: 'HOUS',
        propertyMinters: [{ to: payer.address }],
      })
      await env().accepted({ txID: assetID })
      await env().accepted(await wallet.mintProperty({ assetID, to: payer.address }))
      const types = async () => (await outputsOf(payer, assetID)).map(({ type }) => type).sort()
      expect(await types()).toEqual(['propertyfx.MintOutput', 'propertyfx.OwnedOutput'])
      await env().accepted(await wallet.burnProperty({ assetID }))
      expect(await types()).toEqual(['propertyfx.MintOutput'])
      expect(await failureOf(wallet.burnProperty({ assetID }))).toMatchObject({
        code: 'NO_USABLE_UTXO',
      })
      expect(await env().balance(payer)).toBe(funding - context.createAssetTxFee - 2n * fee)
    })
  })
}
