import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDataClient, createMetricsClient, provider } from '../../../src/node/index.ts'
import { type FaultServer, raw, startFaultServer } from '../../helpers/fault-server.ts'
import { vectors } from '../../helpers/vectors.ts'
import { fakeClock } from '../fake-clock.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

const metrics = (options = {}) =>
  createMetricsClient({ url: server.url, clock: fakeClock(), ...options })
const data = (options = {}) => createDataClient({ url: server.url, clock: fakeClock(), ...options })
const json = (value: unknown, status = 200) => raw(status, JSON.stringify(value))
const paths = (n: number) => server.requests.slice(-n).map((request) => request.path)

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const healthy = {
  status: 'ok',
  info: { database: { status: 'up' } },
  error: {},
  details: { database: { status: 'up' } },
}

describe('averageTPS', () => {
  it('follows page tokens to the end, through an empty page', async () => {
    server.answer(
      json({
        results: [{ timestamp: 1724716800, value: 1.98 }],
        status: 200,
        lastRun: 1,
        nextPageToken: 'a b',
      }),
      json({ results: [], nextPageToken: 'c' }),
      json({ results: [{ value: '2.5', timestamp: 1724630400 }], nextPageToken: '' }),
    )
    expect(await collect(metrics().averageTPS(43114, { query: { interval: 'day' } }))).toEqual([
      { timestamp: 1724716800, value: 1.98 },
      { timestamp: 1724630400, value: 2.5 },
    ])
    expect(paths(3)).toEqual([
      '/v1/avg_tps/43114?interval=day',
      '/v1/avg_tps/43114?interval=day&pageToken=a%20b',
      '/v1/avg_tps/43114?interval=day&pageToken=c',
    ])
    expect(server.requests.at(-1)!.headers.accept).toBe('application/json')
  })

  it('returns pages with the status and time of the last update', async () => {
    const first = { timestamp: 1724716800, value: 1.98 }
    server.answer(
      json({ results: [first], status: 200, lastRun: 1724780812, nextPageToken: 'a' }),
      json({ results: [] }),
    )
    expect(await collect(metrics().averageTPSPages(43114))).toEqual([
      { results: [first], status: 200, lastRun: 1724780812, nextPageToken: 'a' },
      // The v2 route sends neither.
      { results: [], status: undefined, lastRun: undefined, nextPageToken: undefined },
    ])
    server.answer(json({ results: [], lastRun: 'yesterday' }))
    await expect(collect(metrics().averageTPS(43114))).rejects.toMatchObject({
      code: 'REPLY_SHAPE',
      field: 'body.lastRun',
    })
  })

  it('requests the next page on demand', async () => {
    server.answer(json({ results: [{ timestamp: 1, value: 2 }], nextPageToken: 'a' }))
    const seen = server.requests.length
    for await (const _ of metrics().averageTPS('mainnet')) break
    expect(server.requests.length - seen).toBe(1)
  })

  it('rejects a repeated token', async () => {
    server.answer(
      json({ results: [{ timestamp: 2, value: 2 }], nextPageToken: 'a' }),
      json({ results: [{ timestamp: 1, value: 2 }], nextPageToken: 'a' }),
    )
    await expect(collect(metrics().averageTPS(1))).rejects.toMatchObject({
      code: 'REPLY_NO_PROGRESS',
      field: 'body.nextPageToken',
    })
  })

  it('uses a configured route, with the chain ID inserted', async () => {
    server.answer(json({ results: [] }))
    const options = { paths: { averageTPS: '/v2/chains/{chainId}/metrics/avgTps' } }
    await collect(metrics(options).averageTPS('a/b'))
    expect(paths(1)).toEqual(['/v2/chains/a%2Fb/metrics/avgTps'])
  })

  it('reports method and field of an invalid point', async () => {
    server.answer(
      json({
        results: [
          { timestamp: 1, value: 2 },
          { timestamp: 'x', value: 1 },
        ],
      }),
    )
    await expect(collect(metrics().averageTPS(1))).rejects.toMatchObject({
      code: 'REPLY_SHAPE',
      method: 'GET /v1/avg_tps/1',
      field: 'body.results[1].timestamp',
    })
  })

  it('gives a hint when an expired token is rejected', async () => {
    server.answer(json({ message: 'invalid token', error: 'Bad Request', statusCode: 400 }, 400))
    const failure = await collect(metrics().averageTPS(1, { pageToken: 'old' })).catch((e) => e)
    expect(failure).toMatchObject({ code: 'HTTP_STATUS', status: 400 })
    expect(failure.hint).toContain('24 hours')
  })
})

