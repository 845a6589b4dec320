import { describe, expect, it } from 'vitest'
import { txID as idOf } from '../../../src/core/chain/x/ids.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { Wallet } from '../../../src/wallet/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { addressOf, balanceOf, direct, fee, people } from '../setup.ts'
import { lyingServer } from './lying-server.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const wait = { timeoutMs: 20_000 }
const briefly = { timeoutMs: 100 }
const toYou = { to: addressOf(you), amount: 5n }
const toThird = { to: addressOf(third), amount: 7n }

/** A server of a node on which the wallet has UTXOs. */
async function serverOf(utxos: number) {
  const at = await lyingServer()
  for (let i = 0; i < utxos; i++) at.node.fund(addressOf(me), 5n * fee)
  return at
}

/** A call whose transaction is withheld. */
async function inVain(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({ code: 'TX_PENDING' })
}

/** The server shows the cancellation of a payment, which it has withheld. */
async function cancelFalsely(
  at: Awaited<ReturnType<typeof lyingServer>>,
  mine: Wallet,
  key: string,
): Promise<void> {
  await inVain(mine.cancel(key, { wait: briefly }))
  await at.show(at.withheld.at(-1)!)
  expect(await mine.cancel(key)).toMatchObject({ status: 'canceled' })
}

describe('a server that shows a cancellation which it has withheld', () => {
  it('does not make the wallet pay twice when the key is used again', async () => {
    const at = await serverOf(3)
    const store = memoryStore()
    const mine = at.wallet({ store, wait })
    at.lie(true)
    await inVain(mine.transfer(toYou, { key: 'a', wait: briefly }))
    const [first] = at.withheld
    await cancelFalsely(at, mine, 'a')
    // The repeat passes, and so does the first attempt.
    const before = at.withheld.length
    await inVain(mine.transfer(toYou, { key: 'a', wait: briefly }))
    at.lie(false)
    at.forget()
    for (const bytes of at.withheld.slice(before)) await at.release(bytes).catch(() => {})
    await at.release(first!)
    expect(await balanceOf(at.node, you)).toBe(5n)
    // The first attempt was accepted after all.
    expect((await mine.transfer(toYou, { key: 'a' })).txID).toEqual(idOf(first!))
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted' }])
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('does not make the wallet pay another key of the batch twice', async () => {
    const at = await serverOf(3)
    const store = memoryStore()
    const mine = at.wallet({ store, wait })
    at.lie(true)
    await inVain(
      mine.transfer({ outputs: [toYou, toThird] }, { keys: ['k1', 'k2'], wait: briefly }),
    )
    const [first] = at.withheld
    await cancelFalsely(at, mine, 'k1')
    const before = at.withheld.length
    await inVain(mine.transfer(toThird, { key: 'k2', wait: briefly }))
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
    const at = await serverOf(3)
    const mine = at.wallet({ wait })
    at.lie(true)
    await inVain(mine.transfer(toYou, { key: 'a', wait: briefly }))
    await cancelFalsely(at, mine, 'a')
    await inVain(mine.transfer(toYou, { key: 'a', wait: briefly }))
    at.lie(false)
    at.forget()
    // Nobody has the cancellation, whose output the repeat spends: the wallet issues it again.
    await mine.transfer(toYou, { key: 'a', wait: { timeoutMs: 120_000 } })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('does not keep the key from being paid after another payment has spent its UTXO', async () => {
    const at = await serverOf(1)
    const mine = at.wallet({ wait })
    at.lie(true)
    await inVain(mine.transfer(toYou, { key: 'a', wait: briefly }))
    await cancelFalsely(at, mine, 'a')
    at.lie(false)
    at.forget()
    // Long enough for the last block to be compared with the server's.
    at.clock.advance(100_000)
    await mine.transfer(toThird, { key: 'b' })
    await mine.transfer(toYou, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('does not make the first attempt valid beside a later cancellation, which is accepted', async () => {
    const at = await serverOf(1)
    const mine = at.wallet({ wait })
    const sendAll = () => mine.sendAll({ to: addressOf(you) }, { key: 'a', wait: briefly })
    at.lie(true)
    await inVain(sendAll())
    const [first] = at.withheld
    await cancelFalsely(at, mine, 'a')
    // The repeat spends all of them; only one shows that the first attempt has ended.
    for (let i = 0; i < 15; i++) at.node.fund(addressOf(me), 3n * fee)
    await inVain(sendAll())
    at.lie(false)
    at.forget()
    const canceled = await mine.cancel('a', { wait: { timeoutMs: 120_000 } })
    expect(canceled).toMatchObject({ status: 'canceled' })
    await at.release(first!).catch(() => {})
    expect(await balanceOf(at.node, you)).toBe(0n)
  })

  it('does not leave a payment pending for ever that spends an output of it', async () => {
    const at = await serverOf(1)
    const mine = at.wallet({ wait })
    at.lie(true)
    await inVain(mine.transfer(toYou, { key: 'a', wait: briefly }))
    const [first] = at.withheld
    await cancelFalsely(at, mine, 'a')
    await inVain(mine.transfer(toThird, { key: 'b', wait: briefly }))
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
    const at = await serverOf(2)
    const mine = at.wallet({ changeTo: addressOf(third), accept: ['FOREIGN_CHANGE'], wait })
    const outputs = [1n, 2n, 3n].map((amount) => ({ to: addressOf(you), amount }))
    at.lie(true)
    await inVain(mine.transfer({ outputs }, { keys: ['a', 'b', 'c'], wait: briefly }))
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
    const at = await serverOf(2)
    const mine = at.wallet({ wait })
    at.lie(true)
    await inVain(mine.transfer(toYou, { key: 'a', wait: briefly }))
    at.lie(false)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    let asked = 0
    const confirm = async () => {
      if (asked++ === 0) await at.wallet({ wait }).sendAll({ to: addressOf(me) })
      await mine.balances()
      return true
    }
    await mine.transfer(toYou, { key: 'a', confirm })
    expect(asked).toBe(2)
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('is followed by the key to what other holders have made of its outputs meanwhile', async () => {
    const at = await serverOf(2)
    const store = memoryStore()
    const mine = at.wallet({ store, wait })
    at.lie(true)
    await inVain(mine.transfer(toYou, { key: 'a', wait: briefly }))
    at.lie(false)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    await at.wallet({ wait }).sendAll({ to: addressOf(me) })
    // More than a wallet reads that has nothing to search for.
    for (let i = 0; i < 12; i++) at.node.fund(addressOf(third), 1n)
    await at.wallet({ store, wait }).transfer(toYou, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })
})
