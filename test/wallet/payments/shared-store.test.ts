import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet, type Wallet } from '../../../src/wallet/index.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { errorFor, intercepted } from '../requests.ts'
import { addressOf, balanceOf, direct, fee, people, scene } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }
const missing =
  'failed to verify transfer: failed to get utxo 2Z4UuXuKg2s1QcyGmh2LFDeZGqVSZV2uqYXpxY9B5rGJGDjEzE: not found'

/**
 * Two wallets with one store. The node refuses the first transaction for ever; the first wallet gets this answer only
 * after the second has finished its work.
 */
async function twoWallets(options: { readonly records: boolean }) {
  let first: string | undefined
  let issued = () => {}
  const isIssued = new Promise<void>((resolve) => {
    issued = resolve
  })
  let finish = () => {}
  const isFinished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const { node, wallet, clock } = await scene({
    intercept: async (call, next) => {
      if (call.tx === undefined) return next()
      first ??= call.txID
      if (call.txID !== first) return next()
      issued()
      await isFinished
      return errorFor(call, missing)
    },
  })
  for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
  const store = memoryStore()
  const fetch = intercepted(
    (url, init) => node.fetch(url, init),
    (call, next) => (call.txID === first && call.tx ? errorFor(call, missing) : next()),
  )
  // The second process may end after its transaction was accepted and before it recorded that.
  const theirs: Store = options.records ? store : { ...store, recordAcceptance: async () => {} }
  const other = wallet({
    store: theirs,
    client: createNodeClient({ url: 'http://node.test', fetch, clock }),
  })
  const whileIssued = async (work: (wallet: Wallet) => Promise<unknown>) => {
    await isIssued
    await work(other)
    finish()
  }
  return { node, store, mine: wallet({ store }), whileIssued }
}

for (const records of [true, false])
  describe(`wallets with one store, if the outcome is ${records ? '' : 'not '}recorded`, () => {
    for (const options of [{}, { key: 'a' }])
      it(`make a payment once ${options.key ? 'with a' : 'without a'} key`, async () => {
        const { node, mine, whileIssued } = await twoWallets({ records })
        const paying = mine.transfer(payment, options)
        let accepted: Uint8Array | undefined
        await whileIssued(async (other) => {
          const [resumed] = await other.resume()
          expect(resumed).toMatchObject({ status: 'accepted' })
          accepted = resumed?.txID
        })
        expect((await paying).txID).toEqual(accepted)
        expect(await balanceOf(node, you)).toBe(5n)
      })

    it('return the receipt of a submitted transaction', async () => {
      const { node, mine, whileIssued } = await twoWallets({ records })
      const signed = await mine.sign(await mine.prepare.transfer(payment))
      if (!signed.complete) throw new Error('incomplete')
      const submitting = mine.submit(signed, { key: 'a' })
      await whileIssued((other) => other.resume())
      const { txID } = await submitting
      expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
      expect(await balanceOf(node, you)).toBe(5n)
    })

    for (const options of [{}, { key: 'a' }])
      it(`do not make a canceled payment ${options.key ? 'with a' : 'without a'} key`, async () => {
        const { node, mine, whileIssued } = await twoWallets({ records })
        const paying = mine.transfer(payment, options)
        const failing = expect(paying).rejects.toMatchObject({ code: 'PAYMENT_CANCELED' })
        let key = ''
        await whileIssued(async (other) => {
          key = (await other.payments())[0]!.key
          expect(await other.cancel(key)).toMatchObject({ status: 'canceled' })
        })
        await failing
        expect(await mine.payments([key])).toMatchObject([{ status: 'canceled' }])
        expect(await balanceOf(node, you)).toBe(0n)
      })
  })

it('a cancellation notices that another wallet makes the rejected payment again', async () => {
  let isAway = true
  const { node, wallet } = await scene({
    intercept: (call, next) => {
      if (isAway && call.tx !== undefined) throw new TypeError('fetch failed')
      return next()
    },
  })
  for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
  const store = memoryStore()
  const other = wallet({ store, wait: { timeoutMs: 500 } })
  const pay = () =>
    expect(other.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
  await pay()
  for await (const { inputs } of store.attempts())
    await createWallet({ client: direct(node), keys: me }).transfer({
      to: addressOf(third),
      amount: 7n,
      choose: { pinned: inputs },
    })
  let cancels = 0
  const mine = wallet({
    store: {
      ...store,
      cancel: async (key) => {
        if (++cancels > 3) throw new Error('endless')
        if (cancels === 1) await pay()
        isAway = false
        return store.cancel(key)
      },
    },
  })
  expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
  expect(await mine.payments(['a'])).toMatchObject([{ status: 'canceled' }])
  expect(await balanceOf(node, you)).toBe(0n)
})