describe('health of the services', () => {
  const routes = [
    ['/v2/health-check', () => metrics().healthCheck()],
    ['/v1/health-check', () => data().healthCheck()],
    ['/v1/live-check', () => data().liveCheck()],
  ] as const

  it.each(routes)('%s reads 200 and 503 with the same body', async (path, ask) => {
    server.answer(json(healthy))
    expect(await ask()).toEqual({ ...healthy, healthy: true })
    expect(paths(1)).toEqual([path])
    const down = { database: { status: 'down', message: 'gone' } }
    server.answer(json({ status: 'error', info: null, error: down, details: down }, 503))
    expect(await ask()).toEqual({
      status: 'error',
      healthy: false,
      info: {},
      error: down,
      details: down,
    })
    server.answer(json({ status: 'shutting_down' }))
    expect(await ask()).toMatchObject({ status: 'shutting_down', healthy: false, details: {} })
  })

  it.each(routes)('%s takes an error body under 503 as an error, once', async (_, ask) => {
    server.answer(json({ statusCode: 503, message: 'Service Unavailable' }, 503))
    const seen = server.requests.length
    await expect(ask()).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 503 })
    expect(server.requests.length - seen).toBe(1)
  })
})

describe('an invalid body', () => {
  const asks = {
    'metrics health': () => metrics().healthCheck(),
    'data health': () => data().healthCheck(),
    'data liveness': () => data().liveCheck(),
    'average TPS': () => collect(metrics().averageTPS(1)),
    chains: () => data().chains(),
    'a list': () => collect(data().list('/v1/x')),
    'a named list': () => collect(data().list('/v1/x', { field: 'x' })),
  }
  const bodies: readonly unknown[] = [
    {},
    { hello: 'world' },
    { checks: {}, healthy: false },
    { status: null, info: {}, details: { database: { status: 'up' } } },
    { status: 200 },
    { status: 'ok', error: 'none' },
    { results: null, chains: null, x: null },
    { results: {}, chains: 'x', x: 5 },
    [],
    'ok',
  ]
  for (const [name, ask] of Object.entries(asks))
    it(`is rejected as ${name}, not treated as healthy or empty`, async () => {
      for (const body of bodies) {
        server.answer(json(body))
        await expect(ask(), JSON.stringify(body)).rejects.toMatchObject({ code: 'REPLY_SHAPE' })
      }
    })

  it.each(Object.entries(asks))('is an error for %s if it is an error body', async (_, ask) => {
    const body = { message: ['a', 'b'], error: 'Bad Request', statusCode: 400 }
    server.answer(json(body))
    await expect(ask()).rejects.toMatchObject({
      code: 'HTTP_STATUS',
      status: 400,
      statusCode: 400,
      error: 'Bad Request',
      messages: ['a', 'b'],
    })
    const seen = server.requests.length
    server.answer(json({ message: 'wait', statusCode: 429 }))
    await expect(ask()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED', messages: ['wait'] })
    expect(server.requests.length).toBeGreaterThan(seen)
  })

  it('is an error if its statusCode contradicts the HTTP status', async () => {
    for (const ask of [asks['data health'], asks['metrics health'], asks['a list']]) {
      server.answer(json({ status: 'ok', x: [], statusCode: 500 }))
      await expect(ask()).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 500 })
    }
  })

  it('is not a list if it reports an error', async () => {
    for (const body of [
      { message: ['must be a number'], error: 'Bad Request' },
      { message: ['must be a number'] },
      { errors: [{ message: 'boom' }] },
      { error: { code: 1 }, x: [] },
      { message: 'gone', x: [] },
    ])
      for (const ask of [asks['a list'], asks['a named list']]) {
        server.answer(json(body))
        await expect(ask(), JSON.stringify(body)).rejects.toMatchObject({ code: 'REPLY_SHAPE' })
      }
    server.answer(json({ x: [1], error: null, errors: [], message: '' }))
    expect(await asks['a named list']()).toEqual([1])
    // The list may be requested by that name.
    server.answer(json({ message: [2] }))
    expect(await collect(data().list('/v1/x', { field: 'message' }))).toEqual([2])
  })

  it('reports failing components as unhealthy, whatever the status says', async () => {
    const down = { database: { status: 'down' } }
    for (const body of [
      { status: 'ok', error: down },
      { status: 'ok', details: down },
      { status: 'ok', info: down },
      { status: 'ok', details: { database: { status: 'DOWN' } } },
      { status: 'ok', details: { database: { status: 'degraded' } } },
      { status: 'ok', details: { database: 'down' } },
      { status: 'ok', healthy: false },
      // The documented example.
      { ...healthy, status: 'error' },
    ]) {
      server.answer(json(body))
      expect((await data().healthCheck()).healthy).toBe(false)
    }
    // A health body counts under any status, but only if it is one.
    server.answer(json({ status: 'error', details: down }, 500))
    expect((await data().healthCheck()).healthy).toBe(false)
    server.answer(json({ status: 'error', message: 'no key' }, 401))
    await expect(data().healthCheck()).rejects.toMatchObject({ status: 401, messages: ['no key'] })
  })
})

