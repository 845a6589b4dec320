import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import {
  addressOf,
  balanceOf,
  fee,
  people,
  produceBlocks,
  scatter,
  scene,
  utxosOf,
} from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const to = addressOf(you)

describe('a sweep', () => {
  it('reports what it did if planning again fails', async () => {
    let walks = 0
    let isDown = false
    const at = await scene({
      through: (fetch) => async (url, init) => {
        const isWalk = String(init.body).includes('"avm.getUTXOs"')
        if (isWalk && isDown) return new Response('no', { status: 403 })
        if (isWalk) walks++
        return fetch(url, init)
      },
    })
    await scatter(at, me, Array(850).fill(50_000n))
    const onProgress = ({ accepted }: { readonly accepted: number }) => {
      isDown = accepted === 3
    }
    const failure = await at
      .wallet()
      .consolidate({}, { onProgress })
      .catch((error) => error)
    expect(walks).toBeGreaterThan(0)
    expect(failure).toMatchObject({ code: 'BATCH_UNFINISHED', cause: { code: 'HTTP_STATUS' } })
    expect(failure.result.txIDs).toHaveLength(3)
  })

  it('reports what it did if a later transaction is not confirmed', async () => {
    const at = await scene()
    await scatter(at, me, Array(850).fill(50_000n))
    let asked = 0
    const failure = await at
      .wallet()
      .sweep({ to }, { inFlight: 1, confirm: () => ++asked < 3 })
      .catch((error) => error)
    expect(await utxosOf(at.node, you)).toHaveLength(2)
    expect(failure).toMatchObject({ code: 'BATCH_UNFINISHED', cause: { code: 'NOT_CONFIRMED' } })
    expect(failure.result.txIDs).toHaveLength(2)
  })

  it('does not end as complete while others spend its UTXOs all the time', async () => {
    const at = await scene()
    await scatter(at, me, Array(60).fill(1_500_000n))
    const rival = at.wallet()
    const result = await at
      .wallet()
      .sweep(
        { to },
        {
          confirm: async () => {
            await rival
              .transfer({
                outputs: [{ to: addressOf(third), amount: 1n }],
                choose: { strategy: 'smallest' },
              })
              .catch(() => {})
            return true
          },
        },
      )
      .catch((error) => error)
    const left = await utxosOf(at.node, me)
    expect(left.length).toBeGreaterThan(0)
    expect(result).toMatchObject({ code: 'BATCH_UNFINISHED' })
  })
})

describe('a payment that can never be made', () => {
  it('does not wait for concurrent payments for ever', async () => {
    const at = await scene()
    await scatter(at, me, Array(12).fill(30n * fee))
    const mine = at.wallet()
    let made = 0
    let over = false
    const confirm = async () => {
      for (let i = 0; i < 20; i++) await setImmediate()
      return true
    }
    const stream = async () => {
      while (!over && made < 60) {
        await mine.transfer({ to, amount: 1n }, { confirm })
        made++
      }
    }
    const streams = [stream(), stream(), stream()]
    const failure = await mine
      .transfer({ to, amount: 10n ** 15n })
      .catch((error) => error)
      .finally(() => {
        over = true
      })
    const after = made
    await Promise.all(streams)
    expect(failure).toMatchObject({ code: 'BUILDER_INSUFFICIENT_FUNDS' })
    expect(after).toBeLessThan(20)
  })
})

describe('a batch whose transactions stay pending', () => {
  it('is resumed by the next one of any kind: import', async () => {
    const at = await scene({ blocks: 'manual' })
    at.node.exportFrom('C', { address: me.addresses[0]!, amount: 5n * fee })
    const store = memoryStore()
    const early = at.wallet({ store, wait: { timeoutMs: 500 } })
    const failure = await early.import({ sourceChain: 'C' }).catch((error) => error)
    expect(failure).toMatchObject({ code: 'BATCH_UNFINISHED', cause: { code: 'TX_PENDING' } })
    expect(failure.pending).toHaveLength(1)
    // Nothing is left to import while the first attempt is pending.
    const again = await early.import({ sourceChain: 'C' }).catch((error) => error)
    expect(again).toMatchObject({ code: 'BATCH_UNFINISHED', result: { txIDs: [] } })
    at.node.produceBlock()
    const result = await at.wallet({ store }).import({ sourceChain: 'C' })
    expect(result.resumed).toMatchObject([{ status: 'accepted', txID: failure.pending[0] }])
    expect(result.txIDs).toEqual([])
    expect(await balanceOf(at.node, me)).toBe(4n * fee)
  })

  it('is resumed by the next one of any kind: consolidation', async () => {
    let makesBlocks = true
    const at = await scene({
      blocks: 'manual',
      intercept: (_, next) => {
        if (makesBlocks) produceBlocks(at.node)
        return next()
      },
    })
    for (let i = 0; i < 30; i++) at.node.fund(addressOf(me), fee)
    const store = memoryStore()
    makesBlocks = false
    const call = { maxSize: 2_000 }
    const early = at.wallet({ store, wait: { timeoutMs: 500 } })
    const failure = await early.consolidate(call).catch((error) => error)
    expect(failure).toMatchObject({ code: 'BATCH_UNFINISHED' })
    expect(failure.pending.length).toBeGreaterThan(1)
    at.node.restart()
    makesBlocks = true
    const result = await at.wallet({ store }).consolidate(call)
    expect(result.resumed).toHaveLength(failure.pending.length)
    expect(await utxosOf(at.node, me)).toHaveLength(1)
  })

  it('leaves no UTXO reserved once a rival has rejected them', async () => {
    const at = await scene({ blocks: 'manual' })
    for (let i = 0; i < 3; i++) at.node.fund(addressOf(me), 3n * fee)
    const rival = await at
      .wallet()
      .sign(await at.wallet().prepare.sendAll({ to: addressOf(third) }))
    if (!rival.complete) throw new Error('incomplete')
    const mine = at.wallet({ wait: { timeoutMs: 500 } })
    await expect(mine.sweep({ to })).rejects.toMatchObject({ code: 'BATCH_UNFINISHED' })
    at.node.restart()
    await at.client.avm.issueTx({ tx: rival.bytes })
    at.node.produceBlock()
    at.node.fund(addressOf(me), 4n * fee)
    const result = mine.sweep({ to }, { wait: { timeoutMs: 60_000 } })
    for (let i = 0; i < 100_000 && (await balanceOf(at.node, you)) === 0n; i++) {
      produceBlocks(at.node)
      await setImmediate()
    }
    expect(await result).toMatchObject({
      resumed: [{ status: 'rejected', txID: rival.txID }],
      moved: [{ amount: 3n * fee }],
    })
    expect(await mine.balances()).toEqual([])
  })
})
