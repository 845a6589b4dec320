import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createNodeClient,
  type Fetch,
  HttpError,
  type NodeClientOptions,
  type RequestAttempt,
} from '../../../src/node/index.ts'
import {
  deadAddress,
  type FaultServer,
  nodeError,
  raw,
  reset,
  result,
  silence,
  startFaultServer,
} from '../../helpers/fault-server.ts'
import { type FakeClock, fakeClock } from '../fake-clock.ts'
import { recorded, resultIn } from '../recorded.ts'

let server: FaultServer
let other: FaultServer
let clock: FakeClock
beforeAll(async () => {
  server = await startFaultServer()
  other = await startFaultServer()
})
afterAll(() => Promise.all([server.close(), other.close()]))

function client(options: Partial<NodeClientOptions> = {}) {
  clock = fakeClock()
  return createNodeClient({ url: server.url, clock, ...options })
}

const height = result({ height: '5' })
const bad = raw(502, '<html>', { 'content-type': 'text/html' })

/** A JSON-RPC error of a gateway. */
const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"key has expired"}}'

describe('requests', () => {
  it('never carry cookies and are not redirected', async () => {
    const seen: RequestInit[] = []
    const fetch: Fetch = async (_, init) => {
      seen.push(init)
      return new Response('{"jsonrpc":"2.0","result":{"height":"5"},"id":1}', {
        headers: { 'content-type': 'application/json' },
      })
    }
    await client({ fetch }).avm.getHeight()
    expect(seen).toMatchObject([{ credentials: 'omit', redirect: 'manual' }])
  })
})

describe('retries of reads', () => {
  it('continue with growing delays until an answer arrives', async () => {
    server.answer(bad, reset, raw(503, ''), height)
    expect(await client().avm.getHeight()).toBe(5n)
    expect(clock.pauses).toEqual([250, 500, 1000])
  })

  it('randomize half of the delay', async () => {
    server.answer(bad, bad, height)
    const slow = fakeClock()
    const c = client({ clock: { ...slow, random: () => 0 } })
    expect(await c.avm.getHeight()).toBe(5n)
    expect(slow.pauses).toEqual([125, 250])
  })

  it('end with the last error', async () => {
    server.answer(bad)
    const seen = server.requests.length
    await expect(client({ retry: { retries: 2 } }).avm.getHeight()).rejects.toMatchObject({
      code: 'HTTP_STATUS',
      status: 502,
    })
    expect(server.requests.length - seen).toBe(3)
  })

  it('happen once after an invalid answer', async () => {
    server.answer(raw(200, '<html>'))
    const seen = server.requests.length
    await expect(client().avm.getHeight()).rejects.toMatchObject({ code: 'REPLY_NOT_JSON' })
    expect(server.requests.length - seen).toBe(2)
    server.answer(raw(200, ''), height)
    expect(await client().avm.getHeight()).toBe(5n)
  })

  it.each([
    ['an error of the node', nodeError('boom'), 'RPC_ERROR'],
    ['a wrong shape', result({}), 'REPLY_SHAPE'],
    ['401', raw(401, ''), 'HTTP_STATUS'],
  ])('do not happen for %s', async (_, answer, code) => {
    server.answer(answer)
    const seen = server.requests.length
    await expect(client().avm.getHeight()).rejects.toMatchObject({ code })
    expect(server.requests.length - seen).toBe(1)
  })

  it('never happen for writes and for requests about one node', async () => {
    server.answer(bad)
    const tx = new Uint8Array(80)
    for (const call of [
      () => client().avm.issueTx({ tx }),
      () => client().wallet.issueTx({ tx }),
      () => client().health.health(),
      () => client().healthGet.root(),
    ]) {
      const seen = server.requests.length
      await expect(call()).rejects.toBeInstanceOf(HttpError)
      expect(server.requests.length - seen).toBe(1)
    }
  })

  it('keep the request ID, which differs between calls', async () => {
    server.answer(bad, height)
    const seen = server.requests.length
    const c = client()
    await c.avm.getHeight()
    await c.avm.getHeight()
    const ids = server.requests.slice(seen).map((r) => JSON.parse(r.body).id)
    expect(ids).toEqual([1, 1, 2])
  })
})

