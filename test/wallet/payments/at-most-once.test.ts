import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { errorFor, resultFor } from '../requests.ts'
import { addressOf, balanceOf, direct, fee, people, produceBlocks, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

describe('equal payments', () => {
  it('of two wallets with separate stores are two transactions', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 30n * fee)
    const receipts = await Promise.all([
      wallet().transfer(payment, { key: 'w1' }),
      wallet().transfer(payment, { key: 'w2' }),
    ])
    expect(receipts[0]!.txID).not.toEqual(receipts[1]!.txID)
    expect(await balanceOf(node, you)).toBe(10n)
  })

  it('under the same key of two separate stores are two transactions', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 30n * fee)
    const pay = () => wallet({ store: memoryStore() }).transfer(payment, { key: 'w' })
    const [one, other] = await Promise.all([pay(), pay()])
    expect(one.txID).not.toEqual(other.txID)
    expect(await balanceOf(node, you)).toBe(10n)
  })

  it('arrive as often as they were reported as accepted, from many wallets at the same time', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 6; i++) node.fund(addressOf(me), 20n * fee)
    const paying = Array.from({ length: 12 }, () => wallet({ maxRebuilds: 30 }).transfer(payment))
    const results = await Promise.allSettled(paying)
    const accepted = results.flatMap((end) =>
      end.status === 'fulfilled' ? [hex.encode(end.value.txID)] : [],
    )
    expect(accepted.length).toBeGreaterThan(5)
    expect(new Set(accepted).size).toBe(accepted.length)
    expect(await balanceOf(node, you)).toBe(5n * BigInt(accepted.length))
  })

  it('have different bytes even with equal inputs and outputs', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const signed = await Promise.all(
      [wallet(), wallet()].map(async (mine) => mine.sign(await mine.prepare.transfer(payment))),
    )
    const [one, other] = signed
    if (!one?.complete || !other?.complete) throw new Error('incomplete')
    expect(one.signedTx.unsignedTx).toEqual(other.signedTx.unsignedTx)
    expect(one.txID).not.toEqual(other.txID)
  })
})

/** A node that takes transactions, says that it does not, hides the UTXOs they spend, and issues all of them later. */
async function withholding() {
  const withheld: Uint8Array[] = []
  const isHonest = { now: false }
  const at = await scene({
    intercept: async (call, next) => {
      if (isHonest.now) return next()
      if (call.tx !== undefined) {
        withheld.push(call.tx)
        return errorFor(call, 'failed to verify transfer: failed to get utxo 2x: not found')
      }
      if (call.method === 'avm.getUTXOs' && withheld.length > 0) {
        const { addresses } = call.params as { addresses: string[] }
        const endIndex = { address: addresses[0], utxo: hex.encode(new Uint8Array(32)) }
        return resultFor(call, { numFetched: '0', utxos: [], endIndex, encoding: 'hex' })
      }
      return next()
    },
  })
  const release = async () => {
    isHonest.now = true
    for (const tx of withheld)
      await direct(at.node)
        .avm.issueTx({ tx })
        .catch(() => {})
    produceBlocks(at.node)
  }
  return { ...at, withheld, release }
}

describe('a node that withholds transactions, hides UTXOs and issues everything later', () => {
  it('causes one payment for a key', async () => {
    const { node, wallet, withheld, release } = await withholding()
    for (let i = 0; i < 8; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    for (let run = 0; run < 4; run++)
      await expect(
        wallet({ store, wait: { timeoutMs: 30_000 } }).transfer(payment, { key: 'a' }),
      ).rejects.toMatchObject({ code: 'TX_PENDING', keys: ['a'] })
    expect(withheld.length).toBeGreaterThan(4)
    await release()
    expect(await balanceOf(node, you)).toBe(5n)
    await wallet({ store }).transfer(payment, { key: 'a' })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('causes no payment for a key that was canceled', async () => {
    const { node, wallet, release } = await withholding()
    for (let i = 0; i < 8; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 30_000 } })
    const pending = { code: 'TX_PENDING' }
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    await expect(mine.cancel('a')).rejects.toMatchObject(pending)
    await release()
    const { status } = await mine.cancel('a')
    expect(await balanceOf(node, you)).toBe(status === 'canceled' ? 0n : 5n)
  })
})

describe('servers at different heights behind one URL', () => {
  it('cause one payment if getUTXOs lags, getTx is ahead, and the first response is lost', async () => {
    let old = ''
    let issues = 0
    const { node, wallet, clock } = await scene({
      blocks: 'manual',
      intercept: async (call, next) => {
        if (call.tx !== undefined && ++issues === 1) {
          await next()
          throw new TypeError('fetch failed')
        }
        // The block takes longer than any pause of the wallet's first attempts.
        if (clock.slept() > 12_000) produceBlocks(node)
        const reply = await next()
        if (call.method !== 'avm.getUTXOs') return reply
        const text = await reply.text()
        old ||= text
        const { headers } = reply
        return new Response(old.replace(/"id":\d+/, `"id":${call.id}`), { headers })
      },
    })
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    await wallet({ store }).transfer(payment, { key: 'a' })
    await wallet({ store }).transfer(payment, { key: 'a' })
    await wallet({ store }).resume()
    produceBlocks(node)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('cause one payment if getUTXOs is ahead and no longer lists the inputs, and getTx lags', async () => {
    let isHidden = true
    const { node, wallet } = await scene({
      intercept: async (call, next) => {
        if (call.tx !== undefined) {
          await next()
          throw new TypeError('fetch failed')
        }
        const isLagging = call.method === 'avm.getTx' || call.method === 'avm.getBlockByHeight'
        if (isLagging && isHidden && issued) return errorFor(call, 'not found')
        return next()
      },
    })
    let issued = false
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const confirm = () => {
      issued = true
      return true
    }
    const pending = { code: 'TX_PENDING' }
    for (let run = 0; run < 3; run++)
      await expect(
        wallet({ store, wait: { timeoutMs: 20_000 } }).transfer(payment, { key: 'a', confirm }),
      ).rejects.toMatchObject(pending)
    isHidden = false
    await wallet({ store }).transfer(payment, { key: 'a' })
    expect(await balanceOf(node, you)).toBe(5n)
  })
})
