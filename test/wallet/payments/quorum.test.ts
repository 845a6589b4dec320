import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { encodeBlock } from '../../../src/core/chain/x/block.ts'
import { txID as idOf } from '../../../src/core/chain/x/ids.ts'
import { decodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { resultFor } from '../requests.ts'
import { addressOf, balanceOf, direct, fee, people, produceBlocks, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }
const url = ['http://a.test', 'http://b.test', 'http://c.test']

/** Three servers; the first `liars` of them report each transaction as accepted as soon as they get it. */
async function withLiars(liars: number) {
  const lying = url.slice(0, liars).map((text) => new URL(text).hostname)
  const taken = new Map<string, { readonly text: string; readonly tx: SignedTx }>()
  let block: { readonly height: string; readonly text: string } | undefined
  let isHonest = false
  const at = await scene({
    url,
    blocks: 'manual',
    intercept: async (call, next) => {
      if (isHonest || !lying.includes(call.host)) return next()
      const client = direct(at.node)
      if (call.tx !== undefined) {
        const tx = decodeTx(call.tx)
        taken.set(call.txID!, { text: checkedHex.encode(call.tx), tx })
        const height = await client.avm.getHeight({})
        const last = await client.avm.getBlockByHeight({ height })
        const parentID = idOf(encodeBlock(last))
        const forged = encodeBlock({ ...last, parentID, height: height + 1n, txs: [tx] })
        block = { height: String(height + 1n), text: checkedHex.encode(forged) }
        return resultFor(call, { txID: call.txID })
      }
      const tx = taken.get(call.txID ?? '')
      if (tx !== undefined) return resultFor(call, { tx: tx.text, encoding: 'hex' })
      if (call.method === 'avm.getBlockByHeight' && call.params.height === block?.height)
        return resultFor(call, { block: block!.text, encoding: 'hex' })
      return next()
    },
  })
  const tellTruth = () => {
    isHonest = true
  }
  return { ...at, tellTruth }
}

describe('a quorum of 2 of 3 servers', () => {
  it('does not believe one server that reports an acceptance', async () => {
    const at = await withLiars(1)
    for (let i = 0; i < 3; i++) at.node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = at.wallet({ store, quorum: 2, wait: { timeoutMs: 30_000 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'pending' }])
    expect(await balanceOf(at.node, you)).toBe(0n)
    at.tellTruth()
    produceBlocks(at.node)
    const { txID } = await mine.transfer(payment, { key: 'a' })
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
    expect(await balanceOf(at.node, you)).toBe(5n)
    await direct(at.node).avm.getTx({ txID: formatID(txID) })
  })

  it('needs no third server', async () => {
    const asked = new Set<string>()
    const at = await scene({
      url,
      intercept: ({ host, method }, next) => {
        if (host === 'c.test') throw new TypeError('fetch failed')
        asked.add(`${host} ${method}`)
        return next()
      },
    })
    at.node.fund(addressOf(me), 3n * fee)
    await at.wallet({ quorum: 2 }).transfer(payment)
    expect(await balanceOf(at.node, you)).toBe(5n)
    expect(asked).toContain('a.test avm.getBlockByHeight')
    expect(asked).toContain('b.test avm.getBlockByHeight')
  })

  it('signs nothing while only one server can be reached', async () => {
    let isAlone = true
    const at = await scene({
      url,
      intercept: ({ host }, next) => {
        if (isAlone && host !== 'a.test') throw new TypeError('fetch failed')
        return next()
      },
    })
    at.node.fund(addressOf(me), 3n * fee)
    const mine = at.wallet({ quorum: 2, wait: { timeoutMs: 10_000 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'NO_QUORUM' })
    isAlone = false
    expect(await mine.payments()).toEqual([])
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('leaves the payment pending while only one server can be reached', async () => {
    let isAlone = false
    const at = await scene({
      url,
      intercept: ({ host, method }, next) => {
        if (method === 'avm.issueTx') isAlone = true
        if (isAlone && host !== 'a.test') throw new TypeError('fetch failed')
        return next()
      },
    })
    at.node.fund(addressOf(me), 3n * fee)
    const mine = at.wallet({ quorum: 2, wait: { timeoutMs: 10_000 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    isAlone = false
    expect(await mine.resume()).toMatchObject([{ status: 'accepted' }])
    expect(await balanceOf(at.node, you)).toBe(5n)
  })
})

describe('a quorum of 1', () => {
  it('believes one server, as its option says', async () => {
    const at = await withLiars(1)
    at.node.fund(addressOf(me), 3n * fee)
    await at.wallet({ quorum: 1 }).transfer(payment)
    expect(await balanceOf(at.node, you)).toBe(0n)
  })
})

describe('createWallet', () => {
  for (const quorum of [4, Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 1.5, '2', '2x', true, {}])
    it(`refuses the ${typeof quorum} ${quorum} as quorum`, async () => {
      const { wallet } = await scene({ url })
      expect(() => wallet({ quorum: quorum as number })).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID' }),
      )
    })

  for (const maxRebuilds of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, '3'])
    it(`refuses the ${typeof maxRebuilds} ${maxRebuilds} as maxRebuilds`, async () => {
      const { wallet } = await scene()
      expect(() => wallet({ maxRebuilds: maxRebuilds as number })).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID' }),
      )
    })

  for (const clockSkewSeconds of [Number.NaN, Number.NEGATIVE_INFINITY, -1, 2.5, 'x'])
    it(`refuses the ${typeof clockSkewSeconds} ${clockSkewSeconds} as clockSkewSeconds`, async () => {
      const { wallet } = await scene()
      expect(() => wallet({ clockSkewSeconds: clockSkewSeconds as number })).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID' }),
      )
    })

  it('refuses null', async () => {
    const at = await withLiars(1)
    for (const name of ['quorum', 'maxRebuilds'])
      expect(() => at.wallet({ [name]: null })).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID', path: name }),
      )
  })
})
