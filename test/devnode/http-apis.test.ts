import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { ask } from './client.ts'
import { ewoq, outputTo, transfer, txParams, utxosOf } from './txs.ts'

const NOW = 1_700_000_000
const DAY = 86_400
const PEER = 'NodeID-8PYXX47kqLDe2wD4oPbvRRchcnSzMA4J4'
const OTHER = 'NodeID-C14fr1n8EYNKyDfYixJ3rxSAVqTY3a8BP'
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
    '%s returns the configured state',
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
      // The documented example: an error although every component is up.
      node.setServiceHealth('error-up')
      expect(await get(path)).toMatchObject({
        status: 200,
        body: { status: 'error', info: up, error: {}, details: up },
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
  it('rejects an unknown key in either header', async () => {
    for (const name of ['x-service-api-key', 'x-glacier-api-key'])
      expect(await get('/v1/chains', { [name]: 'other' })).toMatchObject({
        status: 401,
        body: { statusCode: 401, error: 'Unauthorized' },
      })
  })

  it('counts units per key and returns the time to wait', async () => {
    const asked = () => get('/v1/health-check', { 'X-Service-API-Key': 'known' })
    // The 20th second of a minute: 40 are left of it.
    for (const [remaining, reset] of [[80], [60], [40], [20], [0, '40']] as const) {
      const { status, headers } = await asked()
      expect([status, headers.get('ratelimit-remaining')]).toEqual([200, String(remaining)])
      expect(headers.get('ratelimit-policy')).toBe('100;w=60')
      expect(headers.get('ratelimit-limit')).toBe('100')
      expect(headers.get('retry-after')).toBe(reset ?? null)
      expect(headers.get('ratelimit-reset')).toBe(reset ?? null)
    }
    const refused = await asked()
    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'Too Many Requests', error: 'Too Many Requests', statusCode: 429 },
    })
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    const seconds = Number(refused.headers.get('retry-after'))
    expect(refused.headers.get('ratelimit-reset')).toBe(String(seconds))
    node.setTime(NOW + seconds)
    expect((await asked()).status).toBe(200)
  })

  it('sends no counts without a key', async () => {
    const { headers } = await get('/v1/chains')
    expect(headers.get('ratelimit-limit')).toBeNull()
    let last = 0
    for (let i = 0; i < 11; i++) last = (await get('/v1/health-check')).status
    expect(last).toBe(429)
  })

  it('treats an empty header as absent and uses the next', async () => {
    const empty = { 'x-service-api-key': '' }
    const anonymous = await get('/v1/chains', empty)
    expect([anonymous.status, anonymous.headers.get('ratelimit-limit')]).toEqual([200, null])
    const keyed = await get('/v1/chains', { ...empty, 'x-glacier-api-key': 'known' })
    expect([keyed.status, keyed.headers.get('ratelimit-limit')]).toEqual([200, '100'])
  })

  it('charges nothing for unknown routes, but sends the count', async () => {
    const key = { 'x-service-api-key': 'known' }
    const remaining = async (path: string, method = 'GET') => {
      const { status, headers } = await node.fetch(`http://node${path}`, { method, headers: key })
      return [status, headers.get('ratelimit-policy'), headers.get('ratelimit-remaining')]
    }
    expect(await remaining('/v1/foo')).toEqual([404, '100;w=60', '100'])
    expect(await remaining('/v1/chains', 'POST')).toEqual([404, '100;w=60', '100'])
    expect(await remaining('/v1/chains')).toEqual([200, '100;w=60', '99'])
    expect(await remaining('/v1/chains?network=foo')).toEqual([400, '100;w=60', '98'])
    // Without a key 200 units would be gone after two of the dearest.
    for (let i = 0; i < 5; i++) {
      expect((await get('/v1/foo')).status).toBe(404)
      expect((await get('/v2/foo')).status).toBe(404)
    }
    expect((await get('/v1/health-check')).status).toBe(200)
    expect((await get('/v1/avg_tps/43112')).status).toBe(200)
  })

  it('does not confuse a key with anonymous requests', async () => {
    const other = await createDevNode({
      now: NOW,
      httpAPIs: { apiKeys: ['data'], limit: 100, anonymousLimit: 20 },
    })
    await other.fetch('http://node/v1/health-check')
    const { headers } = await other.fetch('http://node/v1/chains', {
      headers: { 'x-service-api-key': 'data' },
    })
    expect(headers.get('ratelimit-remaining')).toBe('99')
    await other.close()
  })
})

