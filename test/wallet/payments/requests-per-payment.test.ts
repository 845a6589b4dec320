import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import {
  addressOf,
  balanceOf,
  fee,
  people,
  produceBlocks,
  type Scene,
  scatter,
  scene,
} from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** A node that makes a block every second, and counts requests by method. */
async function pacedScene(): Promise<Scene & { readonly counts: Map<string, number> }> {
  const counts = new Map<string, number>()
  let last = 0
  const at = await scene({
    blocks: 'manual',
    intercept: ({ method }, next) => {
      counts.set(method, (counts.get(method) ?? 0) + 1)
      if (at.clock.slept() - last >= 1_000) {
        last = at.clock.slept()
        produceBlocks(at.node)
      }
      return next()
    },
  })
  return { ...at, counts }
}

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0)

describe('the requests of a wallet', () => {
  it('are at most 1.5 per payment if many are made at the same time', async () => {
    const { node, wallet, counts } = await pacedScene()
    for (let i = 0; i < 60; i++) node.fund(addressOf(me), 20n * fee)
    const mine = wallet()
    await mine.balances()
    counts.clear()
    const payments = 240
    let next = 0
    const lane = async () => {
      while (next < payments) await mine.transfer(payment, { key: `p${next++}` })
    }
    await Promise.all(Array.from({ length: 60 }, lane))
    expect(await balanceOf(node, you)).toBe(5n * BigInt(payments))
    expect(counts.get('avm.issueTx')).toBe(payments)
    // Blocks tell the outcomes, and which UTXOs there are.
    expect(counts.get('avm.getTx') ?? 0).toBe(0)
    expect(counts.get('avm.getUTXOs') ?? 0).toBe(0)
    expect(sum(counts) / payments).toBeLessThanOrEqual(1.5)
  })

  it('do not grow with the number of UTXOs', async () => {
    const count = async (utxos: number) => {
      const counts = new Map<string, number>()
      const at = await scene({
        intercept: ({ method }, next) => {
          counts.set(method, (counts.get(method) ?? 0) + 1)
          return next()
        },
      })
      await scatter(at, me, Array(utxos).fill(2n * fee))
      const mine = at.wallet()
      await mine.balances()
      counts.clear()
      for (let i = 0; i < 3; i++) await mine.transfer(payment)
      return sum(counts)
    }
    expect(await count(2_000)).toBe(await count(10))
  })

  it('see the block of each of several payments made one after the other at the first poll', async () => {
    const { node, wallet, clock } = await scene()
    node.fund(addressOf(me), 30n * fee)
    const mine = wallet()
    const before = clock.slept()
    for (let i = 0; i < 20; i++) await mine.transfer(payment)
    expect(clock.slept() - before).toBeLessThanOrEqual(20 * 100)
  })

  it('of waiting payments are those of one follower', async () => {
    const { node, wallet, counts } = await pacedScene()
    for (let i = 0; i < 30; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    await mine.balances()
    counts.clear()
    await Promise.all(Array.from({ length: 30 }, () => mine.transfer(payment)))
    // A block is expected for a second, which no payment asks for by itself.
    expect(counts.get('avm.getBlockByHeight')).toBeLessThan(30)
  })
})
