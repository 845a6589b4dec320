import { describe, expect, it } from 'vitest'
import { decodeTx } from '../../src/chain/index.ts'
import { checkedHex } from '../../src/encoding/checked-hex.ts'
import { AvmError } from '../../src/errors.ts'
import {
  createDataClient,
  createMetricsClient,
  createNodeClient,
  type NodeClient,
  type NodeClientOptions,
  provider,
} from '../../src/rpc/index.ts'
import { fakeClock } from './fake-clock.ts'
import { bytes as txBytes, txID } from './script-node.ts'

type Answer = { readonly body?: string; readonly status?: number; readonly headers?: HeadersInit }

/** Requests that were made, and a `fetch` that answers them. */
function answering(answer: (body: { id: number; method: string }, n: number) => Answer) {
  const sent: { readonly url: URL; readonly headers: Headers }[] = []
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url: new URL(url), headers: new Headers(init.headers) })
    const request = typeof init.body === 'string' ? JSON.parse(init.body) : {}
    const { body = '', status = 200, headers } = answer(request, sent.length)
    const type = { 'content-type': 'application/json' }
    return new Response(body, { status, headers: headers ?? type })
  }
  return { sent, fetch }
}

function client(
  answer: (body: { id: number; method: string }, n: number) => Answer,
  options: Partial<NodeClientOptions> = {},
): NodeClient {
  const { fetch } = answering(answer)
  return createNodeClient({ url: 'http://node.test', fetch, clock: fakeClock(), ...options })
}

const result = (id: number, json: string) => ({
  body: `{"jsonrpc":"2.0","result":${json},"id":${id}}`,
})
const refusal = (id: number, message: string, status = 200) => ({
  status,
  body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id }),
})

describe('a path of the caller’s', () => {
  it('cannot take the key to another host', async () => {
    const { sent, fetch } = answering(() => ({ body: '{"a":[]}' }))
    const options = { ...provider.data, apiKey: 'secret-key', fetch }
    for (const path of ['v1/chains', '.evil.example/v1', '@evil.example/v1', ''])
      await expect(createDataClient(options).list(path).next()).rejects.toMatchObject({
        code: 'ENC_INVALID',
      })
    const paths = { chains: 'v1/chains' }
    const data = createDataClient({ ...options, paths })
    await expect(data.chains()).rejects.toMatchObject({ code: 'ENC_INVALID' })
    expect(sent).toEqual([])
  })

  it('keeps the query it has', async () => {
    const { sent, fetch } = answering(() => ({ body: '{"a":[]}' }))
    const data = createDataClient({ url: 'http://data.test', fetch })
    await data.list('/v1/foo?bar=1', { pageSize: 5 }).next()
    expect(sent[0]!.url.search).toBe('?bar=1&pageSize=5')
  })
})

