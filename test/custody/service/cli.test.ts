import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Child, avmkit as program } from '../../cli/child.ts'
import { cli as avmkit, devNode, folder, secretFile } from '../../cli/shell.ts'
import { newPool, newSchema, postgresURL } from '../postgres.ts'
import { receiver, until } from '../setup.ts'
import { receiverOf } from './receiver.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** A database with tables, and the program on it, within this process and in one of its own. */
async function system() {
  const node = await devNode()
  const schema = newSchema()
  const pool = await newPool(4)
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA "${schema}" CASCADE`)
    await pool.end()
  })
  const env = { AVMKIT_DATABASE: await postgresURL() }
  const around = { node, fetch: node.fetch, env }
  const inProcess = (...args: string[]) =>
    avmkit(['custody', ...args, '--schema', schema, '--json'], around)
  const inText = (...args: string[]) => avmkit(['custody', ...args, '--schema', schema], around)
  const { url: nodeURL } = await node.listen()
  /** Starts `custody serve` in a process of its own, and returns it with its address. */
  const serve = async (...args: string[]): Promise<{ child: Child; url: string }> => {
    const all = ['custody', 'serve', '--port', '0', '--schema', schema, ...args]
    const child = program(all, { ...env, AVMKIT_URL: nodeURL })
    const [, url] = await child.says(/serving at (\S+),/)
    return { child, url: url! }
  }
  const initialized = await inProcess('init')
  if (initialized.code !== 0) throw new Error(initialized.err)
  const tokenFor = async (name: string, ...roles: string[]) => {
    const options = roles.flatMap((role) => ['--role', role])
    return (await inProcess('tokens', 'add', name, ...options)).json<{
      id: string
      token: string
    }>()
  }
  return { node, schema, pool, inProcess, inText, serve, tokenFor }
}

function hookFile(url: string, secrets: readonly string[] = [SECRET]): string {
  return secretFile(JSON.stringify([{ name: 'books', url, secrets, topics: ['payout'] }]))
}

const askPayout = (url: string, token: string, key: string) =>
  fetch(`${url}/v1/payouts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': key,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ to: receiver(1), amount: '5' }),
  })

type Listed = { webhooks: { name: string; waiting: number; dead: number; delivered: string }[] }

describe('avmkit custody tokens', () => {
  it('adds, lists and removes tokens; the database has no secret', async () => {
    const { inProcess, inText, pool, schema } = await system()
    const added = await inText('tokens', 'add', 'backend', '--role', 'requester', '--days', '2')
    const [, token, id] = /^(avmkit_([0-9a-f]{12})_[\w-]{43})\nID \2, expires \S+; the token/.exec(
      added.out,
    )!
    const days = await pool.query(
      `SELECT extract(epoch FROM expires_at - now()) / 86400 AS days, tokens::text AS row FROM "${schema}".tokens`,
    )
    const [{ days: left, row }] = days.rows as [{ days: string; row: string }]
    expect(Math.round(Number(left))).toBe(2)
    expect(row).not.toContain(token!.split('_').at(-1))
    expect((await inText('tokens', 'list')).out).toMatch(
      new RegExp(`^ID +name +roles +expires +removed\\n${id} +backend +requester +\\S+ *\\n$`),
    )
    expect((await inProcess('tokens', 'remove', id!)).json()).toEqual({ removed: id })
    expect((await inProcess('tokens', 'list')).json()).toMatchObject({
      tokens: [{ id, name: 'backend', roles: ['requester'], removedAt: expect.any(String) }],
    })
  })

  it.each([
    [['add', 'backend'], 'MISSING_OPTION'],
    [['add', '--role', 'reader'], 'MISSING_ARGUMENT'],
    [['add', 'backend', '--role', 'owner'], 'BAD_VALUE'],
    [['add', 'backend', '--role', 'reader', '--days', '0'], 'BAD_VALUE'],
    [['remove'], 'MISSING_ARGUMENT'],
    [['remove', '0123456789ab'], 'TOKEN_UNKNOWN'],
    [['rotate'], 'BAD_VALUE'],
  ])('refuses %j', async (args, code) => {
    const { inProcess } = await system()
    const refused = await inProcess('tokens', ...args)
    expect([refused.error().code, refused.code > 0]).toEqual([code, true])
    expect((await inProcess('tokens', 'list')).json()).toEqual({ tokens: [] })
  })
})

