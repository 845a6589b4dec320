import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { AvmError } from '../../../src/core/base/errors.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import {
  createDataClient,
  createMetricsClient,
  createNodeClient,
  type NodeClient,
  type NodeClientOptions,
  provider,
} from '../../../src/node/index.ts'
import { fakeClock } from '../fake-clock.ts'
import { bytes as txBytes, txID } from '../script-node.ts'

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
const rejection = (id: number, message: string, status = 200) => ({
  status,
  body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id }),
})

describe('a path given by the caller', () => {
  it('cannot send the API key to another host', async () => {
    const { sent, fetch } = answering(() => ({ body: '{"a":[]}' }))
    const options = { ...provider.data, apiKey: 'secret-key', fetch }
    for (const path of ['v1/chains', '.evil.example/v1', '@evil.example/v1', ''])
      await expect(createDataClient(options).list(path).next()).rejects.toMatchObject({
        code: 'ENC_INVALID',
      })
    const paths = { chains: 'v1/chains' }
    expect(() => createDataClient({ ...options, paths })).toThrow(
      expect.objectContaining({ code: 'ENC_INVALID', path: 'paths.chains' }),
    )
    expect(sent).toEqual([])
  })

  it('keeps its query', async () => {
    const { sent, fetch } = answering(() => ({ body: '{"a":[]}' }))
    const data = createDataClient({ url: 'http://data.test', fetch })
    await data.list('/v1/foo?bar=1', { pageSize: 5 }).next()
    expect(sent[0]!.url.search).toBe('?bar=1&pageSize=5')
  })
})

describe('an error message of the node', () => {
  it('is classified in linear time', async () => {
    const words = 'method '.repeat(200_000)
    await expect(client(({ id }) => rejection(id, words)).avm.getHeight()).rejects.toMatchObject({
      code: 'RPC_ERROR',
      nodeMessage: words,
    })
    const missing = `${'x'.repeat(5_000)}: not found`
    await expect(client(({ id }) => rejection(id, missing)).avm.getHeight()).rejects.toMatchObject({
      code: 'RPC_NOT_FOUND',
    })
  })

  it('is classified before redaction', async () => {
    const node = client(
      ({ id, method }) =>
        rejection(id, method === 'avm.issueTx' ? 'tx has insufficient funds' : 'not found'),
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

  it('takes precedence over the HTTP status', async () => {
    for (const status of [400, 404, 500, 502]) {
      const node = client(({ id }) => rejection(id, 'couldn’t get tx: not found', status))
      await expect(node.avm.getHeight()).rejects.toMatchObject({ code: 'RPC_NOT_FOUND' })
    }
    // An error of a gateway in the same form may be temporary.
    const node = client(({ id }, n) =>
      n < 3 ? rejection(id, 'upstream', 502) : result(id, '{"height":"5"}'),
    )
    expect(await node.avm.getHeight()).toBe(5n)
    // An error of a gateway in its own form says nothing about the node.
    const upstream = { body: '{"error":{"code":502,"message":"host not found"}}', status: 502 }
    const gateway = client(() => upstream, { retry: { retries: 0 } })
    await expect(gateway.avm.getHeight()).rejects.toMatchObject({
      code: 'HTTP_STATUS',
      status: 502,
    })
    const limited = client(({ id }) => rejection(id, 'not found', 429))
    await expect(limited.avm.getHeight()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED' })
    const forbidden = client(({ id }) => rejection(id, 'not found', 403))
    const refused = { code: 'HTTP_STATUS', status: 403, messages: ['not found'] }
    await expect(forbidden.avm.getHeight()).rejects.toMatchObject(refused)
  })

  it('becomes a typed error however deeply it is nested', async () => {
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
  it('are case-insensitive', async () => {
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

  it('delay a client by at most an hour', async () => {
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

  it('may contain a point in time instead of a delay, but only HTTP dates', async () => {
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

  it('delay requests after the quota is used up, including health checks', async () => {
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

  it('is requested again after a connection error', async () => {
    const fine = { body: '{"status":"ok"}' }
    expect(await health((n) => (n === 1 ? { status: 502 } : fine))).toMatchObject({ healthy: true })
  })

  it('is read from every documented form of body', async () => {
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

  it('of a node is false if status and body contradict each other', async () => {
    const node = client(() => ({ status: 503, body: '{"healthy":true,"checks":{}}' }))
    expect(await node.healthGet.health()).toMatchObject({ healthy: false })
  })
})

describe('utxoPages', () => {
  it('steps back past undecodable entries after a restart', async () => {
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

describe('options', () => {
  it('that are undefined have their defaults', async () => {
    const clock = fakeClock()
    const retry = { retries: undefined, maxTotalMs: undefined } as unknown as { retries: number }
    const node = client(() => ({ status: 502 }), { clock, retry })
    await expect(node.avm.getHeight()).rejects.toMatchObject({ status: 502 })
    expect(clock.pauses).toHaveLength(3)
  })

  it('may set infinite time limits', async () => {
    const slow = async (): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return new Response('{"jsonrpc":"2.0","result":{"height":"5"},"id":1}')
    }
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 40]) {
      const node = createNodeClient({ url: 'http://node.test', fetch: slow, timeoutMs })
      expect(await node.avm.getHeight()).toBe(5n)
    }
  })

  it('that are invalid are rejected before a request is sent', async () => {
    const { sent, fetch } = answering(({ id }) => result(id, '{}'))
    const { avm } = createNodeClient({ url: 'http://node.test', fetch })
    const missing: Promise<unknown>[] = [
      avm.getTx({} as { txID: string }),
      avm.getUTXOs({} as { addresses: string[] }),
      avm.getUTXOs({ addresses: [undefined as unknown as string] }),
    ]
    for (const call of missing) await expect(call).rejects.toMatchObject({ code: 'MISSING_OPTION' })
    const wrong: Promise<unknown>[] = [
      avm.getBlockByHeight({ height: 1.5 }),
      avm.getBlockByHeight({ height: -1n }),
      avm.getBlockByHeight({ height: 2n ** 64n }),
      avm.getAssetDescription({ assetID: 5 as unknown as string }),
    ]
    for (const call of wrong) await expect(call).rejects.toMatchObject({ code: 'ENC_INVALID' })
    expect(sent).toEqual([])
  })

  it('report any value that `fetch` rejects with', async () => {
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
  it('without their list are rejected', async () => {
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

  it('may contain upgrades of unknown kinds', async () => {
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

  it('without an encoding have the requested one', async () => {
    const text = Buffer.from(txBytes).toString('hex')
    const node = client(({ id }) => result(id, `{"tx":"0x${text}"}`))
    const tx = await node.avm.getTx({ txID, encoding: 'hexnc' })
    expect(tx).toEqual(decodeTx(txBytes))
  })

  it('may contain a block as JSON text', async () => {
    const block = { parentID: 'a', height: 5, time: 1, merkleRoot: 'b', txs: [], id: 'c' }
    const text = JSON.stringify(JSON.stringify(block))
    const node = client(({ id }) => result(id, `{"block":${text},"encoding":"json"}`))
    expect(await node.avm.getBlockByHeightJSON({ height: 5 })).toEqual(block)
    const wrong = client(({ id }) => result(id, '{"block":"[]","encoding":"json"}'))
    await expect(wrong.avm.getBlockByHeightJSON({ height: 5 })).rejects.toMatchObject({
      code: 'REPLY_SHAPE',
    })
  })

  it('contain the start of the next page, and end when it repeats', async () => {
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

  it('of the data API keep all members of a chain', async () => {
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