describe('what a node says', () => {
  it('is understood in a time that does not grow with its square', async () => {
    const words = 'method '.repeat(200_000)
    await expect(client(({ id }) => refusal(id, words)).avm.getHeight()).rejects.toMatchObject({
      code: 'RPC_ERROR',
      nodeMessage: words,
    })
    const missing = `${'x'.repeat(5_000)}: not found`
    await expect(client(({ id }) => refusal(id, missing)).avm.getHeight()).rejects.toMatchObject({
      code: 'RPC_NOT_FOUND',
    })
  })

  it('is understood before secrets are taken out of it', async () => {
    const node = client(
      ({ id, method }) =>
        refusal(id, method === 'avm.issueTx' ? 'tx has insufficient funds' : 'not found'),
      { headers: { 'x-team': 'funds', 'x-unit': 'found' } },
    )
    const error = await node.issueTx(txBytes).catch((e) => e)
    expect(error).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      class: 'rebuild',
      nodeMessage: 'tx has insufficient [redacted]',
    })
    expect(JSON.stringify(error)).not.toContain('funds"')
  })

  it('counts whatever the status it comes with', async () => {
    for (const status of [400, 403, 404, 500, 502]) {
      const node = client(({ id }) => refusal(id, 'couldn’t get tx: not found', status))
      await expect(node.avm.getHeight()).rejects.toMatchObject({ code: 'RPC_NOT_FOUND' })
    }
    // What a gateway in trouble says in the same form may be over the next time.
    const node = client(({ id }, n) =>
      n < 3 ? refusal(id, 'upstream', 502) : result(id, '{"height":"5"}'),
    )
    expect(await node.avm.getHeight()).toBe(5n)
    const limited = client(({ id }) => refusal(id, 'not found', 429))
    await expect(limited.avm.getHeight()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED' })
  })

  it('ends in a typed error however deep it is', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    const bodies: Answer[] = [
      { body: `{"jsonrpc":"2.0","result":{},"id":${deep}}` },
      { body: `{"message":${deep}}`, status: 404 },
      { body: `{"error":${deep}}`, status: 502 },
      { body: `{"jsonrpc":"2.0","error":${deep},"id":1}` },
      { body: `{"jsonrpc":"2.0","error":{"message":${deep}},"id":1}` },
    ]
    for (const body of bodies) {
      const error = await client(() => body, { retry: { retries: 0 } })
        .info.getNetworkID()
        .catch((e) => e)
      expect(error).toBeInstanceOf(AvmError)
      expect(error.method).toBe('info.getNetworkID')
      const issued = await client(() => body, { retry: { retries: 0 } })
        .issueTx(txBytes)
        .catch((e) => e)
      expect(issued).toMatchObject({ name: 'IssueError', txID: expect.any(Uint8Array) })
    }
  })
})

