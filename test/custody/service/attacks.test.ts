import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { routes } from '../../../src/custody/service/routes/index.ts'
import { ROLES } from '../../../src/custody/service/tokens.ts'
import { receiver, until } from '../setup.ts'
import { served } from './setup.ts'

/** What each role may do, written by hand: the table of the guide. */
const RIGHTS: { readonly [route: string]: string } = {
  'post /v1/addresses': 'requester operator',
  'post /v1/xpubs': 'operator',
  'get /v1/deposits': 'reader operator approver',
  'get /v1/corrections': 'reader operator approver',
  'post /v1/payouts': 'requester',
  'get /v1/payouts/{key}': 'reader requester operator approver',
  'get /v1/payouts': 'reader requester operator approver',
  'post /v1/payouts/{key}/hold': 'operator',
  'post /v1/payouts/{key}/release': 'operator',
  'post /v1/payouts/{key}/cancel': 'operator',
  'get /v1/limits': 'reader operator approver',
  'post /v1/limits': 'operator',
  'delete /v1/limits/{name}': 'operator',
  'post /v1/payouts/{key}/approve': 'approver',
  'post /v1/payouts/{key}/deny': 'approver',
  'post /v1/sweeps': 'operator',
  'get /v1/signing-requests': 'reader operator approver',
  'delete /v1/signing-requests/{id}': 'operator',
  'post /v1/audits': 'operator approver',
  'get /v1/events': 'reader operator approver',
  'get /v1/unknown-payments': 'reader operator approver',
  'post /v1/attributions': 'operator',
  'get /v1/status': 'reader operator approver',
  'get /metrics': 'reader operator approver',
  'get /health': '',
}

describe('roles', () => {
  it('allow each route what the table says, and nothing else', async () => {
    const { ask, tokenFor } = await served()
    expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      Object.keys(RIGHTS).sort(),
    )
    for (const { method, path } of routes) {
      const allowed = RIGHTS[`${method} ${path}`]!
      const url = path.replace(/\{(key|name)\}/, 'nobody').replace('{id}', '1')
      const body = method === 'post' ? { body: {} } : {}
      const statusFor = async (token?: string) =>
        (await ask(method.toUpperCase(), url, { token, ...body })).status
      if (allowed === '') continue
      // So many requests without a token are limited, too.
      expect([401, 429], path).toContain(await statusFor())
      for (const role of ROLES) {
        const status = await statusFor(await tokenFor(role))
        expect([method, path, role, status === 403]).toEqual([
          method,
          path,
          role,
          !allowed.split(' ').includes(role),
        ])
        expect(status).not.toBe(401)
        expect(status).not.toBe(500)
      }
    }
  })
})