// The statuses and shapes that the interfaces declare for every route.
describe('errors on demand', () => {
  it.each([
    [400, 'Bad Request'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'Not Found'],
    [429, 'Too Many Requests'],
    [500, 'Internal Server Error'],
    [502, 'Bad Gateway'],
    [503, 'Service Unavailable'],
  ] as const)('answer %i with its body', async (status, phrase) => {
    node.injectFault({ kind: 'error-body', on: '/v1/health-check', status })
    const failed = await get('/v1/health-check')
    expect([failed.status, failed.headers.get('content-type')]).toEqual([
      status,
      'application/json',
    ])
    expect(failed.body).toEqual({ message: phrase, error: phrase, statusCode: status })
    expect((await get('/v1/health-check')).status).toBe(200)
  })

  it('have a message of their own, as text or as list', async () => {
    for (const message of ['upstream is gone', ['pageSize must not be greater than 100', 'x']]) {
      node.injectFault({ kind: 'error-body', on: '/v2/', status: 502, message })
      expect((await get('/v2/health-check')).body).toEqual({
        message,
        error: 'Bad Gateway',
        statusCode: 502,
      })
    }
  })

  it('may omit the member error', async () => {
    const message = 'Internal server error'
    node.injectFault({ kind: 'error-body', message, withoutError: true })
    expect(await get('/v1/avg_tps/43112')).toMatchObject({ status: 500 })
    node.injectFault({ kind: 'error-body', message, withoutError: true })
    expect((await get('/v1/avg_tps/43112')).body).toEqual({ statusCode: 500, message })
  })

  it('may have no body', async () => {
    node.injectFault({ kind: 'empty', on: '/v1/', status: 503 })
    const response = await node.fetch('http://node/v1/live-check')
    expect([response.status, await response.text()]).toEqual([503, ''])
  })
})

describe('chains', () => {
  it('lists one chain with the required members', async () => {
    const { body } = await get('/v1/chains')
    expect(Object.keys(body.chains[0])).toEqual([
      ...['chainId', 'status', 'chainName', 'description', 'rpcUrl', 'vmName', 'isTestnet'],
      'networkToken',
    ])
  })

  it.each([
    ['', 1],
    ['?network=testnet', 1],
    ['?network=fuji', 1],
    ['?network=mainnet', 0],
    ['?feature=webhooks', 0],
    ['?network=testnet&feature=nftIndexing', 0],
    ['?pageSize=3', 1],
  ])('leaves out what is not asked for with %j', async (query, count) => {
    const { status, body } = await get(`/v1/chains${query}`)
    expect([status, body.chains.length]).toEqual([200, count])
  })

  it('belongs to Mainnet on a node of Mainnet', async () => {
    const mainnet = await createDevNode({ networkID: 1 })
    const chains = async (query: string) =>
      (await (await mainnet.fetch(`http://node/v1/chains?network=${query}`)).json()).chains
    expect(await chains('testnet')).toEqual([])
    expect(await chains('mainnet')).toMatchObject([{ chainId: '43114', isTestnet: false }])
    await mainnet.close()
  })

  it.each(['network=local', 'network=', 'feature=Webhooks', 'network=mainnet&network=x'])(
    'rejects %s',
    async (query) => {
      const { status, body } = await get(`/v1/chains?${query}`)
      expect(status).toBe(400)
      expect(body).toEqual({
        message: [expect.stringContaining(query.slice(0, 7))],
        error: 'Bad Request',
        statusCode: 400,
      })
    },
  )

  it('reports every invalid value', async () => {
    const { body } = await get('/v1/chains?network=a&feature=b')
    expect(body.message).toHaveLength(2)
  })

  it('answers unknown routes in its own format', async () => {
    expect(await get('/v1/foo')).toMatchObject({
      status: 404,
      body: { message: 'Cannot GET /v1/foo', error: 'Not Found', statusCode: 404 },
    })
  })
})

