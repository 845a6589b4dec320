import { describe, expect, it } from 'vitest'
import { createNodeClient, type Fetch } from '../../../src/node/index.ts'
import { fakeClock } from '../fake-clock.ts'
import { bytes, scriptNode } from '../script-node.ts'

describe('waitForTx', () => {
  const missing = { refuse: 'failed to verify transfer: failed to get utxo abc: not found' }

  it('does not believe a rejection while getTx fails', async () => {
    // Accepted long ago, so its inputs are spent; and getTx fails for a while.
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

  it('refuses pauses below 1 ms, which would send requests without end', async () => {
    const node = scriptNode(['ok'])
    const client = createNodeClient({ url: 'http://a.test', fetch: node.fetch, clock: fakeClock() })
    for (const pauses of [{ pollMs: 0 }, { pollMs: -5 }, { resendMs: 0 }, { resendMs: Number.NaN }])
      await expect(client.waitForTx(bytes, pauses)).rejects.toMatchObject({ code: 'ENC_INVALID' })
    expect(node.calls).toEqual([])
  })

  it('asks every server before it believes a remembered rejection', async () => {
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

  it('does not give up a transaction that another server has', async () => {
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
      // The first server takes a while to build a block.
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
