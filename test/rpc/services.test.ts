import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDataClient, createMetricsClient, provider } from '../../src/rpc/index.ts'
import { type FaultServer, raw, startFaultServer } from '../helpers/fault-server.ts'
import { vectors } from '../helpers/vectors.ts'
import { fakeClock } from './fake-clock.ts'

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

  it('asks for the next page only when it is wanted', async () => {
    server.answer(json({ results: [{ timestamp: 1, value: 2 }], nextPageToken: 'a' }))
    const seen = server.requests.length
    for await (const _ of metrics().averageTPS('mainnet')) break
    expect(server.requests.length - seen).toBe(1)
  })

  it('refuses a token that comes again', async () => {
    server.answer(json({ results: [{ timestamp: 1, value: 2 }], nextPageToken: 'a' }))
    await expect(collect(metrics().averageTPS(1))).rejects.toMatchObject({
      code: 'REPLY_NO_PROGRESS',
      field: 'body.nextPageToken',
    })
  })

  it('goes by another route where told, with the chain in its place', async () => {
    server.answer(json({ results: [] }))
    const options = { paths: { averageTPS: '/v2/chains/{chainId}/metrics/avgTps' } }
    await collect(metrics(options).averageTPS('a/b'))
    expect(paths(1)).toEqual(['/v2/chains/a%2Fb/metrics/avgTps'])
  })

  it('names method and field of a point that is none', async () => {
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

  it('says what to do when an old token is refused', async () => {
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

describe('the data interface', () => {
  it('lists chains that have only what is required', async () => {
    server.answer(json({ chains: [chain, { ...chain, status: 'NEW', enabledFeatures: ['x'] }] }))
    const chains = await data().chains({ network: 'fuji' })
    expect(chains[0]).toMatchObject(chain)
    expect(chains[1]).toMatchObject({ status: 'NEW', enabledFeatures: ['x'] })
    expect(paths(1)).toEqual(['/v1/chains?network=fuji'])
    server.answer(json({ chains: [{ ...chain, chainId: undefined }] }))
    await expect(data().chains()).rejects.toMatchObject({ field: 'body.chains[0].chainId' })
  })

  it('follows any list, with its page size on every page, and keeps its integers', async () => {
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

  it('takes a missing list as empty, and refuses to guess between two', async () => {
    server.answer(json({}))
    expect(await collect(data().list('/v1/x'))).toEqual([])
    server.answer(json({ a: [], b: [1] }))
    await expect(collect(data().list('/v1/x'))).rejects.toMatchObject({ code: 'REPLY_SHAPE' })
    expect(await collect(data().list('/v1/x', { field: 'b' }))).toEqual([1])
    server.answer(json({ b: 5 }))
    await expect(collect(data().list('/v1/x', { field: 'b' }))).rejects.toMatchObject({
      code: 'REPLY_SHAPE',
      field: 'body.b',
    })
  })

  it('sends the key under the name that is configured, and never shows it', async () => {
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

  it('remembers the rate limit, also of a refusal', async () => {
    const headers = { 'ratelimit-limit': '10', 'ratelimit-remaining': '0', 'retry-after': '3600' }
    server.answer(raw(429, '', headers))
    const client = data()
    await expect(client.chains()).rejects.toMatchObject({
      code: 'HTTP_RATE_LIMITED',
      retryAfterMs: 3_600_000,
    })
    expect(client.rateLimit()).toEqual({ limit: 10, remaining: 0, retryAfterSeconds: 3600 })
  })

  it('has its routes configurable, behind any path of the address', async () => {
    server.answer(json(healthy))
    const options = { url: `${server.url}/api/`, paths: { liveCheck: '/alive' } }
    await data(options).liveCheck()
    await data(options).healthCheck()
    expect(paths(2)).toEqual(['/api/alive', '/api/v1/health-check'])
  })
})
