import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CustodyOptions } from '../../../src/custody/index.ts'
import { openWebhooks, serveCustody, type Webhook } from '../../../src/custody/service/index.ts'
import { secretKey, signatureHeaders } from '../../../src/custody/service/webhooks/signature.ts'
import { DeliveryWindow } from '../../../src/custody/service/webhooks/window.ts'
import { clientOf, forgedBlock, liarBehind } from '../servers.ts'
import { AVAX, allApplied, receiver, type Scene, scene, until } from '../setup.ts'
import { accept, receiverOf } from './receiver.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

describe('signatures of webhooks', () => {
  it('are those of the specification, and of its package', () => {
    // From the reference libraries of Standard Webhooks, which test it in all languages: `sign function works` of
    // libraries/javascript/src/webhook.test.ts in standard-webhooks/standard-webhooks, commit 7b4b8f6a.
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      seconds: 1_614_265_330,
      body: '{"test": 2432232314}',
    }
    const headers = signatureHeaders(message, [secretKey(SECRET)])
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    const fresh = { ...message, seconds: Math.floor(Date.now() / 1000) }
    const both = signatureHeaders(fresh, [secretKey(OTHER), secretKey(SECRET)])
    for (const secret of [SECRET, OTHER])
      expect(new Verifier(secret).verify(message.body, { ...both })).toEqual({ test: 2432232314 })
    expect(() => new Verifier(SECRET).verify('{}', { ...both })).toThrow()
  })

  it('need secrets of 24 to 64 bytes', () => {
    const secrets = [
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'whsec_',
      'whsec_QUJD',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa!w',
      `whsec_${Buffer.alloc(65).toString('base64')}`,
    ]
    for (const secret of secrets) expect(() => secretKey(secret), secret).toThrow('secret')
  })
})

describe('DeliveryWindow', () => {
  const message = (event: number, lane: string) => ({ event: BigInt(event), lane })

  it('sends one message per lane, and moves its cursor behind all that are done', () => {
    const window = new DeliveryWindow(4n)
    const [a, b, c] = [message(5, 'x'), message(7, 'x'), message(8, 'y')] as const
    for (const one of [a, b, c]) window.add(one)
    window.pass(10n)
    expect([window.take(), window.take(), window.take()]).toEqual([a, c, undefined])
    window.done(c)
    expect(window.cursor).toBe(4n)
    window.done(a)
    expect([window.cursor, window.take()]).toEqual([6n, b])
    window.done(b)
    expect([window.cursor, window.size]).toEqual([10n, 0])
  })

  it('gives up a lane as a whole', () => {
    const window = new DeliveryWindow(0n)
    const [a, b, c] = [message(1, 'x'), message(2, 'y'), message(3, 'x')] as const
    for (const one of [a, b, c]) window.add(one)
    window.take()
    expect(window.block(a)).toEqual([a, c])
    expect(window.cursor).toBe(1n)
    window.done(window.take()!)
    expect([window.cursor, window.size]).toEqual([3n, 0])
    window.add(message(4, 'x'))
    expect(window.take()).toEqual(message(4, 'x'))
  })
})

type Options = { readonly retrySeconds?: readonly number[]; readonly timeoutMs?: number }

/** A custody system whose events are delivered to a URL. */
async function delivering(
  url: string,
  { retrySeconds = [0, 0, 0], timeoutMs = 2_000 }: Options = {},
  hook: Partial<Webhook> = {},
) {
  const place = await scene()
  const custody = await place.open()
  const { pool } = place.database as unknown as { readonly pool: CustodyOptions['database'] }
  const where = { database: pool, schema: place.database.schema } as const
  const webhooks = await openWebhooks(where)
  const start = async () => {
    const { close } = await serveCustody({
      custody,
      ...where,
      webhooks: [{ name: 'books', url, secrets: [SECRET], topics: ['payout', 'deposit'], ...hook }],
      webhookLimits: { retrySeconds, timeoutMs, concurrency: 8 },
    })
    return close
  }
  let stop = await start()
  onTestFinished(() => stop())
  await until('registered', async () => (await webhooks.list()).length === 1)
  const restart = async () => {
    await stop()
    stop = await start()
  }
  return { ...place, custody, webhooks, restart, stop: () => stop() }
}

