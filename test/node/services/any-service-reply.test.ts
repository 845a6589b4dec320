import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import {
  createDataClient,
  createMetricsClient,
  type DataClient,
  type MetricsClient,
} from '../../../src/node/index.ts'
import { runs } from '../../helpers/runs.ts'
import { fakeClock } from '../fake-clock.ts'

type Clients = { readonly metrics: MetricsClient; readonly data: DataClient }

/** Maximum number of pages to follow. */
const MAX_ITEMS = 50

async function some(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const taken: unknown[] = []
  for await (const item of items) if (taken.push(item) === MAX_ITEMS) break
  return taken
}

const calls: { readonly [name: string]: (clients: Clients) => Promise<unknown> } = {
  'metrics health': ({ metrics }) => metrics.healthCheck(),
  'data health': ({ data }) => data.healthCheck(),
  'data liveness': ({ data }) => data.liveCheck(),
  'average TPS': ({ metrics }) => some(metrics.averageTPS('43114')),
  'average TPS from a token': ({ metrics }) => some(metrics.averageTPSPages(1, { pageToken: 'a' })),
  chains: ({ data }) => data.chains(),
  list: ({ data }) => some(data.list('/v1/x')),
  'list of a member': ({ data }) => some(data.list('/v1/x', { field: 'results', pageSize: 2 })),
}

/** Bodies that resemble real ones, with any value in the place of a member. */
const bodies: readonly { readonly [member: string]: unknown }[] = [
  { status: 'ok', info: { database: { status: 'up' } }, error: {}, details: {} },
  { results: [{ timestamp: 1, value: 2 }], status: 200, lastRun: 3, nextPageToken: 'a' },
  { message: ['a', 'b'], error: 'Bad Request', statusCode: 400 },
  {
    chains: [
      {
        chainId: '1',
        status: 'OK',
        chainName: '',
        description: '',
        vmName: 'EVM',
        rpcUrl: '',
        isTestnet: true,
        networkToken: { name: '', symbol: '', decimals: 18 },
      },
    ],
  },
]
const damaged = fc
  .constantFrom(...bodies.flatMap((body) => Object.keys(body).map((key) => [body, key] as const)))
  .chain(([body, key]) => fc.jsonValue().map((value) => JSON.stringify({ ...body, [key]: value })))
const odd = fc.constantFrom(
  '{"status":1e999}',
  '{"x":[1e999,-0,1e-400]}',
  `{"results":${'['.repeat(500)}${']'.repeat(500)}}`,
  '{"__proto__":{"status":"ok"},"x":[{"__proto__":1}]}',
  '{"status":"ok","details":{"constructor":null}}',
)

describe('an answer of any shape from the metrics and data APIs', () => {
  test.prop(
    [
      fc.constantFrom(...Object.keys(calls)),
      fc.constantFrom(200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 418, 429, 500, 502, 503),
      fc.array(fc.oneof(damaged, fc.json(), odd, fc.string({ unit: 'binary' })), { minLength: 1 }),
      fc.constantFrom('application/json', 'text/plain', 'text/html', ''),
    ],
    runs(1000),
  )('is read or rejected with a typed error of one line', async (name, status, texts, type) => {
    let asked = 0
    const fetch = async () => {
      const text = texts[asked++ % texts.length]!
      const body = status === 204 ? null : text
      return new Response(body, { status, headers: { 'content-type': type } })
    }
    const options = { url: 'http://service.test', fetch, clock: fakeClock(), retry: { retries: 1 } }
    const clients = { metrics: createMetricsClient(options), data: createDataClient(options) }
    const error = await calls[name]!(clients).then(
      () => undefined,
      (caught) => caught,
    )
    if (error === undefined) expect(status).toBeLessThan(600)
    else {
      expect(error).toBeInstanceOf(AvmError)
      expect(error.message).not.toMatch(/\n/)
      expect(error.message.length).toBeLessThan(3000)
    }
  })

  test.prop([fc.oneof(damaged, fc.json(), odd)], runs(500))(
    'is healthy only if its status says so',
    async (body) => {
      const fetch = async () => new Response(body)
      const data = createDataClient({ url: 'http://service.test', fetch, clock: fakeClock() })
      const health = await data.healthCheck().catch(() => undefined)
      if (health?.healthy) expect(JSON.parse(body)).toMatchObject({ status: 'ok' })
    },
  )
})