describe('tokens', () => {
  it('end when they expire or are removed', async () => {
    const { ask, tokens, database } = await served()
    const status = async (token: string) => (await ask('GET', '/v1/payouts', { token })).status
    const { token, id } = await tokens.add({ name: 'a', roles: ['reader'] })
    await until('added', async () => (await status(token)) === 200)
    const [row] = await database.query<{ row: string }>(`SELECT t::text AS row FROM @.tokens t`)
    expect(row!.row).not.toContain(token.split('_')[2])
    await tokens.remove(id)
    await until('removed', async () => (await status(token)) === 401)
    const short = await tokens.add({
      name: 'b',
      roles: ['reader'],
      expiresAt: new Date(Date.now() + 60_000),
    })
    await until('valid', async () => (await status(short.token)) === 200)
    await database.query(`UPDATE @.tokens SET expires_at = now() WHERE id = $1`, [short.id])
    await until('expired', async () => (await status(short.token)) === 401)
    await expect(tokens.remove('none')).rejects.toMatchObject({ code: 'TOKEN_UNKNOWN' })
    await expect(
      tokens.add({ name: 'c', roles: ['reader'], expiresAt: new Date(0) }),
    ).rejects.toMatchObject({ code: 'ENC_INVALID' })
  })

  it('are valid with their own secret, and in one form', async () => {
    const { ask, tokens, tokenFor } = await served()
    const valid = await tokenFor('reader')
    const header = async (authorization: string) =>
      (await ask('GET', '/v1/payouts', { headers: { authorization } })).status
    expect(await header(`Bearer ${valid}`)).toBe(200)
    const { token: other } = await tokens.add({ name: 'other', roles: ['reader'] })
    const [prefix, id] = valid.split('_')
    const forged = [prefix, id, ...other.split('_').slice(2)].join('_')
    expect(await header(`Bearer ${forged}`)).toBe(401)
    expect(await header(`Basic ${Buffer.from(valid).toString('base64')}`)).toBe(401)
    expect(await header(`Bearer ${valid.slice(0, -1)}`)).toBe(401)
    expect(await header(`Bearer ${valid} x`)).toBe(401)
    expect(await header(`Bearer ${valid}`)).toBe(200)
  })

  it('are limited, failures more than requests', async () => {
    const { ask, tokenFor } = await served({ rate: { perSecond: 1, burst: 5 } })
    const token = await tokenFor('reader')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ask('GET', '/v1/payouts', { token })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.json).toMatchObject({ code: 'RATE_LIMITED' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const failures = await Promise.all(Array.from({ length: 40 }, () => ask('GET', '/v1/payouts')))
    expect(new Set(failures.map(({ status }) => status))).toEqual(new Set([401, 429]))
    // Whoever has a valid token is not locked out by the failures of others.
    const other = await tokenFor('operator')
    await until(
      'not locked out',
      async () => (await ask('GET', '/v1/payouts', { token: other })).status === 200,
    )
  })
})

describe('requests', () => {
  it('are refused with a code and a place, and have no effect', async () => {
    const { ask, tokenFor, open } = await served({ maxBodyBytes: 2_000 })
    const token = await tokenFor('requester', 'reader')
    const to = receiver(1)
    const good = `{"to":"${to}","amount":"5"}`
    const json = { 'content-type': 'application/json' }
    const bodies: [string | Uint8Array, number, string, string?][] = [
      ['{', 400, 'ENC_BAD_JSON'],
      ['', 400, 'ENC_BAD_JSON'],
      [`\u{feff}${good}`, 400, 'ENC_BAD_JSON'],
      [new Uint8Array([0x7b, 0xff, 0x7d]), 400, 'ENC_BAD_JSON'],
      [`{"to":"${to}","amount":"5","amount":"5000"}`, 400, 'ENC_BAD_JSON', 'amount'],
      [`{"to":"${to}","amount":"5","\\u0061mount":"5000"}`, 400, 'ENC_BAD_JSON', 'amount'],
      [
        `{"to":"${to}","amount":"5","__proto__":{"priority":9}}`,
        400,
        'UNKNOWN_OPTION',
        '__proto__',
      ],
      [`{"to":"${to}","amount":"5","constructor":1}`, 400, 'UNKNOWN_OPTION', 'constructor'],
      [`{"to":"${to}","amount":"5","priorty":1}`, 400, 'UNKNOWN_OPTION', 'priorty'],
      [`{"to":"${to}","amount":"5","key":"x"}`, 400, 'UNKNOWN_OPTION', 'key'],
      [`{"to":"${to}","amount":5}`, 400, 'ENC_INVALID', 'amount'],
      [`{"to":"${to}","amount":9007199254740993}`, 400, 'ENC_INVALID', 'amount'],
      [`{"to":"${to}","amount":"0"}`, 400, 'ENC_INVALID', 'amount'],
      [`{"to":"${to}","amount":"-5"}`, 400, 'ENC_INVALID', 'amount'],
      [`{"to":"${to}","amount":"5.0"}`, 400, 'ENC_INVALID', 'amount'],
      [`{"to":"${to}","amount":"18446744073709551616"}`, 400, 'ENC_INVALID', 'amount'],
      [`{"to":"${to}","amount":"5","notBefore":"tomorrow"}`, 400, 'ENC_INVALID', 'notBefore'],
      [`{"to":"${to}","amount":"5","reference":"a\\u0000b"}`, 400, 'ENC_INVALID', 'reference'],
      [`{"to":"${to}","amount":"5","reference":"\\ud800"}`, 400, 'ENC_INVALID', 'reference'],
      [`{"amount":"5"}`, 400, 'MISSING_OPTION', 'to'],
      ['[]', 400, 'ENC_INVALID'],
      ['null', 400, 'ENC_INVALID'],
      [`{"to":"${to.replace('local', 'fuji')}","amount":"5"}`, 400, 'ENC_BAD_CHECKSUM', 'to'],
      [`${'['.repeat(900)}${']'.repeat(900)}`, 400, 'ENC_BAD_JSON'],
      [`{"to":"${'x'.repeat(3_000)}"}`, 413, 'BODY_TOO_LARGE'],
    ]
    for (const [body, status, code, path] of bodies) {
      const answer = await ask('POST', '/v1/payouts', {
        token,
        key: 'k',
        headers: json,
        body: body as string,
      })
      expect([body, answer.status, answer.json.code, answer.json.path]).toEqual([
        body,
        status,
        code,
        path,
      ])
    }
    const post = (headers: { [name: string]: string }) =>
      ask('POST', '/v1/payouts', { token, body: good, headers: { ...json, ...headers } })
    expect((await post({})).json).toMatchObject({ code: 'MISSING_OPTION', path: 'Idempotency-Key' })
    for (const key of ['"k"', 'x'.repeat(257), 'é', 'auto-1'])
      expect((await post({ 'idempotency-key': key })).json).toMatchObject({
        status: 400,
        code: 'BAD_KEY',
      })
    expect((await post({ 'idempotency-key': 'k', 'content-type': 'text/plain' })).status).toBe(415)
    const paths: [string, number, string][] = [
      ['/v1/deposits?after=-1', 400, 'ENC_INVALID'],
      ['/v1/deposits?after=1e3', 400, 'ENC_INVALID'],
      ['/v1/deposits?after=99999999999999999999', 400, 'ENC_INVALID'],
      ["/v1/deposits?after=1'--", 400, 'ENC_INVALID'],
      ['/v1/deposits?after=1&after=2', 400, 'ENC_INVALID'],
      ['/v1/deposits?afte=1', 400, 'UNKNOWN_OPTION'],
      ['/v1/deposits?__proto__=1', 400, 'UNKNOWN_OPTION'],
      ['/v1/deposits?limit=100000', 400, 'ENC_INVALID'],
      ['/v1/deposits?wait=1000', 400, 'ENC_INVALID'],
      ['/v1/deposits?after=7', 409, 'CURSOR_AHEAD'],
      ['/v1/payouts?after=unknown', 404, 'PAYOUT_UNKNOWN'],
      ['/v1/payouts/%00', 400, 'ENC_INVALID'],
      [`/v1/payouts/${'x'.repeat(257)}`, 400, 'ENC_INVALID'],
      ['/v1/payouts/..%2f..%2fetc', 404, 'PAYOUT_UNKNOWN'],
      ['/v1/payouts/', 404, 'ROUTE_UNKNOWN'],
      ['//v1/payouts', 404, 'ROUTE_UNKNOWN'],
      ['/V1/payouts', 404, 'ROUTE_UNKNOWN'],
      ['/', 404, 'ROUTE_UNKNOWN'],
    ]
    for (const [path, status, code] of paths) {
      const answer = await ask('GET', path, { token })
      expect([path, answer.status, answer.json.code]).toEqual([path, status, code])
    }
    const wrong = await ask('PUT', '/v1/payouts', { token })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET'])
    expect(await (await open()).payouts()).toEqual([])
  })

  it.each([
    ['slow', { requestMs: 300 }],
    ['forged', { maxBodyBytes: 1_000 }],
  ])('that are %s on the wire are cut off', async (kind, options) => {
    const { url, tokenFor, open } = await served(options)
    const token = await tokenFor('requester')
    const { port } = new URL(url)
    const raw = (...parts: string[]) =>
      new Promise<string>((resolve) => {
        let text = ''
        const socket = connect(Number(port), '127.0.0.1', async () => {
          for (const part of parts) {
            if (!socket.destroyed) socket.write(part)
            await sleep(20)
          }
        })
        socket.on('data', (chunk) => {
          text += chunk
          // Answers that leave the connection open are complete.
          if (text.includes('BAD_KEY')) socket.destroy()
        })
        socket.on('error', () => {})
        socket.on('close', () => resolve(text))
      })
    const head = `POST /v1/payouts HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
    const body = `{"to":"${receiver(1)}","amount":"5"}`
    if (kind === 'slow') {
      expect(await raw('POST /v1/payouts HTTP/1.1\r\nhost')).toContain(' 408 ')
      expect(await raw(`${head}idempotency-key: a\r\ncontent-length: 500\r\n\r\n{`)).not.toContain(
        ' 201 ',
      )
    } else {
      const twoLengths = `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`
      expect(await raw(twoLengths)).toContain(' 400 ')
      const twoKeys = `${head}idempotency-key: a\r\nidempotency-key: b\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      expect(await raw(twoKeys)).toContain('BAD_KEY')
      const endless = Array.from({ length: 30 }, () => `64\r\n${'x'.repeat(100)}\r\n`)
      expect(
        await raw(`${head}idempotency-key: a\r\ntransfer-encoding: chunked\r\n\r\n`, ...endless),
      ).toContain(' 413 ')
    }
    expect(await (await open()).payouts()).toEqual([])
  })

  it('do not show what failed inside', async () => {
    const { ask, tokenFor, database, logged } = await served()
    const token = await tokenFor('reader', 'requester')
    expect((await ask('GET', '/v1/payouts', { token })).status).toBe(200)
    await database.query('ALTER TABLE @.payments RENAME TO hidden_table')
    try {
      const failed = await ask('GET', '/v1/payouts', { token })
      expect(failed.json).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
      expect(failed.headers.get('retry-after')).toBe('1')
      expect(failed.text).not.toMatch(/relation|payments|postgres|\.ts\b/)
      expect(logged.join()).toContain('payments')
      const health = await ask('GET', '/health')
      expect([health.status, health.text.includes('relation')]).toEqual([503, false])
    } finally {
      await database.query('ALTER TABLE @.hidden_table RENAME TO payments')
    }
  })

  it('in progress are completed when the service stops', async () => {
    const { ask, tokenFor, close, open, url } = await served()
    const token = await tokenFor('requester', 'reader')
    const body = { to: receiver(1), amount: '5' }
    await ask('POST', '/v1/payouts', { token, key: 'first', body })
    const waiting = ask('GET', '/v1/deposits?wait=60', { token })
    await sleep(100)
    const posts = Array.from({ length: 50 }, (_, i) =>
      ask('POST', '/v1/payouts', { token, key: `p${i}`, body }).catch(() => undefined),
    )
    await sleep(5)
    await close()
    expect((await waiting).json).toEqual({ deposits: [] })
    const answers = await Promise.all(posts)
    const added = answers.flatMap((answer, i) => (answer?.status === 201 ? [`p${i}`] : []))
    for (const answer of answers) expect([201, 503, undefined]).toContain(answer?.status)
    // Whatever was confirmed is there.
    expect(await (await open()).payouts({ keys: added })).toHaveLength(added.length)
    await expect(fetch(url)).rejects.toThrow()
  })
})

describe('the documents', () => {
  it('describe every route, and load nothing', async () => {
    const { ask } = await served()
    const { json } = await ask('GET', '/openapi.json')
    const document = json as unknown as {
      openapi: string
      paths: { [path: string]: { [method: string]: { operationId: string } } }
    }
    expect(document.openapi).toBe('3.1.0')
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(found.sort()).toEqual(Object.keys(RIGHTS).sort())
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    const page = await ask('GET', '/docs')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    )
    expect(page.text).not.toMatch(/<script|src=|https?:/)
    for (const { path } of routes) expect(page.text).toContain(path)
  })
})
