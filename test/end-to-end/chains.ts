import { describe, expect, it } from 'vitest'
import type { AssetBalance } from '../../src/index.ts'
import { exportedUTXOs, formatID, type NetworkContext, P_CHAIN_ID } from '../../src/index.ts'
import { addressText, type Ground } from './ground.ts'
import { hasPChain, sendBackFromP } from './p-chain.ts'

/** What crosses from this chain to another and back. */
export function chainTests(ground: () => Ground): void {
  describe('export', () => {
    for (const chain of ['P', 'C'])
      it(`makes an amount available for import on the ${chain}-Chain`, async () => {
        const { fee, purse, context, funder, witness } = ground()
        const payer = ground().payer()
        // To the funder, who can get it back over there.
        const to = addressText(context, funder, chain)
        const receipt = await ground()
          .wallet(payer)
          .export({ destinationChain: chain, to, amount: fee })
        expect(receipt.explanation).toMatchObject({
          type: 'ExportTx',
          fee,
          destinationChain: { alias: chain },
        })
        const tx = await ground().accepted(receipt)
        const [exported, ...more] = exportedUTXOs(tx)
        expect(more).toEqual([])
        // It stands behind the change, and is no coin of this chain.
        expect(exported).toMatchObject({
          txID: receipt.txID,
          outputIndex: 1,
          assetID: context.assetID,
          output: { amount: fee, threshold: 1, locktime: 0n, addresses: [funder.bytes] },
        })
        const { blockchainID } = await witness.info('getBlockchainID', { alias: chain })
        const { tx: json } = await witness.avm('getTx', {
          txID: formatID(receipt.txID),
          encoding: 'json',
        })
        expect(json).toMatchObject({ unsignedTx: { destinationChain: blockchainID } })
        expect(await ground().balance(payer)).toBe(purse - 2n * fee)
      })
  })

  describe('import', () => {
    it('imports what the P-Chain exported', async ({ skip }) => {
      const { fee, purse, context } = ground()
      if (!(await hasPChain(ground()))) skip('the node has no P-Chain that takes transactions')
      const payer = ground().payer()
      const wallet = ground().wallet(payer)
      const to = addressText(context, payer, 'P')
      await ground().accepted(await wallet.export({ destinationChain: 'P', to, amount: 8n * fee }))
      // What the P-Chain and the other library have against it is no matter of this one.
      const obstacle = await sendBackFromP(ground(), payer, 5n * fee).catch((error) => `${error}`)
      if (obstacle !== undefined) skip(`the P-Chain did not export: ${obstacle}`)
      expect(await wallet.balances({ sourceChain: 'P' })).toMatchObject([{ spendable: 5n * fee }])
      const result = await wallet.import({ sourceChain: 'P' })
      expect(result).toMatchObject({
        coins: 1,
        moved: [{ assetID: context.assetID, amount: 4n * fee }],
      })
      const { unsignedTx } = await ground().accepted({ txID: result.txIDs[0]! })
      expect(unsignedTx).toMatchObject({ type: 'ImportTx', sourceChain: P_CHAIN_ID })
      expect(await wallet.balances({ sourceChain: 'P' })).toEqual([])
      expect(await ground().balance(payer)).toBe(purse - 9n * fee + 4n * fee)
    })

    // Most often nothing waits for the key that has the AVAX. Then nothing is sent.
    for (const chain of ['P', 'C'])
      it(`imports everything exported by the ${chain}-Chain, which may be nothing`, async () => {
        const { fee, context, funder } = ground()
        const wallet = ground().wallet(funder)
        const all = await wallet.balances({ sourceChain: chain })
        const waiting = avaxIn(all, context)
        const before = await ground().balance(funder)
        const result = await wallet.import({ sourceChain: chain })
        for (const txID of result.txIDs) await ground().accepted({ txID })
        const left = avaxIn(await wallet.balances({ sourceChain: chain }), context)
        const cost = fee * BigInt(result.txIDs.length)
        expect((await ground().balance(funder)) - before).toBe(waiting - left - cost)
        if (all.length === 0) expect(result).toMatchObject({ txIDs: [], coins: 0, moved: [] })
      })
  })
}

function avaxIn(balances: readonly AssetBalance[], { assetID }: NetworkContext): bigint {
  const native = formatID(assetID)
  return balances.find((balance) => formatID(balance.assetID) === native)?.spendable ?? 0n
}
