import { describe, expect, it } from 'vitest'
import type { AssetBalance } from '../../src/index.ts'
import { exportedUTXOs, formatID, type NetworkContext, P_CHAIN_ID } from '../../src/index.ts'
import { Mover } from '../core/sign/chains/mover.ts'
import { addressText, type TestEnvironment } from './environment.ts'

/** Exports to other chains, and imports from them. */
export function chainTests(env: () => TestEnvironment): void {
  describe('export', () => {
    for (const chain of ['P', 'C'])
      it(`makes an amount available for import on the ${chain}-Chain`, async () => {
        const { fee, funding, context, funder, rawNode } = env()
        const payer = env().fundedAccount()
        // To the funder, who can spend it on the other chain.
        const to = addressText(context, funder, chain)
        const receipt = await env()
          .wallet(payer)
          .export({ destinationChain: chain, to, amount: fee })
        expect(receipt.explanation).toMatchObject({
          type: 'ExportTx',
          fee,
          destinationChain: { alias: chain },
        })
        const tx = await env().accepted(receipt)
        const [exported, ...more] = exportedUTXOs(tx)
        expect(more).toEqual([])
        // Its index follows that of the change.
        expect(exported).toMatchObject({
          txID: receipt.txID,
          outputIndex: 1,
          assetID: context.assetID,
          output: { amount: fee, threshold: 1, locktime: 0n, addresses: [funder.bytes] },
        })
        const { blockchainID } = await rawNode.info('getBlockchainID', { alias: chain })
        const { tx: json } = await rawNode.avm('getTx', {
          txID: formatID(receipt.txID),
          encoding: 'json',
        })
        expect(json).toMatchObject({ unsignedTx: { destinationChain: blockchainID } })
        expect(await env().balance(payer)).toBe(funding - 2n * fee)
      })
  })

  describe('import', () => {
    it('imports what the P-Chain exported', async ({ skip }) => {
      const { fee, funding, context, url } = env()
      const payer = env().fundedAccount()
      const now = () => BigInt(Math.floor(Date.now() / 1000))
      const mover = new Mover({ context, now, url }, payer.keys)
      const served = await mover.p.fees().catch(() => undefined)
      if (served === undefined) skip('the node serves no P-Chain')
      const wallet = env().wallet(payer)
      const to = addressText(context, payer, 'P')
      const exported = await wallet.export({ destinationChain: 'P', to, amount: 8n * fee })
      const tx = await env().accepted(exported)
      await mover.import('X', 'P', exportedUTXOs(tx))
      await mover.export('P', 'X', 5n * fee)
      await expect
        .poll(() => wallet.balances({ sourceChain: 'P' }), { timeout: 30_000 })
        .toMatchObject([{ spendable: 5n * fee }])
      const result = await wallet.import({ sourceChain: 'P' })
      expect(result).toMatchObject({
        utxoCount: 1,
        moved: [{ assetID: context.assetID, amount: 4n * fee }],
      })
      const { unsignedTx } = await env().accepted({ txID: result.txIDs[0]! })
      expect(unsignedTx).toMatchObject({ type: 'ImportTx', sourceChain: P_CHAIN_ID })
      expect(await wallet.balances({ sourceChain: 'P' })).toEqual([])
      expect(await env().balance(payer)).toBe(funding - 9n * fee + 4n * fee)
    })

    // If nothing was exported to the funder, no transaction is issued.
    for (const chain of ['P', 'C'])
      it(`imports everything exported by the ${chain}-Chain, which may be nothing`, async () => {
        const { fee, context, funder } = env()
        const wallet = env().wallet(funder)
        const all = await wallet.balances({ sourceChain: chain })
        const waiting = avaxIn(all, context)
        const before = await env().balance(funder)
        const result = await wallet.import({ sourceChain: chain })
        for (const txID of result.txIDs) await env().accepted({ txID })
        const left = avaxIn(await wallet.balances({ sourceChain: chain }), context)
        const cost = fee * BigInt(result.txIDs.length)
        expect((await env().balance(funder)) - before).toBe(waiting - left - cost)
        if (all.length === 0) expect(result).toMatchObject({ txIDs: [], utxoCount: 0, moved: [] })
      })
  })
}

function avaxIn(balances: readonly AssetBalance[], { assetID }: NetworkContext): bigint {
  const native = formatID(assetID)
  return balances.find((balance) => formatID(balance.assetID) === native)?.spendable ?? 0n
}
