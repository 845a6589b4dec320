import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { FaultKind } from '../../../src/devnode/index.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { errorFor } from '../requests.ts'
import { addressOf, balanceOf, fee, people, produceBlocks, scene, utxosOf } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

const inputsOf = (tx: Uint8Array) => decodeTx(tx).unsignedTx.inputs.map(utxoKey)

/** Whether each transaction spends an input of every other one. */
function conflict(txs: readonly Uint8Array[]): boolean {
  const inputs = txs.map(inputsOf)
  return inputs.every((some) => inputs.every((others) => some.some((id) => others.includes(id))))
}

describe('a payment', () => {
  const kinds: readonly FaultKind[] = [
    'bad-gateway',
    'lost',
    'cut',
    'empty',
    'rate-limit',
    'false-refusal',
    'vanished',
    'bad-checksum',
  ]
  for (const kind of kinds)
    it(`is made exactly once if issueTx meets the fault ${kind}`, async () => {
      const { node, wallet } = await scene()
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      node.injectFault({ kind, on: 'avm.issueTx', times: 2 })
      await wallet().transfer(payment)
      expect(await balanceOf(node, you)).toBe(5n)
      expect(await balanceOf(node, me)).toBe(8n * fee - 5n)
    })

  for (const kind of ['bad-gateway', 'lost', 'empty', 'cut'] as const)
    it(`is made exactly once if the requests after a lost response meet the fault ${kind}`, async () => {
      const { node, wallet } = await scene()
      for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
      const mine = wallet()
      await mine.balances()
      node.injectFault({ kind, on: 'avm.getTx', times: 3 })
      node.injectFault({ kind, on: 'avm.getBlockByHeight', times: 30 })
      node.injectFault({ kind: 'lost', on: 'avm.issueTx' })
      await mine.transfer(payment)
      expect(await balanceOf(node, you)).toBe(5n)
    })

  it('is issued again after a restart of the node', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 20_000 } })
    await expect(mine.transfer(payment)).rejects.toMatchObject({ code: 'TX_PENDING' })
    node.restart()
    await expect(mine.resume()).resolves.toMatchObject([{ status: 'pending' }])
    node.produceBlock()
    await expect(mine.resume()).resolves.toMatchObject([{ status: 'accepted' }])
    await expect(mine.resume()).resolves.toEqual([])
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is issued again with growing pauses', async () => {
    const times: number[] = []
    const { node, wallet, clock } = await scene({
      blocks: 'manual',
      intercept: ({ method }, next) => {
        if (method === 'avm.issueTx') times.push(clock.slept())
        return next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 200_000, resendMs: 5_000 } })
    await expect(mine.transfer(payment)).rejects.toMatchObject({ code: 'TX_PENDING' })
    const pauses = times.slice(1).map((time, i) => Math.round((time - times[i]!) / 1000))
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
    expect(clock.slept()).toBeLessThanOrEqual(200_500)
  })

  it('has its UTXOs reserved while it is pending', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 1_000 } })
    await expect(mine.transfer(payment)).rejects.toMatchObject({ code: 'TX_PENDING' })
    expect(await mine.balances()).toMatchObject([{ spendable: 0n, reserved: 3n * fee }])
    await expect(mine.transfer(payment)).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
    })
  })

  const rejections = [
    'failed to verify transfer: failed to get utxo 2x: not found',
    'failed to verify transfer: output is time locked',
    'failed to verify transfer: invalid signature',
    'insufficient funds',
    'tx conflicts with other tx',
  ]
  for (const message of rejections)
    it(`spends the same inputs in every attempt if the node answers "${message}"`, async () => {
      const issued: Uint8Array[] = []
      const { node, wallet } = await scene({
        intercept: (call, next) => {
          if (call.tx === undefined) return next()
          issued.push(call.tx)
          node.fund(addressOf(me), BigInt(3 + issued.length) * fee)
          return errorFor(call, message)
        },
      })
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      await expect(wallet().transfer(payment)).rejects.toMatchObject({ code: 'TX_PENDING' })
      expect(issued.length).toBeGreaterThan(2)
      expect(conflict(issued)).toBe(true)
    })

  it('stays pending, with the node’s answer as the cause, if only a lagging node can be reached', async () => {
    const behind = await scene()
    let isBehind = false
    const issued: Uint8Array[] = []
    const { node, wallet } = await scene({
      through: (fetch) => (url, init) =>
        isBehind ? behind.node.fetch(url, init) : fetch(url, init),
      intercept: (call, next) => {
        if (call.tx !== undefined) issued.push(call.tx)
        return next()
      },
    })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const confirm = () => {
      isBehind = true
      return true
    }
    const mine = wallet({ wait: { timeoutMs: 5_000 } })
    await expect(mine.transfer(payment, { confirm, key: 'a' })).rejects.toMatchObject({
      code: 'TX_PENDING',
      keys: ['a'],
      cause: { name: 'RpcError', method: 'avm.issueTx' },
    })
    isBehind = false
    await mine.transfer(payment, { key: 'a' })
    expect(conflict(issued)).toBe(true)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('does not spend again what a lagging node still lists', async () => {
    let first: string | undefined
    const issued: Uint8Array[] = []
    const { node, wallet } = await scene({
      intercept: async (call, next) => {
        if (call.tx !== undefined) issued.push(call.tx)
        const reply = await next()
        if (call.method !== 'avm.getUTXOs') return reply
        first ??= await reply.text()
        const { headers } = reply
        return new Response(first.replace(/"id":\d+/, `"id":${call.id}`), { headers })
      },
    })
    node.fund(addressOf(me), 3n * fee)
    node.fund(addressOf(me), 2n * fee)
    const mine = wallet()
    await mine.transfer(payment)
    await mine.transfer(payment)
    expect(issued).toHaveLength(2)
    expect(await balanceOf(node, you)).toBe(10n)
  })

  it('is made with other UTXOs if another holder of the keys was faster', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const rival = wallet()
    let shown = 0
    const confirm = async () => {
      if (shown++ > 0) return true
      await rival.transfer({ to: addressOf(third), amount: 7n })
      return true
    }
    await wallet().transfer(payment, { confirm })
    expect(shown).toBe(2)
    expect(await balanceOf(node, you)).toBe(5n)
    expect(await balanceOf(node, third)).toBe(7n)
  })

  it('waits until a rival in the mempool is accepted', async () => {
    let polls = 0
    const { node, wallet, client } = await scene({
      blocks: 'manual',
      intercept: async ({ method }, next) => {
        if (method === 'avm.getBlockByHeight' && ++polls % 6 === 0) produceBlocks(node)
        return next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const signed = await wallet().sign(
      await wallet().prepare.transfer({ to: addressOf(third), amount: 7n }),
    )
    if (!signed.complete) throw new Error('incomplete')
    await client.issueTx(signed.bytes)
    await wallet().transfer(payment)
    expect(await balanceOf(node, you)).toBe(5n)
    expect(await balanceOf(node, third)).toBe(7n)
  })

  it('stays pending if its caller aborts while it waits for the outcome', async () => {
    const controller = new AbortController()
    const { node, wallet } = await scene({
      blocks: 'manual',
      intercept: async ({ method }, next) => {
        const reply = await next()
        if (method === 'avm.issueTx') controller.abort()
        return reply
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    const { signal } = controller
    await expect(mine.transfer(payment, { signal })).rejects.toMatchObject({
      code: 'TX_PENDING',
      cause: { code: 'ABORTED' },
    })
    node.produceBlock()
    expect(await mine.resume()).toMatchObject([{ status: 'accepted' }])
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('does not begin if its caller has aborted', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const signal = AbortSignal.abort()
    await expect(wallet().transfer(payment, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await balanceOf(node, me)).toBe(3n * fee)
  })

  it('without a key can be resumed, and canceled by the key that the error names', async () => {
    let makesBlocks = false
    const { node, wallet } = await scene({
      blocks: 'manual',
      intercept: ({ method }, next) => {
        if (makesBlocks && method === 'avm.getBlockByHeight') produceBlocks(node)
        return next()
      },
    })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 500 } })
    const first = await early.transfer(payment).catch((error) => error)
    const second = await early.transfer(payment).catch((error) => error)
    expect([first.code, second.code]).toEqual(['TX_PENDING', 'TX_PENDING'])
    node.restart()
    makesBlocks = true
    // The signed bytes are in the store, though nobody gave the payments a name.
    const later = wallet({ store })
    expect(await later.cancel(first.keys[0])).toMatchObject({ status: 'canceled' })
    expect(await later.resume()).toMatchObject([{ status: 'accepted', txID: second.txID }])
    expect(await balanceOf(node, you)).toBe(5n)
  })
})

/** A store that records claims and reports that it could not, until it is repaired. */
function lyingStore(): Store & { readonly repair: () => void } {
  const store = memoryStore()
  let isBroken = true
  return {
    ...store,
    claim: async (claim) => {
      await store.claim(claim)
      if (isBroken) throw new Error('disk full')
    },
    repair: () => {
      isBroken = false
    },
  }
}

describe('the store', () => {
  it('has the claim before the transaction is issued, and the outcome after', async () => {
    const order: string[] = []
    const { node, wallet } = await scene({
      intercept: ({ method }, next) => {
        if (method === 'avm.issueTx') order.push('issue')
        return next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const inner = memoryStore()
    const store: Store = {
      ...inner,
      claim: async (claim) => {
        await inner.claim(claim)
        order.push('claim')
      },
      assertOwned: async () => {
        order.push('assertOwned')
      },
      recordAcceptance: async (acceptance) => {
        order.push('recordAcceptance')
        await inner.recordAcceptance(acceptance)
      },
    }
    await wallet({ store }).transfer(payment)
    expect(order).toEqual(['claim', 'assertOwned', 'issue', 'recordAcceptance'])
  })

  it('that cannot claim prevents the transaction from being issued', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const before = hex.encode(node.stateDigest())
    const store: Store = {
      ...memoryStore(),
      claim: async () => {
        throw new Error('disk full')
      },
    }
    const mine = wallet({ store })
    await expect(mine.transfer(payment)).rejects.toThrow('disk full')
    expect(hex.encode(node.stateDigest())).toBe(before)
    expect(await mine.resume()).toEqual([])
    expect(await mine.balances()).toMatchObject([{ spendable: 3n * fee, reserved: 0n }])
  })

  it('that lost its lock prevents the transaction from being issued', async () => {
    const issued: Uint8Array[] = []
    const { node, wallet } = await scene({
      intercept: (call, next) => {
        if (call.tx !== undefined) issued.push(call.tx)
        return next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const store: Store = {
      ...memoryStore(),
      assertOwned: async () => {
        throw new Error('lost')
      },
    }
    await expect(wallet({ store }).transfer(payment)).rejects.toThrow('lost')
    expect(issued).toEqual([])
  })

  for (const next of ['resume', 'transfer'] as const)
    it(`that recorded a claim although it reported an error makes ${next} pay once`, async () => {
      const { node, wallet } = await scene()
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      const store = lyingStore()
      const mine = wallet({ store })
      await expect(mine.transfer(payment, { key: 'a' })).rejects.toThrow('disk full')
      store.repair()
      if (next === 'resume')
        expect(await mine.resume()).toMatchObject([{ status: 'accepted', keys: ['a'] }])
      await mine.transfer(payment, { key: 'a' })
      await wallet({ store }).resume()
      expect(await balanceOf(node, you)).toBe(5n)
    })

  it('that cannot record the outcome does not keep the caller from learning it', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const inner = memoryStore()
    const store: Store = {
      ...inner,
      recordAcceptance: async () => {
        throw new Error('disk full')
      },
    }
    const { txID } = await wallet({ store }).transfer(payment, { key: 'a' })
    const again = await wallet({ store: inner }).transfer(payment, { key: 'a' })
    expect(again.txID).toEqual(txID)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('refuses inputs that another wallet has claimed meanwhile; other UTXOs are spent', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const [one, other] = [1, 2].map(() => wallet({ store, wait: { timeoutMs: 500 } }))
    await other!.balances()
    const pending = { code: 'TX_PENDING' }
    await expect(one!.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    await expect(other!.transfer(payment, { key: 'b' })).rejects.toMatchObject(pending)
    const inputs: string[] = []
    for await (const attempt of store.attempts()) inputs.push(...attempt.inputs.map(utxoKey))
    expect(inputs).toHaveLength(2)
    expect(new Set(inputs).size).toBe(2)
  })

  it('reserves the inputs of its pending attempts before anything new is drafted', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(early.transfer(payment)).rejects.toMatchObject({ code: 'TX_PENDING' })
    const later = wallet({ store })
    await expect(later.transfer(payment)).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
      assets: [{ reserved: 3n * fee }],
    })
    expect(await utxosOf(node, you)).toEqual([])
  })
})
