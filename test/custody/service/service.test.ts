import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { routes } from '../../../src/custody/service/routes/index.ts'
import { AVAX, receiver, until } from '../setup.ts'
import { served } from './setup.ts'

describe('the service', () => {
  it('leaves the classes of the platform to other code of the process', async () => {
    const { url } = await served()
    const answer = await fetch(`${url}/health`)
    await answer.text()
    expect(answer.constructor).toBe(globalThis.Response)
  })

  it('requests a payout once per key, and names the token as actor', async () => {
    const { ask, tokenFor, open } = await served()
    const token = await tokenFor('requester')
    const body = { to: receiver(1), amount: String(2n ** 64n - 1n), reference: 'user 7' }
    const first = await ask('POST', '/v1/payouts', { token, key: 'w/1', body })
    expect([first.status, first.json, first.headers.get('location')]).toEqual([
      201,
      { key: 'w/1', added: true },
      '/v1/payouts/w%2F1',
    ])
    const again = await ask('POST', '/v1/payouts', { token, key: 'w/1', body })
    expect([again.status, again.json]).toEqual([200, { key: 'w/1', added: false }])
    const other = await ask('POST', '/v1/payouts', {
      token,
      key: 'w/1',
      body: { ...body, amount: '1' },
    })
    expect(other.headers.get('content-type')).toBe('application/problem+json')
    expect(other.json).toMatchObject({ status: 409, code: 'KEY_CONFLICT', keys: ['w/1'] })
    const got = await ask('GET', '/v1/payouts/w%2F1', { token })
    expect(got.json).toMatchObject({
      key: 'w/1',
      status: 'queued',
      amount: '18446744073709551615',
      to: receiver(1),
      reference: 'user 7',
    })
    const custody = await open()
    const [event] = await custody.events()
    expect(event).toMatchObject({ key: 'w/1', newStatus: 'queued' })
    expect(event!.actor).toMatch(/\/requester$/)
  })

  it('adds concurrent requests together, each with its own result', async () => {
    const { ask, tokenFor, open } = await served()
    const token = await tokenFor('requester')
    const post = (key: string, body: object) => ask('POST', '/v1/payouts', { token, key, body })
    const good = { to: receiver(1), amount: '5' }
    const answers = await Promise.all([
      ...Array.from({ length: 40 }, (_, i) => post(`p${i}`, good)),
      post('p0', { to: receiver(2), amount: '5' }),
      post('bad', { to: 'X-fuji1qqq', amount: '5' }),
      post('auto-1', good),
      ...Array.from({ length: 5 }, () => post('same', good)),
    ])
    const statuses = answers.map(({ status }) => status)
    expect(statuses.slice(1, 40)).toEqual(Array.from({ length: 39 }, () => 201))
    expect([statuses[0], statuses[40]].sort()).toEqual([201, 409])
    expect(statuses.slice(41, 43)).toEqual([400, 400])
    expect(answers[41]!.json).toMatchObject({ path: 'to' })
    expect(statuses.slice(43).sort()).toEqual([200, 200, 200, 200, 201])
    expect(await (await open()).payouts()).toHaveLength(41)
  })

  it('holds, releases, cancels and lists payouts', async () => {
    const { ask, tokenFor } = await served()
    const token = await tokenFor('operator', 'requester')
    for (const key of ['a', 'b'])
      await ask('POST', '/v1/payouts', { token, key, body: { to: receiver(1), amount: '5' } })
    const held = await ask('POST', '/v1/payouts/a/hold', { token, body: { reason: 'odd' } })
    expect(held.json).toMatchObject({ key: 'a', held: true, note: 'odd' })
    expect((await ask('POST', '/v1/payouts/a/release', { token, body: {} })).json).toMatchObject({
      held: false,
    })
    expect((await ask('POST', '/v1/payouts/a/cancel', { token, body: {} })).json).toMatchObject({
      status: 'canceled',
    })
    expect((await ask('POST', '/v1/payouts/a/hold', { token, body: {} })).json).toMatchObject({
      status: 409,
      code: 'PAYOUT_STATUS',
    })
    expect((await ask('POST', '/v1/payouts/c/hold', { token, body: {} })).json).toMatchObject({
      status: 404,
      code: 'PAYOUT_UNKNOWN',
    })
    const list = async (query: string) =>
      ((await ask('GET', `/v1/payouts${query}`, { token })).json as { payouts?: { key: string }[] })
        .payouts
    expect(await list('?status=queued')).toMatchObject([{ key: 'b' }])
    expect(await list('?after=a&limit=1')).toMatchObject([{ key: 'b' }])
  })

  it('attributes unknown payments', async () => {
    const { ask, tokenFor } = await served()
    const token = await tokenFor('operator')
    const decisions = [{ txID: formatID(new Uint8Array(32).fill(7)) }]
    const refused = await ask('POST', '/v1/attributions', { token, body: { decisions } })
    expect(refused.json).toMatchObject({ status: 404, code: 'PAYMENT_UNKNOWN' })
  })

  it('listens again after the database has ended its connection', async () => {
    const { ask, tokenFor, node, open, work, database } = await served()
    const token = await tokenFor('reader', 'requester')
    work(await open())
    await ask('POST', '/v1/addresses', {
      token,
      body: { addresses: [{ address: receiver(1) }], fresh: true },
    })
    const waiting = ask('GET', '/v1/deposits?after=0&wait=60', { token })
    await until('ended', async () => {
      const [row] = await database.query<{ n: string }>(
        `SELECT count(pg_terminate_backend(pid)) AS n FROM pg_stat_activity
         WHERE query LIKE 'LISTEN "${database.schema}_deposits"%'`,
      )
      return Number(row!.n) > 0
    })
    node.fund(receiver(1), AVAX)
    expect((await waiting).json).toMatchObject({ deposits: [{ cursor: '1' }] })
  })

  it('delivers deposits to requests that wait, and answers those that end in vain', async () => {
    const place = await served()
    const { ask, tokenFor, node, open, work } = place
    const token = await tokenFor('reader', 'requester')
    work(await open())
    const watched = await ask('POST', '/v1/addresses', {
      token,
      body: { addresses: [{ address: receiver(1), reference: 'user 1' }], fresh: true },
    })
    expect(watched.json).toEqual({ watched: 1 })
    const waiting = Array.from({ length: 20 }, () =>
      ask('GET', '/v1/deposits?after=0&wait=60', { token }),
    )
    const gone = new AbortController()
    const aborted = ask('GET', '/v1/deposits?wait=60', { token, signal: gone.signal })
    setTimeout(() => gone.abort(), 50)
    await expect(aborted).rejects.toThrow()
    node.fund(receiver(1), AVAX)
    for (const { json } of await Promise.all(waiting))
      expect(json).toMatchObject({
        deposits: [{ cursor: '1', amount: '1000000000', reference: 'user 1', kind: 'plain' }],
      })
    const next = ask('GET', '/v1/deposits?after=1&wait=60', { token })
    const corrections = ask('GET', '/v1/corrections?wait=1', { token })
    node.fund(receiver(1), AVAX)
    expect((await next).json).toMatchObject({ deposits: [{ cursor: '2' }] })
    expect((await corrections).json).toEqual({ deposits: [] })
    expect((await ask('GET', '/v1/deposits?after=3', { token })).json).toMatchObject({
      status: 409,
      code: 'CURSOR_AHEAD',
    })
    // Nothing waits any more, so nothing listens.
    await until('unlistened', async () => {
      const [row] = await place.database.query<{ n: string }>(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'LISTEN "${place.database.schema}_deposits"%' AND state <> 'idle in transaction'`,
      )
      return Number(row!.n) === 0
    })
  })

  it('shows status, metrics and health', async () => {
    const { ask, tokenFor, open, work } = await served()
    const unhealthy = await ask('GET', '/health')
    expect(unhealthy.status).toBe(503)
    expect(unhealthy.json).toMatchObject({ healthy: false, problems: [{ code: 'NOT_SYNCED' }] })
    const custody = await open()
    work(custody)
    await until('healthy', async () => (await ask('GET', '/health')).status === 200)
    const token = await tokenFor('operator')
    expect((await ask('GET', '/v1/status', { token })).json).toMatchObject({
      healthy: true,
      lag: '0',
    })
    const metrics = await ask('GET', '/metrics', { token })
    expect(metrics.headers.get('content-type')).toContain('version=0.0.4')
    expect(metrics.text).toContain('avmkit_custody_healthy 1')
    expect((await ask('POST', '/v1/audits', { token, body: {} })).json).toMatchObject({
      balanced: true,
    })
    expect((await ask('POST', '/v1/sweeps', { token, body: {} })).json).toEqual({ transactions: 0 })
    expect((await ask('GET', '/v1/signing-requests', { token })).json).toEqual({ requests: [] })
    expect((await ask('GET', '/v1/unknown-payments', { token })).json).toEqual({ payments: [] })
    expect((await ask('GET', '/v1/events', { token })).json).toEqual({ events: [] })
    expect(routes.length).toBeGreaterThan(15)
  })
})