const request = async (custody: Awaited<ReturnType<Scene['open']>>, ...keys: string[]) =>
  custody.requestPayouts(
    keys.map((key) => ({ key, to: receiver(1), amount: AVAX, reference: key.split('-')[0] })),
  )

describe('webhooks', () => {
  it('tell about payouts and deposits with valid signatures, once while nothing fails', async () => {
    const { url, received } = await receiverOf()
    const { custody, work, node, hot, restart, stop, open } = await delivering(url)
    await custody.watch([{ address: receiver(2), reference: 'user 2' }], { fresh: true })
    node.fund(hot, 10n * AVAX)
    work(await open())
    await request(custody, 'a-1')
    await custody.hold(['a-1'], 'odd').catch(() => {})
    await custody.release(['a-1']).catch(() => {})
    node.fund(receiver(2), AVAX)
    await until('told', () => {
      const types = received.map(({ type }) => type)
      return types.includes('payout.paid') && types.includes('deposit.created')
    })
    await restart()
    await sleep(300)
    await stop()
    for (const { body, headers } of received) new Verifier(SECRET).verify(body, headers)
    expect(new Set(received.map(({ id }) => id)).size).toBe(received.length)
    const payouts = received.filter(({ type }) => type.startsWith('payout.'))
    expect(payouts[0]).toMatchObject({
      type: 'payout.queued',
      data: { key: 'a-1', status: 'queued', amount: String(AVAX), to: receiver(1), reference: 'a' },
    })
    expect(payouts.at(-1)!.data.txID).toMatch(/^[1-9A-Za-z]{40,}/)
    expect(received.find(({ type }) => type === 'deposit.created')!.data).toMatchObject({
      cursor: '1',
      kind: 'plain',
      address: receiver(2),
      amount: String(AVAX),
      reference: 'user 2',
    })
  })

  it('repeat what fails with the same ID, in the order of the reference, and let others pass', async () => {
    const failing = new Set(['b-1'])
    const { url, received } = await receiverOf((message, response) => {
      const key = message.data.key!
      if (failing.has(key)) response.writeHead(500).end()
      else accept(message, response)
    })
    const { custody, webhooks, stop } = await delivering(url, { retrySeconds: Array(1000).fill(0) })
    await request(custody, 'a-1', 'b-1', 'b-2', 'c-1')
    const keys = () => received.map(({ data }) => data.key)
    await until(
      'others',
      () => keys().includes('c-1') && keys().filter((key) => key === 'b-1').length > 2,
    )
    await request(custody, 'b-3', 'a-2')
    await until('later', () => keys().includes('a-2'))
    expect(keys()).not.toContain('b-2')
    expect(keys()).not.toContain('b-3')
    await until('stored', async () => (await webhooks.list())[0]!.waiting === 3)
    failing.clear()
    await until('all', () => keys().includes('b-3'))
    expect(keys().slice(-3)).toEqual(['b-1', 'b-2', 'b-3'])
    expect(
      new Set(received.filter(({ data }) => data.key === 'b-1').map(({ id }) => id)).size,
    ).toBe(1)
    await until('empty', async () => (await webhooks.list())[0]!.waiting === 0)
    await stop()
    expect(await webhooks.list()).toMatchObject([{ behind: 0, delivered: 6n, dead: 0 }])
  })

  it('go on with a lane whose first message was delivered by a process that was killed then', async () => {
    let isDown = true
    const { url, received } = await receiverOf((message, response) => {
      if (isDown) response.writeHead(500).end()
      else accept(message, response)
    })
    const { custody, database, webhooks, restart, stop } = await delivering(url, {
      retrySeconds: [3600],
    })
    await request(custody, 'b-1', 'b-2', 'b-3')
    await until('stored', async () => (await webhooks.list())[0]!.waiting === 3)
    await stop()
    // What is written after the delivery of a message, before the next one is made due.
    await database.query('DELETE FROM @.webhook_messages WHERE attempts > 0')
    isDown = false
    await restart()
    await until('all', async () => (await webhooks.list())[0]!.waiting === 0)
    expect(received.map(({ data }) => data.key)).toEqual(['b-1', 'b-2', 'b-3'])
  })

  it('that wait for another attempt are sent at once if they are replayed', async () => {
    let isDown = true
    const { url, received } = await receiverOf((message, response) => {
      if (isDown) response.writeHead(503).end()
      else accept(message, response)
    })
    const { custody, webhooks, stop } = await delivering(url, { retrySeconds: [3600, 3600] })
    await request(custody, 'b-1', 'b-2', 'c-1')
    await until('stored', async () => (await webhooks.list())[0]!.waiting === 3)
    const [first] = await custody.events()
    expect(await webhooks.replay('books', { events: [first!.cursor] })).toBe(1)
    await until('sent again', () => received.length === 3)
    isDown = false
    // The second message of `b` is behind the first, whose last attempt may not be recorded yet.
    let replayed = 0
    await until('waiting', async () => {
      replayed += await webhooks.replay('books')
      return replayed === 2
    })
    await until('all', async () => (await webhooks.list())[0]!.waiting === 0)
    const keys = received.slice(3).map(({ data }) => data.key)
    expect(keys.filter((key) => key!.startsWith('b'))).toEqual(['b-1', 'b-2'])
    expect(keys).toContain('c-1')
    await stop()
    expect(await webhooks.list()).toMatchObject([{ waiting: 0, dead: 0, delivered: 3n }])
  })

  it('are dead after the last attempt, and can be replayed', async () => {
    let isDown = true
    const { url, received } = await receiverOf((message, response) => {
      if (isDown && message.data.key!.startsWith('b')) response.writeHead(503).end()
      else accept(message, response)
    })
    const { custody, webhooks, stop } = await delivering(url, { retrySeconds: [0] })
    await request(custody, 'b-1', 'b-2', 'b-3', 'c-1')
    await until('dead', async () => (await webhooks.dead()).length === 3)
    expect(await webhooks.dead()).toMatchObject(
      [0, 1, 2].map(() => ({
        webhook: 'books',
        lane: 'reference b',
        attempts: 2,
        lastError: 'status 503',
      })),
    )
    isDown = false
    await expect(webhooks.replay('other')).rejects.toMatchObject({ code: 'WEBHOOK_UNKNOWN' })
    const [, second] = await webhooks.dead()
    expect(await webhooks.replay('books', { events: [second!.event] })).toBe(1)
    await until('second', async () => (await webhooks.list())[0]!.waiting === 0)
    expect(await webhooks.dead()).toHaveLength(2)
    expect(await webhooks.replay('books')).toBe(2)
    await until('none', async () => (await webhooks.list())[0]!.waiting === 0)
    expect(received.slice(-3).map(({ data }) => data.key)).toEqual(['b-2', 'b-1', 'b-3'])
    await stop()
    expect(await webhooks.list()).toMatchObject([{ waiting: 0, dead: 0, delivered: 4n, behind: 0 }])
  })

  it('count redirects, slow, large and broken answers as failures', async () => {
    let redirected = 0
    const { url } = await receiverOf(async ({ data }, response) => {
      const { key } = data
      if (key === 'r-1') response.writeHead(302, { location: `${url}?again` }).end()
      else if (key === 's-1') {
        response.writeHead(200)
        // Slow, but never silent for long.
        for (let i = 0; i < 20 && !response.destroyed; i++) {
          response.write('.')
          await sleep(100)
        }
      } else if (key === 'l-1') response.writeHead(200).end('x'.repeat(200_000))
      else if (key === 'b-1') response.socket!.destroy()
      if (response.req.url!.includes('again')) redirected++
    })
    const { custody, webhooks, stop } = await delivering(url, { retrySeconds: [], timeoutMs: 500 })
    await request(custody, 'r-1', 's-1', 'l-1', 'b-1')
    await until('dead', async () => (await webhooks.dead()).length === 4)
    const errors = Object.fromEntries(
      (await webhooks.dead()).map(({ lane, lastError }) => [lane, lastError]),
    )
    expect(errors).toMatchObject({
      'reference r': 'status 302',
      'reference s': 'no answer within 500 ms',
      'reference l': 'the answer has more than 65536 bytes',
    })
    expect(errors['reference b']).toBeDefined()
    expect(redirected).toBe(0)
    await stop()
  })

  it('tell about deposits that become void', async () => {
    const { url, received } = await receiverOf()
    const world = await delivering(url)
    const { node, open, work } = world
    const liar = liarBehind(node.fetch)
    const custody = await open({ client: clientOf(world, [liar.fetch, node.fetch]) })
    await custody.watch([{ address: receiver(3), reference: 'user 3' }], { fresh: true })
    node.fund(receiver(2), AVAX)
    work(custody)
    await allApplied(custody)
    liar.block = await forgedBlock(world, receiver(3))
    await until('believed', () => received.length === 1)
    liar.block = undefined
    for (const n of [1n, 2n]) node.fund(receiver(3), n * AVAX)
    await until('all', () => received.length === 4)
    await world.stop()
    const [created, corrected, ...real] = received
    expect(created).toMatchObject({
      type: 'deposit.created',
      data: { cursor: '1', kind: 'plain', reference: 'user 3' },
    })
    const { cursor: _, event: __, ...unchanged } = created!.data
    expect(corrected).toMatchObject({
      type: 'deposit.corrected',
      data: { ...unchanged, kind: 'void', previousKind: 'plain' },
    })
    // The cursor is that of the deposit that is corrected; the correction itself has the next one at /v1/deposits.
    const [correction] = await custody.deposits({ after: 1n, limit: 1 })
    expect(correction).toMatchObject({ kind: 'void', corrects: BigInt(corrected!.data.cursor!) })
    expect(real.map(({ type, data }) => [type, data.amount])).toEqual(
      [1n, 2n].map((n) => ['deposit.created', String(n * AVAX)]),
    )
    for (const { body, headers } of received) new Verifier(SECRET).verify(body, headers)
  })

  it('tell when problems begin and end', async () => {
    const { url, received } = await receiverOf()
    const { work, open, stop } = await delivering(url, {}, { topics: ['problem'] })
    await until('opened', () => received.length > 0)
    work(await open())
    await until('resolved', () => received.length > 1)
    await stop()
    expect(received.slice(0, 2)).toMatchObject([
      { type: 'problem.opened', data: { code: 'NOT_SYNCED', status: 'open' } },
      { type: 'problem.resolved', data: { code: 'NOT_SYNCED', status: 'resolved' } },
    ])
  })

  it('are delivered by one process at a time, and by another one after it', async () => {
    const { url, received } = await receiverOf()
    const { custody, database, stop, webhooks } = await delivering(url)
    const { pool } = database as unknown as { readonly pool: CustodyOptions['database'] }
    const second = await serveCustody({
      custody,
      database: pool,
      schema: database.schema,
      webhooks: [{ name: 'books', url, secrets: [SECRET], topics: ['payout'] }],
    })
    await request(custody, ...Array.from({ length: 20 }, (_, i) => `a-${i}`))
    await until('told', () => received.length === 20)
    // The first one loses its session without a warning.
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
         AND (classid::bigint << 32) + objid::bigint = hashtextextended($1, 0)`,
      [`avmkit webhook ${database.schema} books`],
    )
    await stop()
    await request(custody, 'b-1')
    await until('told', () => received.some(({ data }) => data.key === 'b-1'))
    const first = received.filter(({ id }, i) => received.findIndex((one) => one.id === id) === i)
    expect(first.map(({ data }) => data.key)).toEqual([
      ...Array.from({ length: 20 }, (_, i) => `a-${i}`),
      'b-1',
    ])
    await until('recorded', async () => (await webhooks.list())[0]!.behind === 0)
    await second.close()
  })

  it.each([
    'http://example.org/hook',
    'https://user:word@example.org/hook',
    'https://user@example.org/hook',
    'ftp://127.0.0.1/',
    'nothing',
    'http://127.0.0.1.example.org/',
  ])('are not sent to %s', async (url) => {
    await expect(delivering(url)).rejects.toMatchObject({ code: 'WEBHOOK_INVALID' })
  })
})