describe('headers', () => {
  it('are one, in whichever case they are given', async () => {
    const { sent, fetch } = answering(({ id }) => result(id, '{"height":"5"}'))
    const node = createNodeClient({
      url: 'http://node.test',
      fetch,
      headers: { 'Content-Type': 'application/json', 'X-Team': 'blue' },
    })
    expect(await node.avm.getHeight()).toBe(5n)
    expect(sent[0]!.headers.get('content-type')).toBe('application/json')
    expect(sent[0]!.headers.get('x-team')).toBe('blue')
  })

  it('stop a client for an hour at most', async () => {
    const clock = fakeClock()
    const odd: HeadersInit[] = [
      { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' },
      { 'ratelimit-reset': '999999999' },
    ]
    for (const headers of odd) {
      const { sent, fetch } = answering((_, n) =>
        n === 1 ? { status: 429, headers } : { body: '{"chains":[]}' },
      )
      const data = createDataClient({ url: 'http://data.test', fetch, clock })
      await expect(data.chains()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED' })
      await expect(data.chains()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED' })
      expect(sent).toHaveLength(1)
      clock.advance(3_600_000)
      expect(await data.chains()).toEqual([])
    }
  })

  it('may hold the time itself in the place of a pause, and no date but one of HTTP', async () => {
    const clock = fakeClock()
    const { fetch } = answering((_, n) =>
      n === 1
        ? { status: 429, headers: { 'retry-after': '-5', 'ratelimit-reset': '1700000030' } }
        : { body: '{"chains":[]}' },
    )
    const data = createDataClient({ url: 'http://data.test', fetch, clock })
    expect(await data.chains()).toEqual([])
    expect(clock.pauses).toEqual([30_000])
    expect(data.rateLimit()).toEqual({ resetSeconds: 30 })
  })

  it('stop what comes after a success that used up the quota, health checks too', async () => {
    const clock = fakeClock()
    const headers = {
      'content-type': 'application/json',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '30',
    }
    const { fetch } = answering((_, n) =>
      n === 1 ? { body: '{"chains":[]}', headers } : { body: '{"status":"ok"}' },
    )
    const data = createDataClient({ url: 'http://data.test', fetch, clock })
    await data.chains()
    expect(clock.pauses).toEqual([])
    expect(await data.healthCheck()).toMatchObject({ healthy: true })
    expect(clock.pauses).toEqual([30_000])
  })
})

describe('health of a service', () => {
  const health = (answer: (n: number) => Answer, clock = fakeClock()) => {
    const { fetch } = answering((_, n) => answer(n))
    return createMetricsClient({ url: 'http://metrics.test', fetch, clock }).healthCheck()
  }

  it('is asked for again where the way there is at fault', async () => {
    const fine = { body: '{"status":"ok"}' }
    expect(await health((n) => (n === 1 ? { status: 502 } : fine))).toMatchObject({ healthy: true })
  })

  it('is told by a body of any of its forms', async () => {
    const unhealthy: Answer[] = [
      { status: 503, body: '{"status":"error","error":{"database":{"status":"down"}}}' },
      { status: 503, body: '{"status":"shutting_down"}' },
      { status: 503, body: '{"status":"ok","info":{}}' },
      { status: 200, body: '{"status":"error"}' },
    ]
    for (const answer of unhealthy)
      expect(await health(() => answer)).toMatchObject({ healthy: false })
    expect(await health(() => ({ body: '{"status":"ok"}' }))).toMatchObject({ healthy: true })
  })

  it('of a node is bad where status and body disagree', async () => {
    const node = client(() => ({ status: 503, body: '{"healthy":true,"checks":{}}' }))
    expect(await node.healthGet.health()).toMatchObject({ healthy: false })
  })
})

describe('a walk of UTXOs', () => {
  it('that begins anew steps back past what cannot be read', async () => {
    const entry = (size: number, fill: number) =>
      checkedHex.encode(new Uint8Array(size).fill(fill).fill(0, 0, 2))
    const pages = [
      [entry(120, 1), entry(120, 2)],
      [entry(6, 0), entry(120, 3)],
      [entry(120, 1), entry(120, 2)],
    ]
    const node = client(({ id }, n) => {
      const utxos = pages[n - 1] ?? []
      return result(
        id,
        JSON.stringify({
          numFetched: String(utxos.length),
          utxos,
          endIndex: { address: 'a', utxo: `u${n}` },
          encoding: 'hex',
        }),
      )
    })
    let opaque = 0
    const walk = node.utxoPages({ addresses: [new Uint8Array(20)], pageSize: 2 })
    for await (const page of walk) opaque += page.opaque.length
    expect(opaque).toBe(4)
  })
})

describe('settings', () => {
  it('left undefined are as if they were not there', async () => {
    const clock = fakeClock()
    const retry = { retries: undefined, maxTotalMs: undefined } as unknown as { retries: number }
    const node = client(() => ({ status: 502 }), { clock, retry })
    await expect(node.avm.getHeight()).rejects.toMatchObject({ status: 502 })
    expect(clock.pauses).toHaveLength(3)
  })

  it('of time may be endless', async () => {
    const slow = async (): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return new Response('{"jsonrpc":"2.0","result":{"height":"5"},"id":1}')
    }
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 40]) {
      const node = createNodeClient({ url: 'http://node.test', fetch: slow, timeoutMs })
      expect(await node.avm.getHeight()).toBe(5n)
    }
  })

  it('that are no arguments are refused before anything is sent', async () => {
    const { sent, fetch } = answering(({ id }) => result(id, '{}'))
    const { avm } = createNodeClient({ url: 'http://node.test', fetch })
    const wrong: Promise<unknown>[] = [
      avm.getTx({} as { txID: string }),
      avm.getUTXOs({} as { addresses: string[] }),
      avm.getUTXOs({ addresses: [undefined as unknown as string] }),
      avm.getBlockByHeight({ height: 1.5 }),
      avm.getBlockByHeight({ height: -1n }),
      avm.getBlockByHeight({ height: 2n ** 64n }),
      avm.getAssetDescription({ assetID: 5 as unknown as string }),
    ]
    for (const call of wrong) await expect(call).rejects.toMatchObject({ code: 'ENC_INVALID' })
    expect(sent).toEqual([])
  })

  it('cannot make a failure of `fetch` unreadable', async () => {
    for (const thrown of [Symbol('no'), Object.create(null), undefined]) {
      const node = createNodeClient({
        url: 'http://node.test',
        fetch: () => Promise.reject(thrown),
        retry: { retries: 0 },
      })
      await expect(node.avm.getHeight()).rejects.toMatchObject({ code: 'HTTP_UNREACHABLE' })
    }
  })
})

