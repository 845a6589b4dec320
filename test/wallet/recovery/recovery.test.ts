import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { type Claim, memoryStore } from '../../../src/wallet/store/index.ts'
import { addressOf, balanceOf, fee, people, scene } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

describe('unrecorded', () => {
  it('lists what a lost store has forgotten, and nothing that the store knows', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 9n * fee)
    node.fund(addressOf(third), 9n * fee)
    const lost = await wallet({ store: memoryStore() }).transfer(payment, { key: 'a' })
    // Somebody else's transaction is no business of this wallet.
    await wallet({ keys: third }).transfer(payment)
    const mine = wallet({ store: memoryStore() })
    const known = await mine.transfer(payment, { key: 'b' })
    const found = await mine.unrecorded({ fromHeight: 1n })
    expect(found.map(({ txID }) => txID)).toEqual([lost.txID])
    expect(found[0]!.height).toBeGreaterThan(0n)
    expect(found[0]!.tx.unsignedTx.outputs.map(({ output }) => output.amount)).toContain(5n)
    expect(known.txID).not.toEqual(lost.txID)
    expect(await mine.unrecorded({ fromHeight: found[0]!.height + 1n })).toEqual([])
  })
})

describe('resume with fromHeight', () => {
  it('finds the rival of a payment in blocks before the height of its claim', async () => {
    let isRefusing = false
    const { node, wallet } = await scene({
      intercept: ({ method }, next) =>
        isRefusing && method === 'avm.issueTx' ? new Response('no', { status: 403 }) : next(),
    })
    node.fund(addressOf(me), 3n * fee)
    // A claim that was restored: its input was spent long before the height that it names.
    const claims: Claim[] = []
    const recording = memoryStore()
    const first = wallet({
      store: {
        ...recording,
        claim: async (claim) => {
          claims.push(claim)
          throw new Error('the process ends here')
        },
      },
    })
    await expect(first.transfer(payment, { key: 'a' })).rejects.toThrow('the process ends here')
    await wallet({ store: memoryStore() }).transfer({ ...payment, amount: 7n }, { key: 'b' })
    for (let i = 0; i < 20; i++) node.fund(addressOf(third), fee)
    const restored = memoryStore()
    const { networkID, chainID } = node.context
    await restored.bind({ networkID, chainID })
    await restored.claim({ ...claims[0]!, fromHeight: 20n })
    // Without a rejection, the wallet does not search old blocks by itself.
    isRefusing = true
    const mine = wallet({ store: restored, wait: { timeoutMs: 500 } })
    expect(await mine.resume()).toMatchObject([{ keys: ['a'], status: 'pending' }])
    expect(await mine.resume({ fromHeight: 1n, wait: { timeoutMs: 20_000 } })).toMatchObject([
      { keys: ['a'], status: 'rejected' },
    ])
    expect(await balanceOf(node, you)).toBe(7n)
  })
})

describe('after a resume with fromHeight', () => {
  it('blocks are not read from there again', async () => {
    const read: bigint[] = []
    let isRefusing = false
    const { node, wallet } = await scene({
      intercept: ({ method, params }, next) => {
        if (method === 'avm.getBlockByHeight') read.push(BigInt(String(params.height)))
        const isRefused = isRefusing && method === 'avm.issueTx'
        return isRefused ? new Response('no', { status: 403 }) : next()
      },
    })
    for (let i = 0; i < 30; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    await mine.balances()
    isRefusing = true
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    await mine.resume({ fromHeight: 1n })
    expect(read).toContain(1n)
    read.length = 0
    node.fund(addressOf(third), fee)
    // A difference makes the next call walk again.
    const amount = 1_000n * fee
    await expect(mine.transfer({ ...payment, amount })).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
    })
    expect(read.length).toBeGreaterThan(0)
    expect(read).not.toContain(1n)
  })
})

describe('fromHeight', () => {
  for (const value of ['1', '', -1n, -1, 1.5, 2n ** 64n, Number.NaN, null])
    it(`refuses the ${typeof value} ${value}, and later calls still work`, async () => {
      let isRefusing = true
      const { node, wallet } = await scene({
        intercept: ({ method }, next) =>
          isRefusing && method === 'avm.issueTx' ? new Response('no', { status: 403 }) : next(),
      })
      for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
      const store = memoryStore()
      const first = wallet({ store, wait: { timeoutMs: 500 } })
      await expect(first.transfer(payment, { key: 'a' })).rejects.toMatchObject({
        code: 'TX_PENDING',
      })
      isRefusing = false
      const mine = wallet({ store })
      const fromHeight = value as bigint
      const invalid = { code: 'ENC_INVALID' }
      await expect(mine.resume({ fromHeight })).rejects.toMatchObject(invalid)
      await expect(mine.unrecorded({ fromHeight })).rejects.toMatchObject(invalid)
      await mine.transfer(payment, { key: 'b' })
      expect(await mine.balances()).toHaveLength(1)
      expect(await mine.resume()).toMatchObject([{ keys: ['a'], status: 'accepted' }])
    })
})
