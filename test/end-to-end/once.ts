import { describe, expect, it } from 'vitest'
import { requireSigned, signDraft } from '../../src/index.ts'
import type { Fetch } from '../../src/node/index.ts'
import { BatchError, WalletError } from '../../src/wallet/index.ts'
import { memoryStore } from '../../src/wallet/store/index.ts'
import { failureOf, type TestEnvironment } from './environment.ts'

/** Where a connection breaks when a transaction is sent, and whether it stays broken. */
type Break = { readonly at: 'request' | 'answer'; readonly stays: boolean }

/** The platform's `fetch`, until the first transaction is sent over it. */
function breaking({ at, stays }: Break): Fetch {
  let isBroken = false
  return async (url, init) => {
    if (isBroken && stays) throw new TypeError('fetch failed')
    if (isBroken || !String(init.body).includes('"avm.issueTx"')) return fetch(url, init)
    isBroken = true
    // The node has it, but its answer was lost.
    if (at === 'answer') await (await fetch(url, init)).text()
    throw new TypeError('fetch failed')
  }
}

/** Payments are made once, whatever fails. */
export function onceTests(env: () => TestEnvironment): void {
  describe('a payment', () => {
    it('is made once, however often it is requested', async () => {
      const { client, fee, funding } = env()
      const payer = env().fundedAccount()
      const receiver = env().newAccount()
      const wallet = env().wallet(payer)
      const { draft } = await wallet.prepare.transfer({ to: receiver.address, amount: fee })
      const signed = requireSigned(signDraft(draft, payer.keys))
      for (let i = 0; i < 2; i++)
        expect((await client.issueTx(signed.bytes)).txID).toEqual(signed.txID)
      await client.waitForTx(signed.bytes, { timeoutMs: 60_000 })
      expect(await client.issueTx(signed.bytes)).toEqual({ txID: signed.txID, status: 'accepted' })
      expect(await wallet.submit(signed)).toEqual({ txID: signed.txID })
      expect(await env().wallet(payer).submit(signed.signedTx)).toEqual({ txID: signed.txID })
      await env().accepted(signed)
      expect(await env().balance(receiver)).toBe(fee)
      expect(await env().balance(payer)).toBe(funding - 2n * fee)
    })

    it('completes if only the response was lost', async () => {
      const { fee, funding } = env()
      const payer = env().fundedAccount()
      const receiver = env().newAccount()
      const client = env().createClient({ fetch: breaking({ at: 'answer', stays: false }) })
      const wallet = env().wallet(payer, { client })
      await env().accepted(await wallet.transfer({ to: receiver.address, amount: fee }))
      expect(await wallet.resume()).toEqual([])
      expect(await env().balance(receiver)).toBe(fee)
      expect(await env().balance(payer)).toBe(funding - 2n * fee)
    })

    for (const at of ['request', 'answer'] as const)
      it(`is resumed from the store after the connection broke at the ${at}`, async () => {
        const { fee, funding } = env()
        const payer = env().fundedAccount()
        const receiver = env().newAccount()
        const store = memoryStore()
        const retry = { retries: 0 }
        const client = env().createClient({ fetch: breaking({ at, stays: true }), retry })
        const payment = { to: receiver.address, amount: fee }
        const broken = env().wallet(payer, { client, store })
        const wait = { timeoutMs: 2_000 }
        const pending = await failureOf(broken.transfer(payment, { key: 'rent', wait }))
        expect(pending).toBeInstanceOf(WalletError)
        expect(pending).toMatchObject({ code: 'TX_PENDING' })
        const { txID } = pending as WalletError

        const wallet = env().wallet(payer, { store })
        expect(await wallet.resume()).toEqual([{ txID, keys: ['rent'], status: 'accepted' }])
        await env().accepted({ txID: txID! })
        expect(await wallet.transfer(payment, { key: 'rent' })).toEqual({ txID })
        expect(await wallet.resume()).toEqual([])
        expect(await env().balance(receiver)).toBe(fee)
        expect(await env().balance(payer)).toBe(funding - 2n * fee)
      })
  })

  describe('a sweep', () => {
    it('that was interrupted continues', async () => {
      const { fee } = env()
      const payer = env().fundedAccount()
      const owners = [env().newAccount(), env().newAccount()]
      const receiver = env().newAccount()
      const outputs = Array.from({ length: 16 }, (_, i) => ({
        to: owners[i % 2]!.address,
        amount: fee + BigInt(i),
      }))
      await env().accepted(await env().wallet(payer).transfer({ outputs }))
      const store = memoryStore()
      // Four inputs of 161 bytes beside an output of 80 and 58 of their own: four transactions.
      const call = { to: receiver.address, maxSize: 800 }
      const stop = new AbortController()
      const first = await failureOf(
        env()
          .wallet(owners, { store })
          .sweep(call, {
            inFlight: 1,
            signal: stop.signal,
            onProgress: ({ accepted }) => accepted === 1 && stop.abort(),
          }),
      )
      expect(first).toBeInstanceOf(BatchError)
      expect(first).toMatchObject({
        code: 'BATCH_UNFINISHED',
        result: { utxoCount: 4 },
        pending: [],
      })
      const second = await env().wallet(owners, { store }).sweep(call)
      expect(second).toMatchObject({ utxoCount: 12, resumed: [], leftBehind: [] })
      for (const txID of [...(first as BatchError).result.txIDs, ...second.txIDs])
        await env().accepted({ txID })
      // 0 + 1 + … + 15 is 120.
      expect(await env().balance(receiver)).toBe(16n * fee + 120n - 4n * fee)
      for (const owner of owners) expect(await env().balance(owner)).toBe(0n)
    })
  })
}
