import { expect } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { createDevNode } from '../../src/devnode/index.ts'
import { createDataClient, createMetricsClient, HttpError } from '../../src/node/index.ts'
import { fakeClock } from '../node/fake-clock.ts'
import { API_KEY, all, failureOf, NOW, requirement, type World } from './world.ts'

const DAY = 86_400
const BLOCKS = '/v1/networks/testnet/blockchains/x-chain/blocks'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const UP = { database: { status: 'up' } }

/** The three health routes. */
const checks = ({ metrics, data }: World) => ({
  '/v2/health-check': () => metrics.healthCheck(),
  '/v1/health-check': () => data.healthCheck(),
  '/v1/live-check': () => data.liveCheck(),
})

const ERRORS = [
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
] as const

/** A development node whose keys may spend so much, and a client with the key. */
async function limited(
  limit: number,
  use: (client: ReturnType<typeof createDataClient>) => Promise<void>,
) {
  const node = await createDevNode({
    now: NOW,
    httpAPIs: { apiKeys: [API_KEY], limit, anonymousLimit: 10 },
  })
  const options = { url: 'http://data.test', fetch: node.fetch, clock: fakeClock() }
  await use(createDataClient({ ...options, apiKey: API_KEY, retry: { retries: 0 } }))
  await node.close()
}