describe('errors of the services', () => {
  it.each([401, 403])('%i advise about the API key, not about a node', async (status) => {
    server.answer(json({ message: 'no', error: 'x', statusCode: status }, status))
    for (const ask of [
      () => data().chains(),
      () => data().healthCheck(),
      () => collect(metrics().averageTPS(1)),
    ]) {
      const failure = await ask().catch((error) => error)
      expect(failure).toMatchObject({ code: 'HTTP_STATUS', status })
      expect(failure.hint).toMatch(/API key/)
      expect(failure.hint).not.toMatch(/node|bootstrap|host name/)
    }
  })

  it('404 do not mention bootstrapping', async () => {
    server.answer(json({ message: 'Cannot GET /v1/chains', statusCode: 404 }, 404))
    const failure = await data()
      .chains()
      .catch((error) => error)
    expect(failure.hint).toMatch(/path/)
    expect(failure.hint).not.toMatch(/bootstrap/)
  })

  it('keep every message of a long list', async () => {
    const message = Array.from({ length: 30 }, (_, i) => `parameter${i} must be an integer number`)
    server.answer(json({ message, error: 'Bad Request', statusCode: 400 }, 400))
    const failure = await data()
      .chains()
      .catch((error) => error)
    expect(failure).toMatchObject({ messages: message, error: 'Bad Request', statusCode: 400 })
    for (const text of message) expect(failure.message).toContain(text)
    const longer = Array.from({ length: 1000 }, (_, i) => `parameter${i} must be an integer number`)
    server.answer(json({ message: longer, error: 'Bad Request', statusCode: 400 }, 400))
    const large = await data()
      .chains()
      .catch((error) => error)
    expect(large.messages).toEqual(longer)
    expect(large.message).toMatch(/; and 9\d\d more \(/)
    expect(large.message.length).toBeLessThan(2200)
  })

  it('keep the members of a body without a message or an error name', async () => {
    server.answer(json({ error: 'Bad Gateway' }, 400))
    await expect(data().chains()).rejects.toMatchObject({
      messages: [],
      error: 'Bad Gateway',
      statusCode: undefined,
      message: expect.stringContaining('Bad Gateway'),
    })
    server.answer(raw(400, '<html>no</html>', { 'content-type': 'text/html' }))
    await expect(data().chains()).rejects.toMatchObject({ messages: [], error: undefined })
  })
})

const chain = {
  chainId: '43114',
  status: 'OK',
  chainName: 'C-Chain',
  description: '',
  rpcUrl: 'https://rpc.test',
  vmName: 'EVM',
  isTestnet: false,
  networkToken: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 },
}

