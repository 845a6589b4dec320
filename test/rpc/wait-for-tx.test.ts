import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../src/crypto/index.ts'
import { createNodeClient, type Fetch } from '../../src/rpc/index.ts'
import { memoryJournal } from '../../src/wallet/index.ts'
import { fakeClock } from '../rpc/fake-clock.ts'
import { bytes, scriptNode } from '../rpc/script-node.ts'
import { addressOf, balanceOf, fee, people, scene } from './setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

describe('a node of another network', () => {
  it('does not end a payment of the journal, which then would be made twice', async () => {
    const right = await scene({ blocks: 'manual' })
    const wrong = await scene({ networkID: 4242 })
    for (let i = 0; i < 2; i++) right.node.fund(addressOf(me), 3n * fee)
    const journal = memoryJournal()
    const first = right.wallet({ journal, wait: { timeoutMs: 1_000 } })
    await expect(first.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_OPEN' })
    // The next run is given the address of another network's node by mistake.
    expect(await wrong.wallet({ journal }).resume()).toMatchObject([{ status: 'open' }])
    right.node.produceBlock()
    const later = right.wallet({ journal })
    expect(await later.payments(['a'])).toMatchObject([{ due: false }])
    await later.resume()
    expect(await later.payments(['a'])).toMatchObject([{ status: 'accepted' }])
    expect(await balanceOf(right.node, you)).toBe(5n)
  })
})

describe('waitForTx', () => {
  const missing = { refuse: 'failed to verify transfer: failed to get utxo abc: not found' }

  it('does not believe a refusal while getTx cannot be asked', async () => {
    // Accepted long ago, so its inputs are gone; and look-ups fail for a while.
    const node = scriptNode([missing], (one, count) => count === 120 && one.accept(), [
      ...Array(8).fill('ok'),
      'bad gateway',
    ])
    const client = createNodeClient({
      url: 'http://a.test',
      fetch: node.fetch,
      clock: fakeClock(),
      retry: { retries: 1 },
    })
    await expect(client.waitForTx(bytes, { timeoutMs: 30_000 })).rejects.toMatchObject({
      code: 'TX_TIMEOUT',
    })
  })

  it('asks every server before one that remembers a refusal is believed', async () => {
    const node = scriptNode([missing])
    const client = createNodeClient({
      url: ['http://a.test', 'http://b.test', 'http://c.test'],
      fetch: node.fetch,
      clock: fakeClock(),
      retry: { retries: 1 },
    })
    await expect(client.waitForTx(bytes)).rejects.toMatchObject({ code: 'UTXO_NOT_FOUND' })
    const asked = node.calls.filter((call) => call.includes('issueTx'))
    expect(new Set(asked).size).toBe(3)
  })

  it('does not give up what another server has', async () => {
    const calls: string[] = []
    let seen = 0
    const script = scriptNode(['ok'])
    const fetch: Fetch = async (url, init) => {
      const { method, id } = JSON.parse(String(init.body))
      const { hostname } = new URL(url)
      calls.push(`${method} ${hostname}`)
      if (method === 'avm.issueTx' && hostname === 'b.test')
        return new Response(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            error: { code: -32000, message: 'tx has wrong network ID', data: null },
          }),
        )
      if (method === 'avm.issueTx') seen++
      // The first one is slow to build a block.
      if (seen === 4) script.accept()
      return script.fetch(url, init)
    }
    const client = createNodeClient({
      url: ['http://a.test', 'http://b.test'],
      fetch,
      clock: fakeClock(),
    })
    await expect(client.waitForTx(bytes)).resolves.toMatchObject({ status: 'accepted' })
  })

  it('does not wait longer because the clock is set back', async () => {
    const clock = fakeClock()
    let isBack = false
    const node = scriptNode(['ok'], (_, count) => {
      if (isBack || count < 5) return
      isBack = true
      clock.advance(-3_600_000)
    })
    const client = createNodeClient({ url: 'http://a.test', fetch: node.fetch, clock })
    await expect(client.waitForTx(bytes)).rejects.toMatchObject({ code: 'TX_TIMEOUT' })
    expect(clock.pauses.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(70_000)
  })
})
