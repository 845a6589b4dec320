import { expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { errorFor } from '../requests.ts'
import { addressOf, balanceOf, fee, people, produceBlocks, scene } from '../setup.ts'
import { lyingServer } from './lying-server.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const toYou = { to: addressOf(you), amount: 5n }
const toThird = { to: addressOf(third), amount: 7n }
const briefly = { timeoutMs: 100 }

/** A node that has refused payment `b`, because `a`, whose change it spends, was accepted only later. */
async function afterRefusal(options: object) {
  const at = await lyingServer()
  at.node.fund(addressOf(me), 9n * fee)
  const mine = at.wallet({ ...options, store: memoryStore(), wait: { timeoutMs: 60_000 } })
  at.lie(true)
  const isPending = { code: 'TX_PENDING' }
  await expect(mine.transfer(toYou, { key: 'a', wait: briefly })).rejects.toMatchObject(isPending)
  await at.show(at.withheld[0]!)
  await mine.transfer(toYou, { key: 'a' })
  await expect(mine.transfer(toThird, { key: 'b', wait: briefly })).rejects.toMatchObject(isPending)
  at.lie(false)
  at.forget()
  await at.release(at.withheld.at(-1)!).catch(() => {})
  await at.release(at.withheld[0]!)
  return { ...at, mine }
}

it('a payment that a node has refused, and remembers, is signed again with keys in memory', async () => {
  const { node, mine } = await afterRefusal({})
  await mine.transfer(toThird, { key: 'b' })
  expect(await balanceOf(node, third)).toBe(7n)
})

it('with an external signer it is canceled, and then paid again', async () => {
  const { node, mine } = await afterRefusal({ keys: undefined, signers: [keyChainSigner(me)] })
  await expect(mine.transfer(toThird, { key: 'b' })).rejects.toMatchObject({ code: 'TX_PENDING' })
  expect(await mine.cancel('b')).toMatchObject({ status: 'canceled' })
  await mine.transfer(toThird, { key: 'b' })
  expect(await balanceOf(node, third)).toBe(7n)
})

it('calls that are too short to ask all servers sign it again, too', async () => {
  let first: string | undefined
  const { node, wallet } = await scene({
    url: ['http://a.test', 'http://b.test', 'http://c.test'],
    intercept: (call, next) => {
      if (call.method !== 'avm.issueTx') return next()
      first ??= call.txID
      return call.txID === first ? errorFor(call, 'tx conflicts with other tx: 2Xb') : next()
    },
  })
  node.fund(addressOf(me), 9n * fee)
  const mine = wallet({ store: memoryStore(), wait: { timeoutMs: 2_500 } })
  const pay = () => mine.transfer(toYou, { key: 'a' })
  await expect(pay()).rejects.toMatchObject({ code: 'TX_PENDING' })
  await pay()
  expect(await balanceOf(node, you)).toBe(5n)
})

it('payments that were only shown as accepted are issued again one after the other', async () => {
  const at = await lyingServer({ blocks: 'manual' })
  at.node.fund(addressOf(me), 9n * fee)
  produceBlocks(at.node)
  const mine = at.wallet({ store: memoryStore(), wait: { timeoutMs: 60_000 } })
  const isPending = { code: 'TX_PENDING' }
  at.lie(true)
  for (const key of ['a', 'b']) {
    await expect(mine.transfer(toYou, { key, wait: briefly })).rejects.toMatchObject(isPending)
    await at.show(at.withheld.at(-1)!)
    await mine.transfer(toYou, { key })
  }
  at.lie(false)
  at.forget()
  let isPaid = false
  const produce = async () => {
    for (; !isPaid; await at.clock.sleep(1_000)) produceBlocks(at.node)
  }
  const paying = mine.transfer(toThird, { key: 'c' }).finally(() => {
    isPaid = true
  })
  await Promise.all([paying, produce()])
  expect(await balanceOf(at.node, you)).toBe(10n)
})

it('the ownership of the store is checked before each of them is issued', async () => {
  let isChecked = false
  let unchecked = 0
  const at = await lyingServer({
    through: (fetch) => (url, init) => {
      if (String(init.body).includes('avm.issueTx')) {
        if (!isChecked) unchecked++
        isChecked = false
      }
      return fetch(url, init)
    },
  })
  for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 4n * fee)
  const assertOwned = async () => {
    isChecked = true
  }
  const mine = at.wallet({ store: { ...memoryStore(), assertOwned }, wait: { timeoutMs: 60_000 } })
  at.lie(true)
  const amount = 2n * fee
  const paying = ['a', 'b'].map((key) =>
    mine.transfer({ ...toYou, amount }, { key, wait: briefly }),
  )
  for (const { status } of await Promise.allSettled(paying)) expect(status).toBe('rejected')
  for (const bytes of at.withheld.slice()) await at.show(bytes)
  for (const key of ['a', 'b']) await mine.transfer({ ...toYou, amount }, { key })
  // It spends the change of both.
  const last = { ...toThird, amount: fee }
  await expect(mine.transfer(last, { key: 'c', wait: briefly })).rejects.toThrow('is pending')
  at.lie(false)
  at.forget()
  await mine.transfer(last, { key: 'c' })
  expect(await balanceOf(at.node, you)).toBe(2n * amount)
  expect(unchecked).toBe(0)
})
