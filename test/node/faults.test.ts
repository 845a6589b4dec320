import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AvmError } from '../../src/core/base/errors.ts'
import {
  createNodeClient,
  HttpError,
  type NodeClientOptions,
  ReplyError,
  TimeoutError,
} from '../../src/node/index.ts'
import {
  type Answer,
  deadAddress,
  endless,
  type FaultServer,
  nodeError,
  raw,
  reset,
  resetInside,
  result,
  silence,
  silenceInside,
  startFaultServer,
} from '../helpers/fault-server.ts'
import { fakeClock } from './fake-clock.ts'
import { recorded, resultIn } from './recorded.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

/** Requests the height from a server with this answer; by default once. */
function heightOf(answers: readonly Answer[], options: Partial<NodeClientOptions> = {}) {
  server.answer(...answers)
  const client = createNodeClient({
    url: server.url,
    retry: { retries: 0 },
    clock: fakeClock(),
    ...options,
  })
  return client.avm.getHeight()
}

const html = { 'content-type': 'text/html' }

describe('a bad connection', () => {
  it('that is refused is reported as unreachable', async () => {
    const url = await deadAddress()
    const failure = await heightOf([reset], { url }).catch((error) => error)
    expect(failure).toBeInstanceOf(HttpError)
    expect(failure).toMatchObject({ code: 'HTTP_UNREACHABLE', method: 'avm.getHeight' })
    expect(failure.endpoint).toBe(new URL(url).host)
  })

  it('that is cut before an answer is reported as unreachable', async () => {
    await expect(heightOf([reset])).rejects.toMatchObject({ code: 'HTTP_UNREACHABLE' })
  })

  it('that is cut inside an answer is reported as interrupted', async () => {
    await expect(heightOf([resetInside])).rejects.toMatchObject({
      code: 'HTTP_INTERRUPTED',
      status: 200,
    })
  })

  it.each([
    ['from the beginning', silence],
    ['inside an answer', silenceInside],
  ])('that is silent %s ends with a timeout', async (_, answer) => {
    const failure = await heightOf([answer], { timeoutMs: 40 }).catch((error) => error)
    expect(failure).toBeInstanceOf(TimeoutError)
    expect(failure).toMatchObject({ code: 'RPC_TIMEOUT', timeoutMs: 40 })
  })

  it('ends with a timeout even if fetch ignores the signal', async () => {
    const fetch = () => new Promise<Response>(() => {})
    await expect(heightOf([silence], { timeoutMs: 5, fetch })).rejects.toMatchObject({
      code: 'RPC_TIMEOUT',
    })
  })
})

describe('an error status', () => {
  const bodies: [string, string, { [name: string]: string }][] = [
    [
      'JSON',
      '{"message":["a","b"],"error":"Bad","statusCode":1}',
      { 'content-type': 'application/json' },
    ],
    ['HTML', '<html><body>go away</body></html>', html],
    ['an empty body', '', {}],
    ['a truncated body', '{"jsonrpc":"2.0","err', { 'content-type': 'application/json' }],
  ]
  for (const status of [400, 401, 403, 404, 418, 500, 502, 503, 504])
    it.each(bodies)(`${status} with %s is an HttpError`, async (_, body, headers) => {
      const failure = await heightOf([raw(status, body, headers)]).catch((error) => error)
      expect(failure).toBeInstanceOf(HttpError)
      expect(failure).toMatchObject({ code: 'HTTP_STATUS', status, body })
      expect(failure.retryable).toBe(status >= 500)
    })

  it('contains the message of the server, from text or a list', async () => {
    const failure = await heightOf([raw(400, '{"message":["a","b"],"statusCode":400}')]).catch(
      (error) => error,
    )
    expect(failure.message).toContain('a; b')
  })

  it('4xx with a JSON-RPC error is the error of the node', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}'
    await expect(heightOf([raw(400, body)])).rejects.toMatchObject({
      code: 'RPC_METHOD_NOT_FOUND',
      nodeCode: -32601,
    })
  })

  it('429 is a rate limit, with and without headers', async () => {
    const bare = await heightOf([raw(429, '', {})]).catch((error) => error)
    expect(bare).toMatchObject({ code: 'HTTP_RATE_LIMITED', status: 429, retryable: true })
    expect(bare.retryAfterMs).toBeUndefined()
    const told = await heightOf([raw(429, '<html>', { ...html, 'retry-after': '7' })]).catch(
      (error) => error,
    )
    expect(told).toMatchObject({ code: 'HTTP_RATE_LIMITED', retryAfterMs: 7000 })
  })

  it('307 is reported and the redirect is not followed', async () => {
    const away = raw(307, '', { location: 'http://127.0.0.1:1/' })
    await expect(heightOf([away])).rejects.toMatchObject({ code: 'HTTP_REDIRECT', status: 307 })
    expect(server.requests.length).toBeGreaterThan(0)
  })
})