requirement({
  'Metrics and data resources': [
    [
      'Average TPS response: results with timestamp in Unix seconds and value, newest first, one a day',
      async ({ metrics }) => {
        const points = await all(metrics.averageTPS(formatID(networks.local.chainID)))
        expect(points[0]).toEqual({ timestamp: NOW - (NOW % DAY), value: expect.any(Number) })
        expect(points[0]!.value).toBeGreaterThan(0)
        for (const [i, { timestamp }] of points.entries())
          expect(timestamp).toBe(points[0]!.timestamp - i * DAY)
      },
    ],
    [
      'Average TPS response: status and lastRun',
      async ({ metrics }) => {
        for await (const page of metrics.averageTPSPages(43112))
          expect([page.status, page.lastRun]).toEqual([200, NOW])
      },
    ],
    [
      'Average TPS response: nextPageToken, a UUID, only while more data exists',
      async ({ metrics }) => {
        const pages = await all(metrics.averageTPSPages(43112))
        expect(pages.length).toBeGreaterThan(2)
        for (const page of pages.slice(0, -1)) expect(page.nextPageToken).toMatch(UUID)
        expect(pages.at(-1)!.nextPageToken).toBeUndefined()
      },
    ],
    [
      'Health-check body: status, info, error, details',
      async (world) => {
        for (const ask of Object.values(checks(world)))
          expect(await ask()).toEqual({
            status: 'ok',
            healthy: true,
            info: UP,
            error: {},
            details: UP,
          })
      },
    ],
    [
      'Health-check body: status error together with database status up',
      async (world) => {
        world.node.setServiceHealth('error-up')
        for (const ask of Object.values(checks(world)))
          expect(await ask()).toEqual({
            status: 'error',
            healthy: false,
            info: UP,
            error: {},
            details: UP,
          })
        world.node.setServiceHealth('ok')
      },
    ],
    [
      'Error body: message as text or as a list, error, statusCode',
      async ({ node, data }) => {
        for (const message of ['one', ['first rule', 'second rule']]) {
          node.injectFault({ kind: 'error-body', status: 400, message })
          expect(await failureOf(data.chains())).toMatchObject({
            messages: typeof message === 'string' ? [message] : message,
            error: 'Bad Request',
            statusCode: 400,
          })
        }
      },
    ],
  ],

  'B. Metrics HTTP': [
    [
      'GET /v1/avg_tps/{chainId}',
      async ({ metrics, last }) => {
        await metrics.averageTPS(43112).next()
        expect([last().verb, last().target]).toEqual(['GET', '/v1/avg_tps/43112'])
      },
    ],
    [
      'Query pageToken, optional: nextPageToken returns the next page',
      async ({ metrics, last }) => {
        const first = (await metrics.averageTPSPages(43112).next()).value!
        const pageToken = first.nextPageToken!
        const second = (await metrics.averageTPSPages(43112, { pageToken }).next()).value!
        expect(last().target).toBe(`/v1/avg_tps/43112?pageToken=${pageToken}`)
        expect(second.results[0]!.timestamp).toBe(first.results.at(-1)!.timestamp - DAY)
      },
    ],
    [
      'GET /v2/health-check',
      async ({ metrics, last }) => {
        await metrics.healthCheck()
        expect([last().verb, last().target]).toEqual(['GET', '/v2/health-check'])
      },
    ],
    [
      'Header Content-Type of the usage example is not needed: the answer is the same',
      async ({ metrics, node, last }) => {
        await metrics.healthCheck()
        expect(last().headers.get('content-type')).toBeNull()
        const headers = { 'Content-Type': 'Application/json' }
        const given = createMetricsClient({ url: 'http://m.test', fetch: node.fetch, headers })
        expect((await given.healthCheck()).healthy).toBe(true)
      },
    ],
    [
      'Error bodies for 400, 401, 403, 404, 429, 500, 502, 503',
      async ({ node, metrics }) => {
        for (const [status, error] of ERRORS) {
          const disarm = node.injectFault({ kind: 'error-body', on: '/v2/', status, times: 9 })
          expect(await failureOf(metrics.healthCheck())).toMatchObject({ status, error })
          disarm()
        }
      },
    ],
  ],

  'C. Data HTTP': [
    [
      'GET /v1/health-check: database and cache, reading and writing',
      async ({ data, last }) => {
        await data.healthCheck()
        expect([last().verb, last().target]).toEqual(['GET', '/v1/health-check'])
      },
    ],
    [
      'GET /v1/live-check: reading only',
      async ({ data, last }) => {
        await data.liveCheck()
        expect([last().verb, last().target]).toEqual(['GET', '/v1/live-check'])
      },
    ],
    [
      'Optional header x-service-api-key',
      async ({ data, keyed, last }) => {
        await data.healthCheck()
        expect(last().headers.get('x-service-api-key')).toBeNull()
        await keyed.healthCheck()
        expect(last().headers.get('x-service-api-key')).toBe(API_KEY)
      },
    ],
    [
      'Both routes may answer with error bodies for 400, 401, 403, 404, 429, 500, 502, 503',
      async ({ node, data }) => {
        for (const [status, error] of ERRORS)
          for (const ask of [data.healthCheck, data.liveCheck]) {
            const disarm = node.injectFault({ kind: 'error-body', on: '/v1/', status, times: 9 })
            const failure = await failureOf(ask())
            expect(failure).toBeInstanceOf(HttpError)
            expect(failure).toMatchObject({ status, error, statusCode: status })
            disarm()
          }
      },
    ],
    [
      'GET /v1/chains with the key header',
      async ({ keyed, last }) => {
        expect((await keyed.chains())[0]).toMatchObject({ chainId: '43112', vmName: 'EVM' })
        expect(last().target).toBe('/v1/chains')
        expect(last().headers.get('x-service-api-key')).toBe(API_KEY)
      },
    ],
    [
      'Pagination: pageSize is sent; the answer holds a list under any name and nextPageToken',
      async ({ data, last }) => {
        const pages = data.listPages(BLOCKS, { pageSize: 2 })
        const page = (await pages.next()).value!
        expect(last().target).toBe(`${BLOCKS}?pageSize=2`)
        expect(page.items).toHaveLength(2)
        expect(page.nextPageToken).toMatch(UUID)
      },
    ],
    [
      'Pagination: the token is present only while a next page exists',
      async ({ data }) => {
        const pages = await all(data.listPages(BLOCKS, { pageSize: 2 }))
        expect(pages.map(({ items, nextPageToken }) => [items.length, nextPageToken])).toEqual([
          [2, expect.stringMatching(UUID)],
          [2, expect.stringMatching(UUID)],
          [1, undefined],
        ])
      },
    ],
    [
      'Pagination: the token is valid for 24 hours; then the server refuses it or starts over',
      async () => {
        for (const [expiredTokens, code] of [
          ['refuse', 'HTTP_STATUS'],
          ['restart', 'REPLY_NO_PROGRESS'],
        ] as const) {
          const node = await createDevNode({ now: NOW, httpAPIs: { expiredTokens } })
          for (let i = 0; i < 4; i++) node.fund(new Uint8Array(20), 5n)
          // The clock of the client stands still, so it cannot know that the token is too old.
          const options = { url: 'http://data.test', fetch: node.fetch, clock: fakeClock() }
          const items = createDataClient(options).list(BLOCKS, { pageSize: 2 })
          await items.next()
          await items.next()
          node.setTime(NOW + DAY + 1)
          expect(await failureOf(items.next())).toMatchObject({
            code,
            hint: expect.stringContaining('24 hours'),
          })
          await node.close()
        }
      },
    ],
  ],

  Authentication: [
    [
      'Metrics HTTP: no API key and no authentication header',
      async ({ metrics, last }) => {
        await metrics.healthCheck()
        const names = [...last().headers.keys()]
        expect(names).toEqual(['accept'])
      },
    ],
    [
      'Data HTTP: the key is passed in its header, whose name can be set',
      async ({ node }) => {
        const sent: Headers[] = []
        const client = createDataClient({
          url: 'http://data.test',
          fetch: (url, init) => {
            sent.push(new Headers(init.headers))
            return node.fetch(url, init)
          },
          apiKey: API_KEY,
          apiKeyHeader: 'x-glacier-api-key',
        })
        expect((await client.healthCheck()).healthy).toBe(true)
        expect(sent[0]!.get('x-glacier-api-key')).toBe(API_KEY)
        expect(sent[0]!.get('x-service-api-key')).toBeNull()
      },
    ],
    [
      'Data HTTP: a key gives the limits of its account, without one the health routes still answer',
      async ({ data, keyed }) => {
        expect((await data.liveCheck()).healthy).toBe(true)
        expect(data.rateLimit()).toBeUndefined()
        await keyed.liveCheck()
        expect(keyed.rateLimit()?.limit).toBe(100_000)
      },
    ],
    [
      '401 when credentials are missing or wrong, 403 without the privilege: advice about the key',
      async ({ node }) => {
        const options = { url: 'http://data.test', fetch: node.fetch, apiKey: 'a-wrong-key' }
        const failure = (await failureOf(createDataClient(options).chains())) as HttpError
        expect([failure.status, failure.error]).toEqual([401, 'Unauthorized'])
        expect(failure.hint).toContain('API key')
        expect(failure.message).not.toContain('a-wrong-key')
        node.injectFault({ kind: 'error-body', status: 403 })
        const other = (await failureOf(createDataClient(options).chains())) as HttpError
        expect([other.status, other.hint]).toEqual([403, expect.stringContaining('API key')])
      },
    ],
  ],

  Errors: [
    ...ERRORS.map(
      ([status, error]) =>
        [
          `${status} ${error}`,
          async ({ node, data }: World) => {
            const times = 9
            const disarm = node.injectFault({ kind: 'error-body', on: BLOCKS, status, times })
            const failure = (await failureOf(data.list(BLOCKS).next())) as HttpError
            disarm()
            expect(failure).toMatchObject({
              code: status === 429 ? 'HTTP_RATE_LIMITED' : 'HTTP_STATUS',
              status,
              statusCode: status,
              error,
              messages: [error],
              retryable: status === 429 || status >= 500,
            })
          },
        ] as const,
    ),
    [
      '400: the message helps to diagnose',
      async ({ data }) =>
        expect(await failureOf(data.list(BLOCKS, { pageSize: 101 }).next())).toMatchObject({
          messages: ['pageSize must not be greater than 100'],
          message: expect.stringContaining('pageSize must not be greater than 100'),
        }),
    ],
    [
      '404: mistyped URL',
      async ({ data }) =>
        expect(await failureOf(data.list('/v1/chain').next())).toMatchObject({
          status: 404,
          messages: ['Cannot GET /v1/chain'],
        }),
    ],
    [
      'The list is not exhaustive: another status is an error as well',
      async () => {
        const fetch = async () => new Response('I am a teapot', { status: 418 })
        const data = createDataClient({ url: 'http://data.test', fetch })
        expect(await failureOf(data.chains())).toMatchObject({ code: 'HTTP_STATUS', status: 418 })
      },
    ],
    [
      'An error body that is sent with 2XX is an error too',
      async () => {
        const body = JSON.stringify({ message: 'no', error: 'Bad Request', statusCode: 400 })
        const fetch = async () => new Response(body)
        const data = createDataClient({ url: 'http://data.test', fetch })
        for (const ask of [() => data.chains(), data.healthCheck, () => data.list('/v1/x').next()])
          expect(await failureOf(ask())).toMatchObject({ status: 400, messages: ['no'] })
      },
    ],
  ],

  Limits: [
    [
      'Page token lifetime: 24 hours on metrics and data, counted by the client as well',
      async ({ node }) => {
        const clock = fakeClock()
        const options = { url: 'http://service.test', fetch: node.fetch, clock }
        for (const pages of [
          createMetricsClient(options).averageTPSPages(43112),
          createDataClient(options).listPages(BLOCKS, { pageSize: 1 }),
        ]) {
          await pages.next()
          clock.advance(DAY * 1000)
          expect(await failureOf(pages.next())).toMatchObject({ code: 'REPLY_EXPIRED' })
        }
      },
    ],
    [
      'Rate limit of the metrics interface: enforced without a key, 429',
      async () => {
        const node = await createDevNode({ now: NOW, httpAPIs: { anonymousLimit: 100 } })
        const options = { url: 'http://m.test', fetch: node.fetch, retry: { retries: 0 } }
        const metrics = createMetricsClient({ ...options, clock: fakeClock() })
        await metrics.averageTPS(43112).next()
        expect(await failureOf(metrics.averageTPS(43112).next())).toMatchObject({
          code: 'HTTP_RATE_LIMITED',
          status: 429,
        })
        await node.close()
      },
    ],
    [
      'Rate limit of the data interface: 429 once it is exceeded',
      () =>
        limited(20, async (data) => {
          await data.healthCheck()
          expect(await failureOf(data.healthCheck())).toMatchObject({ code: 'HTTP_RATE_LIMITED' })
        }),
    ],
  ],

  'Data HTTP rate-limit headers': [
    [
      '1. Every response to a valid key has policy, limit and remaining',
      () =>
        limited(100, async (data) => {
          await data.healthCheck()
          expect(data.rateLimit()).toEqual({ policy: '100;w=60', limit: 100, remaining: 80 })
        }),
    ],
    [
      '2. At the limit they have ratelimit-reset and retry-after, in seconds',
      () =>
        limited(20, async (data) => {
          await data.healthCheck()
          expect(data.rateLimit()).toEqual({
            policy: '20;w=60',
            limit: 20,
            remaining: 0,
            resetSeconds: 40,
            retryAfterSeconds: 40,
          })
        }),
    ],
    [
      '3. The client stops sending until that time',
      async () => {
        const node = await createDevNode({
          now: NOW,
          httpAPIs: { apiKeys: [API_KEY], limit: 20 },
        })
        const clock = fakeClock()
        let sent = 0
        const data = createDataClient({
          url: 'http://data.test',
          apiKey: API_KEY,
          clock: {
            ...clock,
            sleep: async (ms, signal) => {
              await clock.sleep(ms, signal)
              node.setTime(NOW + 40)
            },
          },
          fetch: (url, init) => {
            sent++
            return node.fetch(url, init)
          },
        })
        await data.healthCheck()
        await data.healthCheck()
        expect([sent, clock.pauses]).toEqual([2, [40_000]])
        await node.close()
      },
    ],
  ],

  Versioning: [
    [
      'The HTTP interfaces carry the version in the path',
      async (world) => {
        for (const [path, ask] of Object.entries(checks(world))) {
          await ask()
          expect(world.last().target).toBe(path)
        }
      },
    ],
  ],
})