describe('delays requested by a server', () => {
  it('are respected: retry-after in seconds', async () => {
    server.answer(raw(429, '', { 'retry-after': '7' }), height)
    expect(await client().avm.getHeight()).toBe(5n)
    expect(clock.pauses).toEqual([7000])
  })

  it('are respected: retry-after as a date', async () => {
    const date = new Date(1_700_000_000_000 + 9000).toUTCString()
    server.answer(raw(503, '', { 'retry-after': date }), height)
    expect(await client().avm.getHeight()).toBe(5n)
    expect(clock.pauses).toEqual([9000])
  })

  it('are respected: ratelimit-reset without retry-after', async () => {
    server.answer(raw(429, '', { 'ratelimit-reset': '3' }), height)
    expect(await client().avm.getHeight()).toBe(5n)
    expect(clock.pauses).toEqual([3000])
  })

  it('fail the call if they exceed its time limit', async () => {
    server.answer(raw(429, '', { 'retry-after': '3600' }))
    const seen = server.requests.length
    const c = client()
    await expect(c.avm.getHeight()).rejects.toMatchObject({
      code: 'HTTP_RATE_LIMITED',
      retryAfterMs: 3_600_000,
    })
    // The next call sends no request.
    await expect(c.avm.getHeight()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED' })
    expect(server.requests.length - seen).toBe(1)
    expect(clock.pauses).toEqual([])
  })

  it('apply to later calls', async () => {
    server.answer(raw(429, '', { 'retry-after': '30' }), height)
    const c = client({ retry: { retries: 0 } })
    await expect(c.avm.getHeight()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED' })
    expect(await c.avm.getHeight()).toBe(5n)
    expect(clock.pauses).toEqual([30_000])
  })

  it('do not grow if the clock is set back', async () => {
    server.answer(raw(429, '', { 'retry-after': '30' }), height)
    const c = client({ retry: { retries: 0 } })
    await expect(c.avm.getHeight()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED' })
    clock.advance(-3_600_000)
    expect(await c.avm.getHeight()).toBe(5n)
    expect(clock.pauses).toEqual([30_000])
  })

  it('are not needed if another server answers', async () => {
    server.answer(raw(429, '', { 'retry-after': '30' }))
    other.answer(height)
    const c = client({ url: [server.url, other.url] })
    expect(await c.avm.getHeight()).toBe(5n)
    expect(clock.pauses).toEqual([])
  })
})

describe('rate-limit headers', () => {
  it('are available after a call', async () => {
    const headers = {
      'content-type': 'application/json',
      'RateLimit-Policy': '8000;w=60, 2000000;w=86400',
      'ratelimit-limit': '8000, 8000;w=60',
      'ratelimit-remaining': '7999',
    }
    server.answer(raw(200, '{"jsonrpc":"2.0","result":{"height":"1"},"id":1}', headers))
    const c = client()
    expect(c.rateLimit()).toBeUndefined()
    await c.avm.getHeight()
    expect(c.rateLimit()).toEqual({
      policy: '8000;w=60, 2000000;w=86400',
      limit: 8000,
      remaining: 7999,
    })
  })

  it('never cause an error, whatever they contain', async () => {
    const headers = {
      'content-type': 'application/json',
      'ratelimit-limit': 'many',
      'ratelimit-remaining': '-1',
      'retry-after': 'soon',
    }
    server.answer(raw(200, '{"jsonrpc":"2.0","result":{"height":"1"},"id":1}', headers))
    const c = client()
    expect(await c.avm.getHeight()).toBe(1n)
    expect(c.rateLimit()).toBeUndefined()
  })
})

describe('date headers', () => {
  const dated = (date: string, id = 1) =>
    raw(200, `{"jsonrpc":"2.0","result":{"height":"1"},"id":${id}}`, {
      'content-type': 'application/json',
      date,
    })

  it('give the time of the last server, rounded up to the second', async () => {
    const c = client({ url: [server.url, other.url] })
    expect(c.nodeTime()).toBeUndefined()
    server.answer(dated('Tue, 14 Nov 2023 22:13:10 GMT'))
    await c.avm.getHeight()
    expect(c.nodeTime()).toBe(1_699_999_991_000)
    clock.advance(500)
    expect(c.nodeTime()).toBe(1_699_999_991_500)
    // The date of a failed answer may be wrong.
    server.answer(raw(502, '', { date: 'Thu, 01 Jan 1970 00:00:00 GMT' }))
    other.answer(dated('Tue, 14 Nov 2023 23:00:00 GMT', 2))
    await c.avm.getHeight()
    expect(c.nodeTime()).toBe(1_700_002_801_000)
  })

  it('are ignored if invalid', async () => {
    for (const date of ['', 'yesterday', '9'.repeat(100_000)]) {
      const c = client()
      server.answer(dated(date))
      await c.avm.getHeight().catch(() => {})
      expect(c.nodeTime()).toBeUndefined()
    }
  })
})

describe('several servers', () => {
  it('are tried in turn until one answers, which is preferred from then on', async () => {
    server.answer(bad)
    other.answer(height)
    const c = client({ url: [await deadAddress(), server.url, other.url] })
    expect(await c.avm.getHeight()).toBe(5n)
    expect(clock.pauses).toEqual([])
    const [before, beforeOther] = [server.requests.length, other.requests.length]
    await c.avm.getHeight()
    expect([server.requests.length - before, other.requests.length - beforeOther]).toEqual([0, 1])
  })

  it.each([
    ['refuses requests', raw(403, '')],
    ['does not have the chain', raw(404, '')],
    ['redirects', raw(307, '', { location: '/elsewhere' })],
    ['sends too much', raw(200, ' '.repeat(2000))],
    ['sends a wrong shape', result({})],
    ['refuses requests in the form of the node', raw(403, refusal)],
    ['refuses requests as gateways relay errors of the node', raw(400, refusal)],
  ])('are tried if the first %s', async (_, answer) => {
    server.answer(answer)
    other.answer(height)
    const seen = server.requests.length
    const c = client({ url: [server.url, other.url], maxBodyBytes: 1000 })
    expect(await c.avm.getHeight()).toBe(5n)
    expect(await c.avm.getHeight()).toBe(5n)
    expect(server.requests.length - seen).toBe(1)
    expect(clock.pauses).toEqual([])
  })

  it('are all tried, however many send invalid answers', async () => {
    server.answer(raw(200, '<html>'))
    other.answer(height)
    const c = client({ url: [server.url, `${server.url}/b`, `${server.url}/c`, other.url] })
    expect(await c.avm.getHeight()).toBe(5n)
  })

  it('are tried again only if that may help, after the delay that they ask for', async () => {
    server.answer(raw(401, ''))
    other.answer(raw(429, '', { 'retry-after': '7' }), height)
    const seen = server.requests.length
    expect(await client({ url: [server.url, other.url] }).avm.getHeight()).toBe(5n)
    expect(server.requests.length - seen).toBe(1)
    expect(clock.pauses).toEqual([7000])
  })

  it('that all fail give a temporary error if there is one, otherwise the first', async () => {
    const c = client({ url: [server.url, other.url], retry: { retries: 0 } })
    for (const [first, second, status] of [
      [502, 404, 502],
      [404, 502, 502],
      [403, 404, 403],
    ] as const) {
      server.answer(raw(first, ''))
      other.answer(raw(second, ''))
      await expect(c.avm.getHeight()).rejects.toMatchObject({ status })
    }
  })

  it('are not tried after an RPC error', async () => {
    server.answer(nodeError('not found'))
    const seen = other.requests.length
    const c = client({ url: [server.url, other.url] })
    await expect(c.avm.getHeight()).rejects.toMatchObject({ code: 'RPC_NOT_FOUND' })
    expect(other.requests.length).toBe(seen)
  })

  it('are preferred for writes too after any answer', async () => {
    other.answer(nodeError('not found'))
    const c = client({ url: [await deadAddress(), other.url] })
    await expect(c.avm.getHeight()).rejects.toMatchObject({ code: 'RPC_NOT_FOUND' })
    const seen = other.requests.length
    await expect(c.avm.issueTx({ tx: new Uint8Array(80) })).rejects.toMatchObject({
      code: 'RPC_NOT_FOUND',
    })
    expect(other.requests.length - seen).toBe(1)
  })

  it('never receive the same write', async () => {
    server.answer(bad)
    const seen = other.requests.length
    const c = client({ url: [server.url, other.url] })
    await expect(c.avm.issueTx({ tx: new Uint8Array(80) })).rejects.toMatchObject({ status: 502 })
    expect(other.requests.length).toBe(seen)
  })
})

describe('requests', () => {
  it('have one content type and the headers of the options, and no others', async () => {
    server.answer(height)
    await client({ headers: { 'x-app': 'demo' } }).avm.getHeight()
    const { headers, verb, path, body } = server.requests.at(-1)!
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-app': 'demo' })
    expect(headers['avalanche-api-route']).toBeUndefined()
    expect([verb, path]).toEqual(['POST', '/ext/bc/X'])
    expect(body).toBe('{"jsonrpc":"2.0","id":1,"method":"avm.getHeight","params":{}}')
  })

  it('reach any chain by alias or ID, after the path and query of the url', async () => {
    server.answer(height)
    const id = new Uint8Array(32)
    const c = client({ url: `${server.url}/gateway/?token=secret`, chain: 'avm' })
    await c.avm.getHeight()
    await c.forChain(id).avm.getHeight()
    await c
      .forChain(id)
      .wallet.issueTx({ tx: new Uint8Array(80) })
      .catch(() => {})
    expect(server.requests.slice(-3).map((r) => r.path)).toEqual([
      '/gateway/ext/bc/avm?token=secret',
      '/gateway/ext/bc/11111111111111111111111111111111LpoYY?token=secret',
      '/gateway/ext/bc/11111111111111111111111111111111LpoYY/wallet?token=secret',
    ])
  })

  it('reject an invalid url without repeating it', () => {
    for (const url of ['user:hunter2@host', 'ftp://user:hunter2@host', ''])
      try {
        client({ url })
        expect.unreachable()
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENC_INVALID' })
        expect(inspect(error)).not.toContain('hunter2')
      }
    expect(() => client({ url: [] })).toThrow(expect.objectContaining({ code: 'ENC_INVALID' }))
  })

  it('reject a server that is listed twice, without its secrets', () => {
    const first = 'http://alice:hunter2@Node.test:80/rpc/?key=s3cret'
    for (const second of [
      first,
      'http://node.test/rpc?key=s3cret',
      'HTTP://node.test/rpc//?key=s3cret',
    ])
      try {
        client({ url: [first, 'http://other.test', second] })
        expect.unreachable()
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENC_INVALID' })
        expect(inspect(error)).not.toMatch(/hunter2|s3cret/)
      }
    const others = [
      'https://node.test/rpc?key=s3cret',
      'http://node.test/b',
      'http://node.test:81/rpc',
    ]
    expect(client({ url: [first, ...others] }).servers()).toHaveLength(4)
  })
})

describe('secrets', () => {
  const address = () => server.url.replace('//', '//alice:hunter2@')

  it('in a url become a header', async () => {
    server.answer(height)
    await client({ url: address() }).avm.getHeight()
    expect(server.requests.at(-1)!.headers.authorization).toBe(`Basic ${btoa('alice:hunter2')}`)
  })

  it('in a header are not sent to another origin, neither after a failure nor by servers()', async () => {
    const headers = { 'X-API-Key': 'key-123456', 'user-agent': 'demo' }
    server.answer(bad)
    other.answer(height)
    const c = client({ url: [server.url, other.url], headers })
    expect(await c.avm.getHeight()).toBe(5n)
    expect(server.requests.at(-1)!.headers['x-api-key']).toBe('key-123456')
    const after = other.requests.at(-1)!.headers
    expect([after['x-api-key'], after['user-agent']]).toEqual([undefined, 'demo'])
    server.answer(height)
    other.answer(height)
    for (const one of c.servers()) await one.avm.getHeight()
    expect(server.requests.at(-1)!.headers['x-api-key']).toBe('key-123456')
    expect(other.requests.at(-1)!.headers['x-api-key']).toBeUndefined()
  })

  it('in a header are sent to other urls of the same origin', async () => {
    server.answer(bad, height)
    const headers = { 'x-api-key': 'key-123456' }
    await client({ url: [server.url, `${server.url}/b`], headers }).avm.getHeight()
    expect(server.requests.at(-1)!.headers['x-api-key']).toBe('key-123456')
  })

  it('never appear in an error, even if the server repeats them', async () => {
    const echo = `alice hunter2 ${btoa('alice:hunter2')} key-123456 tok-123456`
    const dead = (await deadAddress()).replace('//', '//alice:hunter2@')
    const answers = [
      raw(500, echo, { 'content-type': 'text/plain' }),
      raw(400, JSON.stringify({ message: [echo], statusCode: 400 })),
      raw(401, JSON.stringify({ error: echo })),
      nodeError(echo),
      raw(200, echo),
      raw(200, '{}', { 'content-type': `text/${echo.replaceAll(' ', '-')}` }),
    ]
    for (const answer of answers) {
      server.answer(answer)
      const options = { headers: { 'x-key': 'key-123456' }, retry: { retries: 0 } }
      const url = `${address()}/?t=tok-123456`
      const failure = await client({ ...options, url })
        .avm.getHeight()
        .catch((error) => error)
      const shown = inspect(failure, { depth: 9 }) + JSON.stringify(failure)
      expect(shown).not.toMatch(/hunter2|key-123456|tok-123456/)
      expect(shown).not.toContain(btoa('alice:hunter2'))
    }
    const failure = await client({ url: dead, retry: { retries: 0 } })
      .avm.getHeight()
      .catch((error) => error)
    expect(inspect(failure, { depth: 9 })).not.toContain('hunter2')
  })

  it.each([
    ['a value with plus signs', '?token=c2Vj+cmV0Cg==', ['c2Vj+cmV0Cg==', 'c2Vj cmV0Cg==']],
    ['an encoded value', '?token=abc%2Fdefg', ['abc%2Fdefg', 'abc/defg']],
    ['a malformed value', '?token=abc%zzdefg', ['abc%zzdefg']],
    ['a parameter without a value', '?c2VjcmV0a2V5', ['c2VjcmV0a2V5']],
    ['a part of the path', '/v1/abc%2Fdef0', ['abc%2Fdef0', 'abc/def0']],
    ['a value that begins like another', '?a=hunter&b=hunter2-more', ['hunter2-more']],
  ])('in a url never appear in an error: %s', async (_, part, secrets) => {
    for (const secret of secrets) {
      const fetch: Fetch = async (url) => {
        throw new TypeError(`cannot fetch ${url} (${secret})`)
      }
      const echo: Fetch = async (url) => new Response(`${url} (${secret})`, { status: 404 })
      for (const sent of [fetch, echo]) {
        const options = { url: `http://host.test${part}`, fetch: sent, retry: { retries: 0 } }
        const failure = await client(options)
          .avm.getHeight()
          .catch((error) => error)
        expect(inspect(failure, { depth: 9 })).not.toContain(secret.slice(-6))
        expect(failure).toBeInstanceOf(HttpError)
      }
    }
  })

  it('in a url are not ordinary words of its path', async () => {
    const fetch: Fetch = async (url) => new Response(url, { status: 404 })
    const failure = await client({ url: 'http://host.test/avalanche/mainnet', fetch })
      .avm.getHeight()
      .catch((error) => error)
    expect(failure.body).toBe('http://host.test/avalanche/mainnet/ext/bc/X')
  })

  it('never appear in the cause of an error of a custom fetch', async () => {
    const fetch = () => Promise.reject(new TypeError('cannot fetch http://alice:hunter2@host/'))
    const failure = await client({ url: address(), fetch, retry: { retries: 0 } })
      .avm.getHeight()
      .catch((error) => error)
    expect(failure.code).toBe('HTTP_UNREACHABLE')
    expect(inspect(failure, { depth: 9 })).not.toContain('hunter2')
    // The message alone: a stack names folders of the caller's machine.
    expect(failure.cause.message).toMatch(/^cannot fetch .*\[redacted\].*$/)
    for (const [thrown, message] of [
      ['no route to hunter2@host', 'no route to [redacted]@host'],
      [{ toString: () => 'hunter2' }, '[redacted]'],
    ] as const) {
      const strange = await client({ url: address(), fetch: () => Promise.reject(thrown) })
        .avm.getHeight()
        .catch((error) => error)
      expect(strange.cause.message).toBe(message)
    }
  })
})

describe('onAttempt', () => {
  it('is called for every attempt', async () => {
    const attempts: RequestAttempt[] = []
    server.answer(bad, nodeError('not found'))
    const onAttempt = (attempt: RequestAttempt) => {
      attempts.push(attempt)
      throw new Error('ignored')
    }
    await expect(client({ onAttempt }).avm.getHeight()).rejects.toMatchObject({
      code: 'RPC_NOT_FOUND',
    })
    const details = { method: 'avm.getHeight', endpoint: new URL(server.url).host, durationMs: 0 }
    expect(attempts).toEqual([
      { ...details, attempt: 1, outcome: 'HTTP_STATUS', status: 502 },
      { ...details, attempt: 2, outcome: 'RPC_NOT_FOUND', status: 200 },
    ])
  })

  it('is called for a failed connection and for a success', async () => {
    const attempts: RequestAttempt[] = []
    server.answer(height)
    const onAttempt = (attempt: RequestAttempt) => void attempts.push(attempt)
    await client({ url: [await deadAddress(), server.url], onAttempt }).avm.getHeight()
    expect(attempts.map(({ outcome, status }) => [outcome, status])).toEqual([
      ['HTTP_UNREACHABLE', undefined],
      ['ok', 200],
    ])
  })
})

describe('signal', () => {
  it('ends a pending call', async () => {
    server.answer(silence)
    const controller = new AbortController()
    const call = client().avm.getHeight({}, { signal: controller.signal })
    setImmediate(() => controller.abort('enough'))
    await expect(call).rejects.toMatchObject({
      code: 'ABORTED',
      name: 'AbortError',
      cause: 'enough',
    })
  })

  it('ends a delay', async () => {
    server.answer(bad)
    const controller = new AbortController()
    const onAttempt = () => controller.abort()
    const call = client({ onAttempt }).avm.getHeight({}, { signal: controller.signal })
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('of many calls ends all of them, without a warning and without listeners afterwards', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    const controller = new AbortController()
    const { signal } = controller
    const waits: Fetch = () => new Promise(() => {})
    const silent = client({ fetch: waits })
    const calls = Array.from({ length: 50 }, () => silent.avm.getHeight({}, { signal }))
    server.answer(height)
    // A call that ends before the abort leaves the others their listener.
    expect(await client().avm.getHeight({}, { signal })).toBe(5n)
    controller.abort('enough')
    const ends = await Promise.allSettled(calls)
    expect(
      ends.filter((end) => end.status === 'rejected' && end.reason.cause === 'enough'),
    ).toEqual(ends)
    const unused = new AbortController()
    server.answer(height)
    await client().avm.getHeight({}, { signal: unused.signal })
    expect(getEventListeners(unused.signal, 'abort')).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  it('that is already aborted prevents the request', async () => {
    const seen = server.requests.length
    const call = client().avm.getHeight({}, { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' })
    expect(server.requests.length).toBe(seen)
  })

  it('ends a delay of the system clock', async () => {
    server.answer(bad)
    const controller = new AbortController()
    const c = createNodeClient({
      url: server.url,
      retry: { firstDelayMs: 60_000, maxDelayMs: 60_000 },
    })
    const call = c.avm.getHeight({}, { signal: controller.signal })
    await new Promise((resolve) => setTimeout(resolve, 30))
    controller.abort()
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('a chain path that does not exist', () => {
  const missing = raw(404, recorded('bootstrapping: asset-chain path does not exist yet').response)
  const whether = (name: string) => result(resultIn(recorded(name)))

  it('is reported as bootstrapping if the node says so', async () => {
    server.answer(missing, whether('bootstrapping: info.isBootstrapped'))
    await expect(client().avm.getHeight()).rejects.toMatchObject({
      code: 'HTTP_BOOTSTRAPPING',
      status: 404,
      retryable: true,
    })
  })

  it('is reported as not found if the node is ready or does not answer', async () => {
    for (const answer of [whether('info.isBootstrapped'), missing, bad]) {
      server.answer(missing, answer)
      await expect(client().avm.getHeight()).rejects.toMatchObject({
        code: 'HTTP_STATUS',
        status: 404,
      })
    }
  })
})

describe('waitUntilReady', () => {
  it('waits while the node refuses connections and until the chain is bootstrapped', async () => {
    server.answer(
      nodeError("there is no chain with alias/ID 'X'"),
      raw(404, '404 page not found'),
      result(resultIn(recorded('bootstrapping: info.isBootstrapped'))),
      result(resultIn(recorded('info.isBootstrapped'))),
    )
    await client().waitUntilReady()
    expect(clock.pauses).toEqual([500, 500, 500])
    expect(JSON.parse(server.requests.at(-1)!.body).params).toEqual({ chain: 'X' })
  })

  it('times out', async () => {
    server.answer(result({ isBootstrapped: false }))
    await expect(client().waitUntilReady({ timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'NODE_TIMEOUT',
      timeoutMs: 1000,
    })
  })

  it('times out if the server is silent', async () => {
    const c = createNodeClient({ url: 'http://node.test', fetch: () => new Promise(() => {}) })
    await expect(c.waitUntilReady({ timeoutMs: 50, pollMs: 10 })).rejects.toMatchObject({
      code: 'NODE_TIMEOUT',
      cause: { code: 'RPC_TIMEOUT', timeoutMs: expect.toSatisfy((ms: number) => ms <= 50) },
    })
  })

  it('does not wait longer because the clock is set back', async () => {
    server.answer(result({ isBootstrapped: false }))
    const waiting = client().waitUntilReady({ timeoutMs: 2000 })
    clock.advance(-3_600_000)
    await expect(waiting).rejects.toMatchObject({ code: 'NODE_TIMEOUT' })
    expect(clock.pauses.length).toBeLessThanOrEqual(4)
  })
})

describe('totalMs', () => {
  it('limits a call although the clock is set back', async () => {
    const clock = fakeClock()
    let attempts = 0
    const client = createNodeClient({
      url: 'http://node.test',
      clock,
      retry: { retries: 100, firstDelayMs: 1000, maxDelayMs: 1000 },
      fetch: async () => {
        if (++attempts === 2) clock.advance(-3_600_000)
        throw new TypeError('fetch failed')
      },
    })
    await expect(client.avm.getHeight({}, { totalMs: 5_000 })).rejects.toMatchObject({
      code: 'HTTP_UNREACHABLE',
    })
    expect(attempts).toBeLessThan(8)
  })

  it('limits a call with all its retries, whatever the server does', async () => {
    const clock = fakeClock()
    let attempts = 0
    const client = createNodeClient({
      url: 'http://node.test',
      clock,
      retry: { retries: 100, firstDelayMs: 1000, maxDelayMs: 1000 },
      fetch: async () => {
        attempts++
        clock.advance(700)
        throw new TypeError('fetch failed')
      },
    })
    const started = clock.now()
    await expect(client.avm.getHeight({}, { totalMs: 5_000 })).rejects.toMatchObject({
      code: 'HTTP_UNREACHABLE',
    })
    expect(clock.now() - started).toBeLessThanOrEqual(5_700)
    expect(attempts).toBeGreaterThan(1)
  })

  it('shortens an attempt that would exceed it', async () => {
    const client = createNodeClient({
      url: 'http://node.test',
      retry: { retries: 0 },
      fetch: () => new Promise(() => {}),
    })
    await expect(client.avm.getHeight({}, { totalMs: 20 })).rejects.toMatchObject({
      code: 'RPC_TIMEOUT',
      timeoutMs: expect.toSatisfy((ms: number) => ms <= 20),
    })
  })

  it('limits requests that are sent once', async () => {
    const client = createNodeClient({ url: 'http://node.test', fetch: () => new Promise(() => {}) })
    const tx = new Uint8Array(80)
    for (const call of [
      () => client.avm.issueTx({ tx }, { totalMs: 20 }),
      () => client.wallet.issueTx({ tx }, { totalMs: 20 }),
      () => client.health.health({}, { totalMs: 20 }),
      () => client.healthGet.root({}, { totalMs: 20 }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'RPC_TIMEOUT', timeoutMs: 20 })
  })
})