describe('replies', () => {
  it('that lack their list are none', async () => {
    const node = client(({ id }) => result(id, '{"numPeers":"3","numFetched":"0"}'))
    const missing: Promise<unknown>[] = [
      node.avm.getAllBalances({ address: new Uint8Array(20) }),
      node.avm.getUTXOs({ addresses: [new Uint8Array(20)] }),
      node.info.peers({}),
      node.info.getVMs(),
      node.info.acps(),
    ]
    for (const call of missing) await expect(call).rejects.toMatchObject({ code: 'REPLY_SHAPE' })
    const empty = client(({ id }) => result(id, '{"numPeers":"0","peers":null}'))
    expect(await empty.info.peers({})).toEqual({ numPeers: 0, peers: [] })
  })

  it('may name upgrades of kinds that nobody knows yet', async () => {
    const upgrades = `{"apricotPhase4MinPChainHeight":0,"cortinaXChainStopVertexID":"x","etnaTime":"t",
      "a":null,"b":true,"c":{},"d":[],"e":-1,"f":1.5,"g":18446744073709551615}`
    const node = client(({ id }) => result(id, upgrades))
    expect(await node.info.upgrades()).toEqual({
      apricotPhase4MinPChainHeight: 0n,
      cortinaXChainStopVertexID: 'x',
      etnaTime: 't',
      g: 2n ** 64n - 1n,
    })
  })

  it('without an encoding have the one that was asked for', async () => {
    const text = Buffer.from(txBytes).toString('hex')
    const node = client(({ id }) => result(id, `{"tx":"0x${text}"}`))
    const tx = await node.avm.getTx({ txID, encoding: 'hexnc' })
    expect(tx).toEqual(decodeTx(txBytes))
  })

  it('may hold a block as the text of its JSON', async () => {
    const block = { parentID: 'a', height: 5, time: 1, merkleRoot: 'b', txs: [], id: 'c' }
    const text = JSON.stringify(JSON.stringify(block))
    const node = client(({ id }) => result(id, `{"block":${text},"encoding":"json"}`))
    expect(await node.avm.getBlockByHeightJSON({ height: 5 })).toEqual(block)
    const wrong = client(({ id }) => result(id, '{"block":"[]","encoding":"json"}'))
    await expect(wrong.avm.getBlockByHeightJSON({ height: 5 })).rejects.toMatchObject({
      code: 'REPLY_SHAPE',
    })
  })

  it('tell where the next page begins, and end where it is the same again', async () => {
    const pages = ['{"results":[],"nextPageToken":"b"}', '{"results":[]}']
    const { fetch, sent } = answering((_, n) => ({ body: pages[n - 1]! }))
    const metrics = createMetricsClient({ url: 'http://metrics.test', fetch })
    const tokens: (string | undefined)[] = []
    for await (const page of metrics.averageTPSPages(1, { pageToken: 'a' }))
      tokens.push(page.nextPageToken)
    expect(tokens).toEqual(['b', undefined])
    expect(sent.map(({ url }) => url.search)).toEqual(['?pageToken=a', '?pageToken=b'])
    const same = answering(() => ({ body: '{"results":[],"nextPageToken":"a"}' }))
    const stuck = createMetricsClient({ url: 'http://metrics.test', fetch: same.fetch })
    const walk = stuck.averageTPS(1, { pageToken: 'a' })
    await expect(walk.next()).rejects.toMatchObject({ code: 'REPLY_NO_PROGRESS' })
    expect(same.sent).toHaveLength(1)
  })

  it('of the data interface keep all that a chain has', async () => {
    const chain = {
      chainId: 43114,
      status: 'OK',
      chainName: 'C',
      description: '',
      vmName: 'EVM',
      rpcUrl: 'r',
      isTestnet: false,
      networkToken: {
        name: 'Avalanche',
        symbol: 'AVAX',
        decimals: 18,
        logoUri: 'l',
        description: 'd',
      },
      chainLogoUri: 'c',
      utilityAddresses: { multicall: '0xca11' },
      private: false,
    }
    const { fetch } = answering(() => ({ body: JSON.stringify({ chains: [chain] }) }))
    const [found] = await createDataClient({ url: 'http://data.test', fetch }).chains()
    expect(found).toMatchObject({ ...chain, chainId: '43114' })
  })
})
