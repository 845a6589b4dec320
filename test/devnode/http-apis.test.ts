import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { networks } from '../../src/chain/networks.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { ask } from './client.ts'
import { ewoq, outputTo, transfer, txParams, utxosOf } from './txs.ts'

const NOW = 1_700_000_000
const DAY = 86_400
let node: DevNode

beforeEach(async () => {
  node = await createDevNode({
    now: NOW,
    httpAPIs: { apiKeys: ['known'], limit: 100, anonymousLimit: 200, windowSeconds: 60 },
  })
})
afterEach(() => node.close())

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await node.fetch(`http://node${path}`, { headers })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe('health checks', () => {
  it.each(['/v1/health-check', '/v1/live-check', '/v2/health-check', '/v2/live-check'])(
    '%s tells the state it was given',
    async (path) => {
      const up = { database: { status: 'up' } }
      const down = { database: { status: 'down' } }
      expect(await get(path)).toMatchObject({
        status: 200,
        body: { status: 'ok', info: up, error: {}, details: up },
      })
      node.setServiceHealth('error')
      expect(await get(path)).toMatchObject({
        status: 503,
        body: { status: 'error', info: {}, error: down, details: down },
      })
      node.setServiceHealth('error-body')
      expect(await get(path)).toMatchObject({
        status: 503,
        body: { message: 'Service Unavailable', error: 'Service Unavailable', statusCode: 503 },
      })
    },
  )
})

describe('keys and quotas', () => {
  it('refuses an unknown key, under either name', async () => {
    for (const name of ['x-service-api-key', 'x-glacier-api-key'])
      expect(await get('/v1/chains', { [name]: 'other' })).toMatchObject({
        status: 401,
        body: { statusCode: 401, error: 'Unauthorized' },
      })
  })

  it('counts for a known key and tells when to come back', async () => {
    const asked = () => get('/v1/health-check', { 'X-Service-API-Key': 'known' })
    for (const remaining of [80, 60, 40, 20, 0]) {
      const { status, headers } = await asked()
      expect([status, headers.get('ratelimit-remaining')]).toEqual([200, String(remaining)])
      expect(headers.get('ratelimit-policy')).toBe('100;w=60')
      expect(headers.get('retry-after')).toBeNull()
    }
    const refused = await asked()
    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'Too Many Requests', error: 'Too Many Requests', statusCode: 429 },
    })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(refused.headers.get('ratelimit-reset')).toBe(String(seconds))
    node.setTime(NOW + seconds)
    expect((await asked()).status).toBe(200)
  })

  it('tells nothing to who has no key', async () => {
    const { headers } = await get('/v1/chains')
    expect(headers.get('ratelimit-limit')).toBeNull()
    let last = 0
    for (let i = 0; i < 11; i++) last = (await get('/v1/health-check')).status
    expect(last).toBe(429)
  })
})

describe('chains', () => {
  it('lists one with the required members only', async () => {
    const { body } = await get('/v1/chains')
    expect(Object.keys(body.chains[0])).toEqual([
      ...['chainId', 'status', 'chainName', 'description', 'rpcUrl', 'vmName', 'isTestnet'],
      'networkToken',
    ])
  })

  it('answers unknown routes in the manner of its kind', async () => {
    expect(await get('/v1/foo')).toMatchObject({
      status: 404,
      body: { message: 'Cannot GET /v1/foo', error: 'Not Found', statusCode: 404 },
    })
  })
})

describe('average TPS', () => {
  it('has a point a day, newest first, of what was accepted', async () => {
    const [coin] = await utxosOf(node, ewoq)
    await ask(
      node,
      'avm.issueTx',
      txParams(transfer([coin!], [outputTo(ewoq, networks.local.txFee)])),
    )
    const { body } = await get('/v1/avg_tps/43112')
    expect(body).toMatchObject({ status: 200, lastRun: NOW })
    const today = NOW - (NOW % DAY)
    expect(body.results.slice(0, 2)).toEqual([
      { timestamp: today, value: 1 / DAY },
      { timestamp: today - DAY, value: 0 },
    ])
  })

  it('goes on from a token for 24 hours', async () => {
    const first = (await get('/v1/avg_tps/mainnet')).body
    expect(first.nextPageToken).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const path = `/v1/avg_tps/mainnet?pageToken=${first.nextPageToken}`
    const second = (await get(path)).body
    expect(second.results[0].timestamp).toBe(first.results.at(-1).timestamp - DAY)
    node.setTime(NOW + DAY + 1)
    expect(await get(path)).toMatchObject({ status: 400, body: { error: 'Bad Request' } })
  })

  it('knows no other chains', async () => {
    expect(await get('/v1/avg_tps/1')).toMatchObject({ status: 404 })
  })
})

describe('health of the node', () => {
  it('fails a check on demand', async () => {
    node.setHealthCheck('database', 'disk on fire')
    const { status, body } = await get('/ext/health')
    expect([status, body.healthy, body.checks.database.error]).toEqual([503, false, 'disk on fire'])
    expect((await get('/ext/health/readiness')).status).toBe(200)
    node.setHealthCheck('database', undefined)
    expect((await get('/ext/health?tag=11111111111111111111111111111111LpoYY')).status).toBe(200)
  })

  it('is 503 on chain paths while they bootstrap', async () => {
    node.setBootstrapping('chains')
    const response = await node.fetch('http://node/ext/bc/X', { method: 'POST' })
    expect([response.status, await response.text()]).toEqual([
      503,
      'API call rejected because chain is not done bootstrapping\n',
    ])
  })
})