describe('average TPS', () => {
  it('has one point per day of the accepted transactions, newest first', async () => {
    const [coin] = await utxosOf(node, ewoq)
    await ask(
      node,
      'avm.issueTx',
      txParams(transfer([coin!], [outputTo(ewoq, networks.local.txFee)])),
    )
    const { body } = await get(`/v1/avg_tps/${formatID(networks.local.chainID)}`)
    expect(body).toMatchObject({ status: 200, lastRun: NOW })
    const today = NOW - (NOW % DAY)
    expect(body.results.slice(0, 2)).toEqual([
      { timestamp: today, value: 1 / DAY },
      { timestamp: today - DAY, value: 0 },
    ])
    // Each chain has its own count; the groups have those of all chains.
    let clock = NOW
    const newest = async (name: string) => {
      // A new window of the rate limit.
      clock += 60
      node.setTime(clock)
      return (await get(`/v1/avg_tps/${name}`)).body.results[0].value
    }
    expect(await newest('43112')).toBe(0)
    expect(await newest('total')).toBe(1 / DAY)
    expect(await newest('testnet')).toBe(1 / DAY)
    expect(await newest('mainnet')).toBe(0)
  })

  it('continues from a token for 24 hours', async () => {
    const first = (await get('/v1/avg_tps/mainnet')).body
    expect(first.nextPageToken).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const path = `/v1/avg_tps/mainnet?pageToken=${first.nextPageToken}`
    const second = (await get(path)).body
    expect(second.results[0].timestamp).toBe(first.results.at(-1).timestamp - DAY)
    node.setTime(NOW + DAY + 1)
    expect(await get(path)).toMatchObject({ status: 400, body: { error: 'Bad Request' } })
  })

  it('knows no other chain', async () => {
    expect(await get('/v1/avg_tps/1')).toMatchObject({ status: 404 })
    expect(await get('/v1/avg_tps/%34%33112')).toMatchObject({ status: 200 })
  })

  it.each(['%zz', '%ff', '43112%', '%E0%A4%A'])('rejects %s', async (chain) => {
    const { status, headers, body } = await get(`/v1/avg_tps/${chain}`)
    expect([status, headers.get('content-type')]).toEqual([400, 'application/json'])
    expect(body).toEqual({
      message: expect.any(String),
      error: 'Bad Request',
      statusCode: 400,
    })
  })
})

