import { describe, expect, it } from 'vitest'
import { txID as idOf } from '../../../src/core/chain/x/ids.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { addressOf, balanceOf, direct, fee, people } from '../setup.ts'
import { lyingServer } from './lying-server.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const wait = { timeoutMs: 20_000 }

describe('a server that shows a cancellation which it has withheld', () => {
  it('does not make the wallet pay twice when the key is used again', async () => {
    const at = await lyingServer()
    for (let i = 0; i < 3; i++) at.node.fund(addressOf(me), 5n * fee)
    const store = memoryStore()
    const mine = at.wallet({ store, wait })
    const payment = { to: addressOf(you), amount: 5n }
    at.lie(true)
    await expect(
      mine.transfer(payment, { key: 'a', wait: { timeoutMs: 100 } }),
    ).rejects.toMatchObject({ code: 'TX_PENDING' })
    const [first] = at.withheld
    await expect(mine.cancel('a', { wait: { timeoutMs: 100 } })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    await at.show(at.withheld.at(-1)!)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    // The repeat passes, and so does the first attempt.
    const before = at.withheld.length
    await mine.transfer(payment, { key: 'a', wait: { timeoutMs: 100 } }).catch(() => {})
    at.lie(false)
    at.forget()
    for (const bytes of at.withheld.slice(before)) await at.release(bytes).catch(() => {})
    await at.release(first!)
    expect(await balanceOf(at.node, you)).toBe(5n)
    // The first attempt was accepted after all.
    expect((await mine.transfer(payment, { key: 'a' })).txID).toEqual(idOf(first!))
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted' }])
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('does not make the wallet pay another key of the batch twice', async () => {
    const at = await lyingServer()
    for (let i = 0; i < 3; i++) at.node.fund(addressOf(me), 5n * fee)
    const store = memoryStore()
    const mine = at.wallet({ store, wait })
    const toYou = { to: addressOf(you), amount: 5n }
    const toThird = { to: addressOf(third), amount: 7n }
    at.lie(true)
    await expect(
      mine.transfer(
        { outputs: [toYou, toThird] },
        { keys: ['k1', 'k2'], wait: { timeoutMs: 100 } },
      ),
    ).rejects.toMatchObject({ code: 'TX_PENDING' })
    const [first] = at.withheld
    await mine.cancel('k1', { wait: { timeoutMs: 100 } }).catch(() => {})
    await at.show(at.withheld.at(-1)!)
    expect(await mine.cancel('k1')).toMatchObject({ status: 'canceled' })
    const before = at.withheld.length
    await mine.transfer(toThird, { key: 'k2', wait: { timeoutMs: 100 } }).catch(() => {})
    at.lie(false)
    at.forget()
    for (const bytes of at.withheld.slice(before)) await at.release(bytes).catch(() => {})
    await at.release(first!)
    expect(await balanceOf(at.node, third)).toBe(7n)
    await mine.transfer(toThird, { key: 'k2' })
    expect(await balanceOf(at.node, third)).toBe(7n)
    expect(await mine.payments(['k1', 'k2'])).toMatchObject([
      { status: 'accepted' },
      { status: 'accepted' },
    ])
  })

  it('does not leave the key pending for ever once it is honest', async () => {
    const at = await lyingServer()
    for (let i = 0; i < 3; i++) at.node.fund(addressOf(me), 5n * fee)
    const mine = at.wallet({ wait })
    const payment = { to: addressOf(you), amount: 5n }
    at.lie(true)
    await mine.transfer(payment, { key: 'a', wait: { timeoutMs: 100 } }).catch(() => {})
    await mine.cancel('a', { wait: { timeoutMs: 100 } }).catch(() => {})
    await at.show(at.withheld.at(-1)!)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    await mine.transfer(payment, { key: 'a', wait: { timeoutMs: 100 } }).catch(() => {})
    at.lie(false)
    at.forget()
    // Nobody has the cancellation, whose output the repeat spends: the wallet issues it again.
    await mine.transfer(payment, { key: 'a', wait: { timeoutMs: 120_000 } })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('does not keep the key from being paid after another payment has spent its UTXO', async () => {
    const at = await lyingServer()
    at.node.fund(addressOf(me), 5n * fee)
    const mine = at.wallet({ wait })
    const payment = { to: addressOf(you), amount: 5n }
    at.lie(true)
    await mine.transfer(payment, { key: 'a', wait: { timeoutMs: 100 } }).catch(() => {})
    await mine.cancel('a', { wait: { timeoutMs: 100 } }).catch(() => {})
    await at.show(at.withheld.at(-1)!)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    at.lie(false)
    at.forget()
    // Long enough for the last block to be compared with the server's.
    at.clock.advance(100_000)
    await mine.transfer({ to: addressOf(third), amount: 7n }, { key: 'b' })
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('does not leave a payment pending for ever that spends an output of it', async () => {
    const at = await lyingServer()
    at.node.fund(addressOf(me), 5n * fee)
    const mine = at.wallet({ wait })
    const toThird = { to: addressOf(third), amount: 7n }
    at.lie(true)
    await mine
      .transfer({ to: addressOf(you), amount: 5n }, { key: 'a', wait: { timeoutMs: 100 } })
      .catch(() => {})
    const [first] = at.withheld
    await mine.cancel('a', { wait: { timeoutMs: 100 } }).catch(() => {})
    await at.show(at.withheld.at(-1)!)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    await mine.transfer(toThird, { key: 'b', wait: { timeoutMs: 100 } }).catch(() => {})
    at.lie(false)
    at.forget()
    await at.release(first!)
    await mine.transfer(toThird, { key: 'b', wait: { timeoutMs: 120_000 } })
    expect(await balanceOf(at.node, third)).toBe(7n)
    expect(await mine.payments(['a', 'b'])).toMatchObject([
      { status: 'accepted' },
      { status: 'accepted' },
    ])
  })
})

describe('a cancellation', () => {
  it('has an own output for every key of its batch, whatever changeTo says', async () => {
    const at = await lyingServer()
    for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 5n * fee)
    const mine = at.wallet({ changeTo: addressOf(third), wait })
    const outputs = [1n, 2n, 3n].map((amount) => ({ to: addressOf(you), amount }))
    at.lie(true)
    await mine
      .transfer({ outputs }, { keys: ['a', 'b', 'c'], wait: { timeoutMs: 100 } })
      .catch(() => {})
    at.lie(false)
    const { status, txID } = await mine.cancel('b')
    expect(status).toBe('canceled')
    const { unsignedTx } = await direct(at.node).avm.getTx({ txID })
    const own = unsignedTx.outputs.filter(({ output }) =>
      output.addresses.some((address) => Buffer.compare(address, me.addresses[0]!) === 0),
    )
    expect(own.length).toBe(unsignedTx.outputs.length)
    expect(own.length).toBeGreaterThanOrEqual(3)
  })

  it('is followed by the key if another holder spends its output while the caller confirms', async () => {
    const at = await lyingServer()
    for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 5n * fee)
    const mine = at.wallet({ wait })
    const payment = { to: addressOf(you), amount: 5n }
    at.lie(true)
    await mine.transfer(payment, { key: 'a', wait: { timeoutMs: 100 } }).catch(() => {})
    at.lie(false)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    let asked = 0
    const confirm = async () => {
      if (asked++ === 0) await at.wallet({ wait }).sendAll({ to: addressOf(me) })
      await mine.balances()
      return true
    }
    await mine.transfer(payment, { key: 'a', confirm })
    expect(asked).toBe(2)
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('is followed by the key to what other holders have made of its outputs meanwhile', async () => {
    const at = await lyingServer()
    for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 5n * fee)
    const store = memoryStore()
    const mine = at.wallet({ store, wait })
    const payment = { to: addressOf(you), amount: 5n }
    at.lie(true)
    await mine.transfer(payment, { key: 'a', wait: { timeoutMs: 100 } }).catch(() => {})
    at.lie(false)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    await at.wallet({ wait }).sendAll({ to: addressOf(me) })
    // More than a wallet reads that has nothing to search for.
    for (let i = 0; i < 12; i++) at.node.fund(addressOf(third), 1n)
    await at.wallet({ store, wait }).transfer(payment, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })
})
