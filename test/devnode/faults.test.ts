import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { cb58 } from '../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { txID } from '../../src/core/chain/x/ids.ts'
import { decodeUTXO } from '../../src/core/chain/x/utxo.ts'
import { nodeFetch } from '../../src/devnode/fetch.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { codeOf } from '../helpers/vectors.ts'
import { ask, call } from './client.ts'
import { others, outputTo, transfer, txParams, utxosOf } from './txs.ts'

const FEE = networks.local.txFee
const [alice, bob] = others as [(typeof others)[0], (typeof others)[0]]
let node: DevNode

beforeEach(async () => {
  node = await createDevNode({ now: 1_700_000_000 })
})
afterEach(async () => {
  vi.useRealTimers()
  await node.close()
})

const raw = (method: string, params: object = {}) =>
  node.fetch('http://node/ext/bc/X', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })

async function aTransfer(): Promise<Uint8Array> {
  node.fund(alice.address, 10n * FEE)
  return transfer(await utxosOf(node, alice), [outputTo(bob, FEE)])
}
const status = async (bytes: Uint8Array) =>
  (await ask<{ status: string }>(node, 'avm.getTxStatus', { txID: cb58.encode(txID(bytes)) }))
    .status

describe('injectFault', () => {
  it('affects only matching requests, as often as `times` says', async () => {
    node.injectFault({
      kind: 'rate-limit',
      on: 'avm.getHeight',
      after: 1,
      times: 2,
      retryAfterSeconds: 9,
    })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      statuses.push((await raw('avm.getHeight')).status)
      expect((await raw('avm.getTxFee')).status).toBe(200)
    }
    expect(statuses).toEqual([200, 429, 429, 200])
    const disarm = node.injectFault({ kind: 'rate-limit', retryAfterSeconds: 9 })
    expect((await raw('avm.getHeight')).headers.get('retry-after')).toBe('9')
    disarm()
    node.injectFault({ kind: 'rate-limit', on: '/v1/' })()
    expect((await node.fetch('http://node/v1/chains')).status).toBe(200)
  })

  it('affects a batch of the Ethereum API by any of its methods', async () => {
    const call = (method: string, id: number) => ({ jsonrpc: '2.0', id, method, params: [] })
    const body = JSON.stringify([call('eth_chainId', 1), call('eth_baseFee', 2)])
    const headers = { 'content-type': 'application/json' }
    const send = () => node.fetch('http://node/ext/bc/C/rpc', { method: 'POST', headers, body })
    node.injectFault({ kind: 'rate-limit', on: 'eth_baseFee' })
    expect([(await send()).status, (await send()).status]).toEqual([429, 200])
  })

  it('executes a request and answers 502', async () => {
    const bytes = await aTransfer()
    node.injectFault({ kind: 'bad-gateway', on: 'avm.issueTx' })
    const response = await raw('avm.issueTx', txParams(bytes))
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html'])
    expect(await status(bytes)).toBe('Accepted')
  })

  it('accepts a transaction whose answer is lost', async () => {
    const bytes = await aTransfer()
    node.injectFault({ kind: 'lost', on: 'avm.issueTx' })
    await expect(raw('avm.issueTx', txParams(bytes))).rejects.toThrow(TypeError)
    expect(await status(bytes)).toBe('Accepted')
  })

  it('accepts a transaction and answers with an empty body or an error', async () => {
    const bytes = await aTransfer()
    node.injectFault({ kind: 'empty', on: 'avm.issueTx' })
    expect(await (await raw('avm.issueTx', txParams(bytes))).text()).toBe('')
    expect(await status(bytes)).toBe('Accepted')
    node.injectFault({ kind: 'false-refusal' })
    expect(await call(node, 'avm.getHeight')).toEqual({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'not found', data: null },
      id: 1,
    })
  })

  it('truncates an answer', async () => {
    node.injectFault({ kind: 'cut' })
    const response = await raw('avm.getHeight')
    await expect(response.text()).rejects.toThrow(TypeError)
    const { url } = await node.listen()
    node.injectFault({ kind: 'cut' })
    const socket = await fetch(`${url}/ext/bc/X`, { method: 'POST', body: '' })
    await expect(socket.text()).rejects.toThrow(TypeError)
  })

  it('does not answer until the caller gives up', async () => {
    node.injectFault({ kind: 'silent' })
    const caller = new AbortController()
    const answer = node.fetch('http://node/ext/info', { signal: caller.signal })
    caller.abort()
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('delays an answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    node.injectFault({ kind: 'latency', ms: 30_000 })
    let answered = false
    const answer = raw('avm.getHeight').then((response) => {
      answered = true
      return response
    })
    await vi.advanceTimersByTimeAsync(29_999)
    expect(answered).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect((await answer).status).toBe(200)
  })

  it('drops a transaction from the mempool, which can be issued again', async () => {
    const bytes = await aTransfer()
    node.injectFault({ kind: 'vanished', on: 'avm.issueTx' })
    expect((await call(node, 'avm.issueTx', txParams(bytes))).error).toBeUndefined()
    expect(await status(bytes)).toBe('Unknown')
    await ask(node, 'avm.issueTx', txParams(bytes))
    expect(await status(bytes)).toBe('Accepted')
  })

  it('damages UTXOs', async () => {
    node.fund(alice.address, 5n)
    const first = async () =>
      (await ask<{ utxos: string[] }>(node, 'avm.getUTXOs', { addresses: [alice.text] })).utxos[0]!
    node.injectFault({ kind: 'bad-checksum' })
    const wrong = await first()
    expect(codeOf(() => checkedHex.decode(wrong))).toBe('ENC_BAD_CHECKSUM')
    node.injectFault({ kind: 'bad-utxo' })
    const bytes = checkedHex.decode(await first())
    expect(codeOf(() => decodeUTXO(bytes))).toBe('CODEC_SHORT_BUFFER')
  })

  it('repeats pages and restarts listings', async () => {
    for (let i = 1n; i <= 4n; i++) node.fund(alice.address, i)
    type Page = { utxos: string[]; endIndex: object }
    const page = (startIndex?: object) =>
      ask<Page>(node, 'avm.getUTXOs', { addresses: [alice.text], limit: 2, startIndex })
    const first = await page()
    node.injectFault({ kind: 'repeated-page' })
    expect(await page(first.endIndex)).toEqual(first)
    node.injectFault({ kind: 'restarted-walk' })
    expect(await page(first.endIndex)).toEqual(first)
    const second = await page(first.endIndex)
    expect(new Set([...first.utxos, ...second.utxos]).size).toBe(4)
  })
})

it('a request that was aborted before does not reach the node', async () => {
  let requests = 0
  const fetch = nodeFetch(() => {
    requests++
    throw new Error('reached')
  }, new AbortController().signal)
  const sent = fetch('http://node.test', { signal: AbortSignal.abort() })
  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
  expect(requests).toBe(0)
})