describe('the list of blocks', () => {
  const PATH = '/v1/networks/testnet/blockchains/x-chain/blocks'
  const numbers = (body: { blocks: { blockNumber: string }[] }) =>
    body.blocks.map(({ blockNumber }) => Number(blockNumber))

  beforeEach(() => {
    for (let i = 0; i < 12; i++) node.fund(ewoq.address, 5n)
  })

  it('has pages of ten, newest first, with a token while there are more', async () => {
    const first = await get(PATH)
    expect(first.status).toBe(200)
    expect(numbers(first.body)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    expect(first.body.chainInfo).toEqual({ chainName: 'x-chain', network: 'testnet' })
    expect(first.body.nextPageToken).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    // A block that is accepted meanwhile shifts nothing.
    node.fund(ewoq.address, 5n)
    const second = await get(`${PATH}?pageToken=${first.body.nextPageToken}`)
    expect(numbers(second.body)).toEqual([2, 1, 0])
    expect(second.body).not.toHaveProperty('nextPageToken')
  })

  it('describes the blocks of the node', async () => {
    const { body } = await get(`${PATH}?pageSize=1`)
    const { block } = await ask<{ block: { id: string; parentID: string; txs: { id: string }[] } }>(
      node,
      'avm.getBlockByHeight',
      { height: '12', encoding: 'json' },
    )
    expect(body.blocks).toEqual([
      {
        blockNumber: '12',
        blockHash: block.id,
        parentHash: block.parentID,
        blockTimestamp: NOW,
        blockType: 'StandardBlock',
        txCount: 1,
        transactions: [block.txs[0]!.id],
        blockSizeBytes: expect.any(Number),
      },
    ])
  })

  it('accepts page sizes from 1 to 100', async () => {
    expect(numbers((await get(`${PATH}?pageSize=3`)).body)).toEqual([12, 11, 10])
    const whole = await get(`${PATH}?pageSize=13`)
    expect([whole.body.blocks.length, whole.body.nextPageToken]).toEqual([13, undefined])
    for (const [size, rule] of [
      ['0', 'less than 1'],
      ['-1', 'less than 1'],
      ['101', 'greater than 100'],
      ['', 'integer'],
      ['1.5', 'integer'],
    ])
      expect(await get(`${PATH}?pageSize=${size}`)).toMatchObject({
        status: 400,
        body: { message: [expect.stringContaining(rule!)], error: 'Bad Request' },
      })
  })

  it('rejects tokens that are unknown, of another list, or older than 24 hours', async () => {
    const { nextPageToken } = (await get(`${PATH}?pageSize=1`)).body
    const series = (await get('/v1/avg_tps/mainnet')).body.nextPageToken
    for (const token of ['x', '', series])
      expect((await get(`${PATH}?pageToken=${token}`)).status).toBe(400)
    node.setTime(NOW + DAY)
    expect((await get(`${PATH}?pageToken=${nextPageToken}`)).status).toBe(200)
    node.setTime(NOW + DAY + 1)
    expect((await get(`${PATH}?pageToken=${nextPageToken}`)).status).toBe(400)
  })

  it('restarts after 24 hours if configured', async () => {
    const other = await createDevNode({ now: NOW, httpAPIs: { expiredTokens: 'restart' } })
    other.fund(ewoq.address, 5n)
    const page = async (query: string) =>
      (await other.fetch(`http://node${PATH}?pageSize=1${query}`)).json()
    const { nextPageToken } = await page('')
    expect(numbers(await page(`&pageToken=${nextPageToken}`))).toEqual([0])
    other.setTime(NOW + DAY + 1)
    expect(numbers(await page(`&pageToken=${nextPageToken}`))).toEqual([1])
    expect((await page('&pageToken=x')).statusCode).toBe(400)
    await other.close()
  })

  it('is available by the chain ID, and for no other chain or network', async () => {
    const id = formatID(networks.local.chainID)
    expect((await get(PATH.replace('x-chain', id))).status).toBe(200)
    expect((await get(PATH.replace('testnet', 'fuji'))).status).toBe(200)
    expect((await get(PATH.replace('x-chain', 'p-chain'))).status).toBe(404)
    expect((await get(PATH.replace('testnet', 'mainnet'))).status).toBe(404)
    expect((await get(PATH.replace('testnet', 'local'))).status).toBe(400)
  })
})

describe('health of the node', () => {
  it('reports messages once there are peers', async () => {
    const network = async () => (await get('/ext/health')).body.checks.network.message
    expect(await network()).toEqual({ connectedPeers: 0, sendFailRate: 0 })
    node.setPeers([
      { nodeID: PEER, lastReceived: NOW - 61, lastSent: NOW - 7262 },
      { nodeID: OTHER, lastReceived: NOW - 90, lastSent: NOW - 8000 },
    ])
    expect(await network()).toEqual({
      connectedPeers: 2,
      sendFailRate: 0,
      timeSinceLastMsgReceived: '1m1s',
      timeSinceLastMsgSent: '2h1m2s',
    })
    node.setPeers([{ nodeID: PEER }])
    expect(await network()).toMatchObject({ timeSinceLastMsgSent: '0s' })
    node.setTime(NOW + 5)
    node.setPeers([{ nodeID: PEER, lastSent: NOW }])
    expect(await network()).toMatchObject({ timeSinceLastMsgSent: '5s' })
  })

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