describe('an invalid body', () => {
  const ok = '{"jsonrpc":"2.0","result":{"height":"5"},"id":1}'
  const json = { 'content-type': 'application/json' }
  it.each([
    ['empty', '', json, 'REPLY_EMPTY'],
    ['white space', ' \n', json, 'REPLY_EMPTY'],
    ['truncated JSON', ok.slice(0, -3), json, 'REPLY_NOT_JSON'],
    ['HTML as JSON', '<html>', json, 'REPLY_NOT_JSON'],
    ['HTML', '<html>', html, 'REPLY_CONTENT_TYPE'],
    ['JSON as HTML', ok, html, 'REPLY_CONTENT_TYPE'],
    ['a text', '"5"', json, 'REPLY_SHAPE'],
    ['a list', `[${ok}]`, json, 'REPLY_SHAPE'],
    ['no result', '{"jsonrpc":"2.0","id":1}', json, 'REPLY_SHAPE'],
    ['a result that is a text', '{"jsonrpc":"2.0","result":"5","id":1}', json, 'REPLY_SHAPE'],
    ['a result without the field', '{"jsonrpc":"2.0","result":{},"id":1}', json, 'REPLY_SHAPE'],
    ['the ID of another request', ok.replace('"id":1', '"id":2'), json, 'REPLY_WRONG_ID'],
    ['an ID that is an object', ok.replace('"id":1', '"id":{"a":1}'), json, 'REPLY_WRONG_ID'],
  ])('that is %s is an error with its own code', async (_, body, headers, code) => {
    const failure = await heightOf([raw(200, body, headers)]).catch((error) => error)
    expect(failure).toBeInstanceOf(ReplyError)
    expect(failure).toMatchObject({ code, method: 'avm.getHeight' })
  })

  it.each([
    ['an ID as text', ok.replace('"id":1', '"id":"1"'), json],
    ['no ID', ok.replace(',"id":1', ''), json],
    ['no content type', ok, {}],
    ['plain text', ok, { 'content-type': 'text/plain' }],
    ['a byte order mark', `\ufeff${ok}`, json],
  ])('with %s is accepted', async (_, body, headers) => {
    expect(await heightOf([raw(200, body, headers as { [name: string]: string })])).toBe(5n)
  })

  it.each([
    ['a text', '"boom"', undefined, 'boom'],
    ['an object without data', '{"code":-1,"message":"boom"}', -1, 'boom'],
    ['an object of another shape', '{"reason":"boom"}', undefined, '{"reason":"boom"}'],
  ])('with an error as %s is the error of the node', async (_, error, nodeCode, nodeMessage) => {
    await expect(
      heightOf([raw(200, `{"jsonrpc":"2.0","error":${error},"id":1}`)]),
    ).rejects.toMatchObject({ code: 'RPC_ERROR', nodeCode, nodeMessage })
  })

  it('that announces more than the limit is not read', async () => {
    const body = `{"jsonrpc":"2.0","result":{"height":"5","pad":"${'x'.repeat(2000)}"},"id":1}`
    const announced = { ...json, 'content-length': String(body.length) }
    await expect(
      heightOf([raw(200, body, announced)], { maxBodyBytes: 1000 }),
    ).rejects.toMatchObject({ code: 'HTTP_BODY_TOO_LARGE', retryable: false })
    expect(await heightOf([raw(200, body, announced)], { maxBodyBytes: body.length })).toBe(5n)
  })

  it('that never ends is read up to the limit', async () => {
    await expect(heightOf([endless], { maxBodyBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'HTTP_BODY_TOO_LARGE',
    })
  })
})

describe('pages of UTXOs from a bad server', () => {
  const page = resultIn(recorded('avm.getUTXOs: 10 UTXOs, limit 4, page 1')) as {
    utxos: string[]
    endIndex: { address: string; utxo: string }
  }
  const walk = async (answers: readonly Answer[], encoding: 'hex' | 'hexnc' = 'hex') => {
    server.answer(...answers)
    const client = createNodeClient({ url: server.url, clock: fakeClock() })
    const { address } = page.endIndex
    for await (const _ of client.utxoPages({ addresses: [address], pageSize: 4, encoding }));
  }

  it('with a wrong checksum are an error that names the entry', async () => {
    const utxos = [...page.utxos]
    utxos[2] = utxos[2]!.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    const failure = await walk([result({ ...page, utxos })]).catch((error) => error)
    expect(failure).toMatchObject({
      code: 'REPLY_BAD_UTXO',
      method: 'avm.getUTXOs',
      field: 'result.utxos[2]',
    })
    expect((failure.cause as AvmError).code).toBe('ENC_BAD_CHECKSUM')
  })

  it('with text that is not hex are an error in every encoding', async () => {
    const utxos = ['0xzz', ...page.utxos.slice(1)]
    const answer = result({ ...page, utxos, encoding: 'hexnc' })
    await expect(walk([answer], 'hexnc')).rejects.toMatchObject({
      code: 'REPLY_BAD_UTXO',
      field: 'result.utxos[0]',
    })
  })

  it('a count that differs from the list is an error', async () => {
    const answer = result({ ...page, utxos: page.utxos.slice(1) })
    await expect(walk([answer])).rejects.toMatchObject({
      code: 'REPLY_MISMATCH',
      field: 'result.numFetched',
    })
  })

  it('an endlessly repeated page is an error', async () => {
    await expect(walk([result(page)])).rejects.toMatchObject({ code: 'REPLY_NO_PROGRESS' })
  })

  it('a page that ends at its start is an error immediately', async () => {
    server.answer(result(page))
    const seen = server.requests.length
    const client = createNodeClient({ url: server.url, clock: fakeClock() })
    const addresses = [page.endIndex.address, new Uint8Array(20)]
    const walkBoth = async () => {
      for await (const _ of client.utxoPages({ addresses, pageSize: 4 }));
    }
    await expect(walkBoth()).rejects.toMatchObject({ code: 'REPLY_NO_PROGRESS' })
    expect(server.requests.length - seen).toBe(2)
  })

  it('two endlessly alternating pages are an error', async () => {
    const other = {
      ...page,
      utxos: [...page.utxos].reverse(),
      endIndex: { ...page.endIndex, utxo: '11111111111111111111111111111111LpoYY' },
    }
    let turn = 0
    const answer: Answer = (response, request) =>
      result(turn++ % 2 === 0 ? page : other)(response, request)
    await expect(walk([answer])).rejects.toMatchObject({ code: 'REPLY_NO_PROGRESS' })
    expect(turn).toBeLessThan(40)
  })

  it('known UTXOs with ever new end indices are an error', async () => {
    let turn = 0
    const answer: Answer = (response, request) => {
      const endIndex = { ...page.endIndex, utxo: `end${turn++}` }
      return result({ ...page, utxos: [...page.utxos].reverse(), endIndex })(response, request)
    }
    await expect(walk([answer])).rejects.toMatchObject({ code: 'REPLY_NO_PROGRESS' })
    expect(turn).toBeLessThan(40)
  })
})

describe('health by GET from a bad server', () => {
  it('503 with HTML is an error, 503 with any other body is unhealthy', async () => {
    const client = createNodeClient({ url: server.url, clock: fakeClock() })
    server.answer(raw(503, '<html>', html))
    await expect(client.healthGet.root()).rejects.toMatchObject({
      code: 'HTTP_STATUS',
      status: 503,
    })
    server.answer(raw(503, '{"message":"overloaded"}'))
    expect(await client.healthGet.root()).toEqual({ healthy: false, checks: {} })
    server.answer(raw(503, '{"checks":{},"healthy":false}'))
    expect(await client.healthGet.root()).toEqual({ healthy: false, checks: {} })
  })
})

describe('issuing through a bad server', () => {
  it('polls getTx before it decides', async () => {
    const { tx } = resultIn<{ tx: string }>(recorded('getTx hex: the same export'))
    const bytes = Uint8Array.from(Buffer.from(tx.slice(2, -8), 'hex'))
    for (const answer of [reset, resetInside, raw(502, '<html>', html), raw(200, '')]) {
      server.answer(answer, result({ tx, encoding: 'hex' }))
      const client = createNodeClient({ url: server.url, clock: fakeClock() })
      expect(await client.issueTx(bytes)).toMatchObject({ status: 'accepted' })
      server.answer(answer, nodeError('not found'))
      await expect(client.issueTx(bytes)).rejects.toMatchObject({
        code: 'TX_UNKNOWN',
        status: 'unknown',
      })
    }
  })
})