describe('the data client', () => {
  it('lists chains that have only what is required', async () => {
    server.answer(json({ chains: [chain, { ...chain, status: 'NEW', enabledFeatures: ['x'] }] }))
    const chains = await data().chains({ network: 'fuji' })
    expect(chains[0]).toMatchObject(chain)
    expect(chains[1]).toMatchObject({ status: 'NEW', enabledFeatures: ['x'] })
    expect(paths(1)).toEqual(['/v1/chains?network=fuji'])
    server.answer(json({ chains: [{ ...chain, chainId: undefined }] }))
    await expect(data().chains()).rejects.toMatchObject({ field: 'body.chains[0].chainId' })
  })

  it('reads any list, with the page size on every page, without loss of digits', async () => {
    server.answer(
      raw(200, '{"blocks":[{"n":18446744073709551615}],"nextPageToken":"a"}'),
      raw(200, '{"blocks":[{"n":1}],"nextPageToken":null}'),
    )
    const items = await collect(
      data().list('/v1/blocks', { pageSize: 2, query: { network: 'fuji' } }),
    )
    expect(items).toEqual([{ n: 18446744073709551615n }, { n: 1 }])
    expect(paths(2)).toEqual([
      '/v1/blocks?network=fuji&pageSize=2',
      '/v1/blocks?network=fuji&pageSize=2&pageToken=a',
    ])
  })

  it('merges a query in the path with its own, the page token included', async () => {
    server.answer(json({ a: [1], nextPageToken: 'U' }), json({ a: [2] }))
    const path = '/v1/x?tag=a&tag=b%20c&pageToken=T&pageSize=7'
    expect(await collect(data().list(path))).toEqual([1, 2])
    expect(paths(2)).toEqual([
      '/v1/x?tag=a&tag=b%20c&pageSize=7&pageToken=T',
      '/v1/x?tag=a&tag=b%20c&pageSize=7&pageToken=U',
    ])
    server.answer(json({ a: [1], nextPageToken: 'U' }), json({ a: [2] }))
    expect(await collect(data().list('/v1/x', { query: { pageToken: 'T' } }))).toEqual([1, 2])
    expect(paths(2)).toEqual(['/v1/x?pageToken=T', '/v1/x?pageToken=U'])
  })

  it('rejects a duplicate parameter and a fragment', async () => {
    const seen = server.requests.length
    for (const ask of [
      () => data().list('/v1/x?pageToken=T', { pageToken: 'U' }),
      () => data().list('/v1/x?pageToken=T&pageToken=U'),
      () => data().list('/v1/x?pageSize=1', { pageSize: 2 }),
      () => data().list('/v1/x', { pageToken: 'T', query: { pageToken: 'U' } }),
      () => data().list('/v1/x?a=1', { query: { a: 2 } }),
      () => data().list('/v1/x#a'),
    ])
      await expect(ask().next()).rejects.toMatchObject({ code: 'ENC_INVALID' })
    expect(server.requests.length).toBe(seen)
  })

  it('fails if the list restarts or repeats a page', async () => {
    const pages = [
      { a: [{ id: 1 }, { id: 2 }], nextPageToken: 'b' },
      { a: [{ id: 3 }, { id: 4 }], nextPageToken: 'c' },
    ]
    const restarts = [
      { a: [{ id: 1 }, { id: 2 }], nextPageToken: 'd' },
      // Newer items were added at the start meanwhile.
      { a: [{ id: 0 }, { id: 1 }], nextPageToken: 'e' },
      { a: [{ id: 3 }, { id: 4 }], nextPageToken: 'f' },
    ]
    for (const last of restarts) {
      server.answer(...[...pages, last].map((page) => json(page)))
      const items: unknown[] = []
      const walk = async () => {
        for await (const item of data().list('/v1/x')) items.push(item)
      }
      await expect(walk()).rejects.toMatchObject({
        code: 'REPLY_NO_PROGRESS',
        hint: expect.stringContaining('24 hours'),
      })
      expect(items).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }])
    }
    // An item that moved to the next page does not mean a restart.
    server.answer(json(pages[0]), json({ a: [{ id: 2 }, { id: 3 }] }))
    expect(await collect(data().list('/v1/x'))).toHaveLength(4)
  })

  it('fails after too many empty pages with new tokens', async () => {
    let asked = 0
    const fetch = async () => Response.json({ a: [], nextPageToken: `token${asked++}` })
    const walk = data({ fetch }).list('/v1/x')
    await expect(walk.next()).rejects.toMatchObject({ code: 'REPLY_NO_PROGRESS', field: 'body' })
    expect(asked).toBe(101)
  })

  it('does not use a token older than 24 hours', async () => {
    const clock = fakeClock()
    server.answer(json({ a: [1], nextPageToken: 'b' }), json({ a: [2] }))
    const pages = data({ clock }).listPages('/v1/x')
    expect((await pages.next()).value).toEqual({ items: [1], nextPageToken: 'b' })
    clock.advance(24 * 3_600_000 - 1)
    expect((await pages.next()).value).toEqual({ items: [2], nextPageToken: undefined })
    server.answer(json({ a: [1], nextPageToken: 'b' }))
    const seen = server.requests.length
    const late = data({ clock }).listPages('/v1/x')
    await late.next()
    clock.advance(24 * 3_600_000)
    await expect(late.next()).rejects.toMatchObject({ code: 'REPLY_EXPIRED' })
    expect(server.requests.length - seen).toBe(1)
  })

  it('reads documented list bodies', async () => {
    type Example = { readonly name: string; readonly example?: object }
    const examples = vectors<readonly Example[]>('rpc-examples.json')
    const body = (name: string) => examples.find((e) => e.name === `data API ${name}`)!.example!
    server.answer(json(body('listutxosresponse')))
    const [utxo] = await collect(data().list('/v1/utxos'))
    expect(utxo).toMatchObject({ utxoId: '68vLva9kfKUsX88ZPM8jdbf8qHUZRoZSFH6NdpAVTspkfrXDC' })
    server.answer(json(body('listxchaintransactionsresponse')))
    expect(await collect(data().list('/v1/txs'))).toEqual([])
  })

  it('rejects a body with two lists', async () => {
    server.answer(json({ a: [], b: [1] }))
    await expect(collect(data().list('/v1/x'))).rejects.toMatchObject({ code: 'REPLY_SHAPE' })
    expect(await collect(data().list('/v1/x', { field: 'b' }))).toEqual([1])
    server.answer(json({ b: 5 }))
    await expect(collect(data().list('/v1/x', { field: 'b' }))).rejects.toMatchObject({
      code: 'REPLY_SHAPE',
      field: 'body.b',
    })
  })

  it('sends the key in the configured header and never shows it', async () => {
    server.answer(json(healthy))
    await data({ apiKey: 'key-abcdef' }).healthCheck()
    expect(server.requests.at(-1)!.headers['x-service-api-key']).toBe('key-abcdef')
    const { apiKeyHeader } = provider.data
    await data({ apiKey: 'key-abcdef', apiKeyHeader }).liveCheck()
    expect(server.requests.at(-1)!.headers['x-glacier-api-key']).toBe('key-abcdef')
    expect(server.requests.at(-1)!.headers['x-service-api-key']).toBeUndefined()
    server.answer(
      json({ statusCode: 401, message: 'bad key key-abcdef', error: 'Unauthorized' }, 401),
    )
    const failure = await data({ apiKey: 'key-abcdef' })
      .chains()
      .catch((error) => error)
    expect(failure).toMatchObject({ code: 'HTTP_STATUS', status: 401 })
    expect(inspect(failure, { depth: 9 })).not.toContain('key-abcdef')
  })

  it('keeps the rate limit, also of a rejection', async () => {
    const headers = { 'ratelimit-limit': '10', 'ratelimit-remaining': '0', 'retry-after': '3600' }
    server.answer(raw(429, '', headers))
    const client = data()
    await expect(client.chains()).rejects.toMatchObject({
      code: 'HTTP_RATE_LIMITED',
      retryAfterMs: 3_600_000,
    })
    expect(client.rateLimit()).toEqual({ limit: 10, remaining: 0, retryAfterSeconds: 3600 })
  })

  it('has configurable routes, after any path of the url', async () => {
    server.answer(json(healthy))
    const options = {
      url: `${server.url}/api/`,
      paths: { liveCheck: '/alive', healthCheck: undefined },
    }
    await data(options).liveCheck()
    await data(options).healthCheck()
    expect(paths(2)).toEqual(['/api/alive', '/api/v1/health-check'])
  })
})