describe('avmkit custody serve', () => {
  it('delivers webhooks, whose state is listed, and replays dead ones', async () => {
    const { inProcess, inText, pool, schema, serve, tokenFor } = await system()
    const { url: hook, received } = await receiverOf()
    const { token } = await tokenFor('backend', 'requester')
    expect((await inText('webhooks', 'list')).out).toBe('no webhooks\n')
    const { url } = await serve('--webhooks', hookFile(hook))
    const list = async () => (await inProcess('webhooks', 'list')).json<Listed>().webhooks
    await until('registered', async () => (await list()).length === 1)
    expect((await askPayout(url, token, 'w-1')).status).toBe(201)
    await until('recorded', async () => (await list())[0]!.delivered === '1')
    expect(received.map(({ type, data }) => [type, data.key])).toEqual([['payout.queued', 'w-1']])
    expect((await inText('webhooks', 'dead')).out).toBe('no dead messages\n')
    expect((await inProcess('webhooks', 'replay', 'books')).json()).toEqual({ replayed: 0 })
    // A message that was given up, as after three days of failures.
    await pool.query(`INSERT INTO "${schema}".webhook_messages (webhook, event, lane, attempts, last_error, dead_at)
      SELECT 'books', seq, 'payout ' || subject, 10, 'status 503', now() FROM "${schema}".events`)
    const event = received[0]!.data.event!
    expect((await inText('webhooks', 'dead')).out).toMatch(
      new RegExp(`books +${event} +10 +payout \\d+ +status 503`),
    )
    expect((await inProcess('webhooks', 'replay', 'books', '--event', '999')).json()).toEqual({
      replayed: 0,
    })
    expect((await inText('webhooks', 'replay', 'books', '--event', event)).out).toBe(
      'replaying 1 message\n',
    )
    await until('replayed', () => received.length === 2)
    expect(received[1]!.id).toBe(received[0]!.id)
    for (const [args, code] of [
      [['replay'], 'MISSING_ARGUMENT'],
      [['replay', 'none'], 'WEBHOOK_UNKNOWN'],
      [['replay', 'books', '--event', 'x'], 'BAD_VALUE'],
    ] as const)
      expect((await inProcess('webhooks', ...args)).error().code).toBe(code)
  })

  it('refuses files and options that are not valid', async () => {
    const { inProcess } = await system()
    const cases: [string[], string][] = [
      [['--webhooks', secretFile('{')], 'CONFIG_INVALID'],
      [['--webhooks', secretFile('[{"name":"a"}]')], 'MISSING_OPTION'],
      [['--webhooks', hookFile('http://example.org/')], 'WEBHOOK_INVALID'],
      [['--webhooks', hookFile('https://example.org/', ['whsec_QUJD'])], 'WEBHOOK_INVALID'],
      [['--webhooks', join(folder(), 'none')], 'FILE_UNREADABLE'],
      [['--tls-cert', secretFile('cert')], 'MISSING_OPTION'],
      [['--tls-cert', secretFile('cert'), '--tls-key', secretFile('key')], 'TLS_INVALID'],
      [['--port', '65536'], 'BAD_VALUE'],
    ]
    for (const [args, code] of cases) {
      const refused = await inProcess('serve', '--port', '0', ...args)
      expect([args, refused.error().code]).toEqual([args, code])
    }
  })

  it('sends a message again, with the same ID, if it is killed before it has recorded the delivery', async () => {
    const { inProcess, serve, tokenFor } = await system()
    let answer = () => {}
    const { url: hook, received } = await receiverOf((_, response) => {
      answer = () => response.writeHead(204).end()
    })
    const { token } = await tokenFor('backend', 'requester')
    const file = hookFile(hook)
    const first = await serve('--webhooks', file)
    const list = async () => (await inProcess('webhooks', 'list')).json<Listed>().webhooks
    await until('registered', async () => (await list()).length === 1)
    await askPayout(first.url, token, 'w-1')
    await until('received', () => received.length === 1)
    first.child.process.kill('SIGKILL')
    answer()
    await first.child.exited
    expect((await list())[0]).toMatchObject({ delivered: '0' })
    await serve('--webhooks', file)
    await until('again', () => received.length === 2)
    answer()
    await until('recorded', async () => (await list())[0]!.delivered === '1')
    expect(received[1]).toMatchObject({ id: received[0]!.id, body: received[0]!.body })
  })

  it('completes running requests after SIGTERM, takes no others, and exits with 0', async () => {
    const { pool, schema, serve, tokenFor } = await system()
    const { token } = await tokenFor('backend', 'requester')
    const { child, url } = await serve()
    expect((await askPayout(url, token, 'w-1')).status).toBe(201)
    const blocker = await pool.connect()
    await blocker.query(`BEGIN; LOCK TABLE "${schema}".payments IN ACCESS EXCLUSIVE MODE`)
    const running = askPayout(url, token, 'w-2')
    await until('waiting for the lock', async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_locks WHERE NOT granted AND relation = '"${schema}".payments'::regclass`,
      )
      return rows.length > 0
    })
    child.process.kill('SIGTERM')
    await until('closed', () =>
      fetch(`${url}/openapi.json`).then(
        () => false,
        () => true,
      ),
    )
    expect(child.process.exitCode).toBe(null)
    await blocker.query('COMMIT')
    blocker.release()
    const answered = await running
    expect([answered.status, await answered.json()]).toEqual([201, { key: 'w-2', added: true }])
    expect(answered.headers.get('connection')).toBe('close')
    expect((await child.exited).code).toBe(0)
    const { rows } = await pool.query(`SELECT key FROM "${schema}".payments ORDER BY seq`)
    expect(rows).toEqual([{ key: 'w-1' }, { key: 'w-2' }])
  })
})

const hasOpenSSL = spawnSync('openssl', ['version']).status === 0

describe.runIf(hasOpenSSL)('avmkit custody serve with a certificate', () => {
  it('speaks TLS only', async () => {
    const { serve, tokenFor } = await system()
    const inside = folder()
    const [cert, key] = [join(inside, 'cert.pem'), join(inside, 'key.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync(
      'openssl',
      ['req', '-x509', ...curve, '-days', '1', ...subject, '-keyout', key, '-out', cert],
      { stdio: 'ignore' },
    )
    const { token } = await tokenFor('backend', 'reader')
    const { url } = await serve('--tls-cert', cert, '--tls-key', key)
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const get = (ca: Buffer | undefined) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` }
        request(`${url}/v1/payouts`, { ca, headers }, (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode, text }))
        })
          .on('error', reject)
          .end()
      })
    expect(await get(readFileSync(cert))).toEqual({ status: 200, text: '{"payouts":[]}\n' })
    // Only who knows the certificate talks to it, and nobody in the clear.
    await expect(get(undefined)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    await expect(fetch(url.replace('https', 'http'))).rejects.toThrow()
  })
})

if (!hasOpenSSL) console.log('openssl is not installed: the test of TLS was not run')
