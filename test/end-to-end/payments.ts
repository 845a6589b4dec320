import { describe, expect, it } from 'vitest'
import {
  buildTransfer,
  collectProofs,
  createRequest,
  FundsError,
  finishRequest,
  formatRequest,
  mergeRequests,
  parseRequest,
  requireSigned,
  SignError,
  signDraft,
  signRequest,
} from '../../src/index.ts'
import { IssueError } from '../../src/node/index.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { failureOf, type TestEnvironment } from './environment.ts'
import { forge } from './forge.ts'

/** 2100-01-01, which no node's clock shows yet, and 2020-09-13, which every one has passed. */
const FUTURE = 4_102_444_800n
const PAST = 1_600_000_000n

/** Everything that moves amounts on the chain. */
export function paymentTests(env: () => TestEnvironment): void {
  describe('transfer', () => {
    it('pays many recipients in one transaction with a memo, and only the fee in addition', async () => {
      const { fee, funding } = env()
      const payer = env().fundedAccount()
      const receivers = Array.from({ length: 20 }, () => env().newAccount())
      const amounts = receivers.map((_, i) => fee / 2n + BigInt(i))
      const memo = `${'é'.repeat(127)}!!`
      const receipt = await env()
        .wallet(payer)
        .transfer({
          memo,
          outputs: receivers.map(({ address }, i) => ({ to: address, amount: amounts[i]! })),
        })
      const { unsignedTx } = await env().accepted(receipt)
      expect(Buffer.from(unsignedTx.memo).toString()).toBe(memo)
      expect(unsignedTx.memo).toHaveLength(256)
      expect(unsignedTx.outputs).toHaveLength(21)
      expect(receipt.explanation).toMatchObject({ type: 'BaseTx', fee, warnings: [] })
      for (const [i, receiver] of receivers.entries())
        expect(await env().balance(receiver)).toBe(amounts[i])
      const sent = amounts.reduce((sum, amount) => sum + amount, 0n)
      expect(await env().balance(payer)).toBe(funding - sent - fee)
    })

    it('issues nothing if funds are insufficient, and reports the shortfall', async () => {
      const { fee, context, funder } = env()
      const sent: string[] = []
      const client = env().createClient({ onAttempt: ({ method }) => sent.push(method) })
      const poor = env().wallet(env().newAccount(), { client })
      const missing = await failureOf(poor.transfer({ to: funder.address, amount: 1n }))
      expect(missing).toBeInstanceOf(FundsError)
      expect(missing).toMatchObject({
        code: 'BUILDER_INSUFFICIENT_FUNDS',
        assets: [{ assetID: context.assetID, needed: fee + 1n, available: 0n }],
      })
      expect(sent).toContain('avm.getUTXOs')
      expect(sent).not.toContain('avm.issueTx')
    })
  })

  describe('sendAll', () => {
    it('sends everything minus the fee', async () => {
      const { fee, funding } = env()
      const payer = env().fundedAccount()
      const receiver = env().newAccount()
      await env().accepted(await env().wallet(payer).sendAll({ to: receiver.address }))
      expect(await env().balance(payer)).toBe(0n)
      expect(await env().balance(receiver)).toBe(funding - fee)
    })

    it('spends 406 UTXOs at once, the most that the node accepts', async () => {
      const { fee } = env()
      const payer = env().fundedAccount()
      const owner = env().newAccount()
      const outputs = Array.from({ length: 406 }, () => ({ to: owner.address, amount: fee / 50n }))
      await env().accepted(await env().wallet(payer).transfer({ outputs }))
      const wallet = env().wallet(owner)
      const { draft } = await wallet.prepare.sendAll({ to: payer.address })
      // 58 bytes, an output of 80, and 161 for each input.
      expect(draft.signedSize).toBe(65_504)
      const before = await env().balance(payer)
      await env().accepted(await wallet.submit(requireSigned(signDraft(draft, owner.keys))))
      expect(await env().balance(owner)).toBe(0n)
      expect((await env().balance(payer)) - before).toBe(406n * (fee / 50n) - fee)
    })
  })

  describe('a UTXO with several owners', () => {
    it('is spent by two of three owners, who exchange only files', async () => {
      const { fee, client, context, rawNode } = env()
      const payer = env().fundedAccount()
      const [a, b, c] = [env().newAccount(), env().newAccount(), env().newAccount()]
      const owners = [a, b, c].map(({ address }) => address)
      const amount = 5n * fee
      await env().accepted(await env().wallet(payer).transfer({ to: owners, threshold: 2, amount }))
      expect(await rawNode.balance(b.address, 'AVAX', true)).toBe(amount)
      const [alone] = await env().wallet(a).balances()
      expect(alone).toMatchObject({ spendable: 0n, shortOfSigners: amount })

      const receiver = env().newAccount()
      const watcher = createWallet({ client, addresses: owners })
      const { draft } = await watcher.prepare.sendAll({ to: receiver.address })
      const parents = await collectProofs(draft, (txID) => client.avm.getTx({ txID }))
      const file = formatRequest(createRequest(draft, { parents, signers: 'all' }))
      const read = (text: string) => parseRequest(text, { network: context, chain: 'X' })
      const fromA = formatRequest(signRequest(read(file), a.keys))
      const fromC = formatRequest(signRequest(read(file), c.keys))
      const early = await failureOf((async () => finishRequest(read(fromA)))())
      expect(early).toBeInstanceOf(SignError)
      expect(early).toMatchObject({ code: 'INCOMPLETE' })

      const signed = finishRequest(mergeRequests(read(fromA), read(fromC)))
      const tx = await env().accepted(await watcher.submit(signed))
      expect(tx).toEqual(signed.signedTx)
      expect(await env().balance(receiver)).toBe(amount - fee)
      expect(await rawNode.balance(b.address, 'AVAX', true)).toBe(0n)
    })
  })

  describe('a locked UTXO', () => {
    it('is spent after its locktime, and neither issued nor accepted before', async () => {
      const { fee, client, context, rawNode } = env()
      const payer = env().fundedAccount()
      const owner = env().newAccount()
      const to = owner.address
      const outputs = [
        { to, amount: 4n * fee, locktime: PAST },
        { to, amount: 1_000n, locktime: FUTURE },
      ]
      await env().accepted(await env().wallet(payer).transfer({ outputs }))
      const sent: string[] = []
      const watched = env().createClient({ onAttempt: ({ method }) => sent.push(method) })
      const wallet = env().wallet(owner, { client: watched })
      expect(await wallet.balances()).toMatchObject([
        { spendable: 4n * fee, locked: 1_000n, nextUnlock: FUTURE },
      ])

      const tooMuch = { to: payer.address, amount: 3n * fee + 1n }
      const local = await failureOf(wallet.transfer(tooMuch))
      expect(local).toBeInstanceOf(FundsError)
      expect(local).toMatchObject({
        code: 'BUILDER_INSUFFICIENT_FUNDS',
        assets: [{ needed: 4n * fee + 1n, available: 4n * fee, locked: 1_000n }],
      })
      expect(sent).not.toContain('avm.issueTx')

      const utxos = await wallet.utxos()
      const funds = { utxos, owners: owner.keys.addresses, now: FUTURE }
      const { unsignedTx } = buildTransfer({ context, funds, outputs: [tooMuch] })
      const refused = await failureOf(client.issueTx(forge(unsignedTx, owner.keys)))
      expect(refused).toBeInstanceOf(IssueError)
      expect(refused).toMatchObject({
        code: 'TIMELOCKED',
        class: 'retry-later',
        nodeMessage: 'failed to verify transfer: output is time locked',
      })

      await env().accepted(await wallet.sendAll({ to: payer.address }))
      expect(await rawNode.balance(to)).toBe(0n)
      expect(await rawNode.balance(to, 'AVAX', true)).toBe(1_000n)
    })
  })

  describe('sweep', () => {
    it('sends 60 UTXOs of six keys in as few transactions as the size limit allows', async () => {
      const { fee, context } = env()
      const payer = env().fundedAccount()
      const owners = Array.from({ length: 6 }, () => env().newAccount())
      const amounts = Array.from({ length: 60 }, (_, i) => (3n * fee) / 10n + BigInt(i))
      const outputs = amounts.map((amount, i) => ({ to: owners[i % 6]!.address, amount }))
      await env().accepted(await env().wallet(payer).transfer({ outputs }))
      const receiver = env().newAccount()
      // 17 inputs of 161 bytes fit beside one output of 80 and 58 of their own.
      const call = { to: receiver.address, maxSize: 3_000 }
      const wallet = env().wallet(owners)
      expect(await wallet.prepare.sweep(call)).toMatchObject({ transactions: 4, leftBehind: [] })
      const result = await wallet.sweep(call)
      const moved = amounts.reduce((sum, amount) => sum + amount, 0n) - 4n * fee
      expect(result).toMatchObject({
        utxoCount: 60,
        moved: [{ assetID: context.assetID, amount: moved }],
        unspendable: [],
        leftBehind: [],
        resumed: [],
      })
      expect(result.txIDs).toHaveLength(4)
      for (const txID of result.txIDs) await env().accepted({ txID })
      expect(await env().balance(receiver)).toBe(moved)
      for (const owner of owners) expect(await env().balance(owner)).toBe(0n)
    })

    it('excludes a UTXO that can never be spent, and sends the rest', async () => {
      const { fee, client, context } = env()
      const payer = env().fundedAccount()
      const wallet = env().wallet(payer)
      const { draft } = await wallet.prepare.createAsset({
        name: 'Bait',
        symbol: 'BAIT',
        nftMinters: [{ groupID: 0, to: payer.address }],
      })
      if (draft.unsignedTx.type !== 'CreateAssetTx') throw new Error('no asset is created')
      // Amounts of an asset that only has NFTs: the node lets this pass.
      const bait = {
        type: 'secp256k1fx.TransferOutput' as const,
        amount: 77n,
        locktime: 0n,
        threshold: 1,
        addresses: [payer.bytes],
      }
      const initialStates = [{ fxIndex: 1, outputs: [bait] }]
      const { txID: assetID } = await wallet.submit(
        forge({ ...draft.unsignedTx, initialStates }, payer.keys),
      )
      await env().accepted({ txID: assetID })
      expect(await env().balance(payer, assetID)).toBe(77n)
      const before = await env().balance(payer)

      const receiver = env().newAccount()
      const { draft: touching } = await wallet.prepare.transfer({
        outputs: [{ to: receiver.address, amount: 1n, assetID }],
      })
      const refused = await failureOf(client.issueTx(forge(touching.unsignedTx, payer.keys)))
      expect(refused).toMatchObject({
        code: 'INCOMPATIBLE_FX',
        class: 'rebuild',
        nodeMessage: 'failed to verify transfer: incompatible feature extension',
      })

      const swept = await env().wallet(payer).sweep({ to: receiver.address })
      expect(swept).toMatchObject({
        utxoCount: 1,
        moved: [{ assetID: context.assetID, amount: before - fee }],
        unspendable: [{ assetID, amount: 77n, utxoCount: 1, code: 'INCOMPATIBLE_FX' }],
      })
      await env().accepted({ txID: swept.txIDs[0]! })
      expect(await env().balance(receiver)).toBe(before - fee)
      expect(await env().balance(payer)).toBe(0n)
    })
  })

  describe('consolidate', () => {
    it('combines many UTXOs into one at the same address', async () => {
      const { fee, funding } = env()
      const payer = env().fundedAccount()
      const wallet = env().wallet(payer)
      const outputs = Array.from({ length: 12 }, () => ({ to: payer.address, amount: fee / 2n }))
      await env().accepted(await wallet.transfer({ outputs }))
      expect(await wallet.balances()).toMatchObject([{ spendableUTXOs: 13 }])
      const { txIDs, utxoCount } = await wallet.consolidate()
      expect([txIDs.length, utxoCount]).toEqual([1, 13])
      await env().accepted({ txID: txIDs[0]! })
      expect(await wallet.balances()).toMatchObject([
        { spendableUTXOs: 1, spendable: funding - 2n * fee },
      ])
      expect(await env().balance(payer)).toBe(funding - 2n * fee)
    })
  })
}
