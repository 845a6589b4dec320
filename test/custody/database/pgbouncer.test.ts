import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTokens, serveCustody } from '../../../src/custody/service/index.ts'
import { postgresURL } from '../postgres.ts'
import { AVAX, allPayouts, payoutsTo, receiver, scene, until } from '../setup.ts'

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A PgBouncer before the shared server, with few sessions for all its clients. */
async function pgbouncer(mode: 'transaction' | 'session'): Promise<string> {
  const target = new URL(await postgresURL())
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-pgbouncer-'))
  chmodSync(folder, 0o777)
  const port = await freePort()
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(
    config,
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = ${mode}
default_pool_size = 6
logfile = ${join(folder, 'log')}
`,
  )
  writeFileSync(join(folder, 'users'), '"postgres" ""\n')
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn('pgbouncer', ['-q', config], { stdio: 'ignore', ...user })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const url = new URL(target)
  url.port = String(port)
  await until('PgBouncer', async () => {
    const client = new pg.Pool({ connectionString: url.href, max: 1 })
    client.on('error', () => {})
    const answered = await client.query('SELECT 1').then(
      () => true,
      () => false,
    )
    await client.end()
    return answered
  })
  return url.href
}

describe.runIf(isInstalled)('behind PgBouncer', () => {
  it('in transaction mode requests, reads, operators and the service work beside a worker at the server', async () => {
    const url = await pgbouncer('transaction')
    const world = await scene()
    const { node, hot, open, work, database } = world
    for (let i = 0; i < 4; i++) node.fund(hot, 100n * AVAX)
    const direct = await open()
    work(direct)
    const behind = await open({ database: url, keys: undefined, hot: [] })
    onTestFinished(() => behind.close())
    await behind.watch([receiver(50)], { fresh: true })
    await until('healthy', async () => (await behind.status()).healthy)
    // More callers than the pooler has sessions.
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        behind.requestPayouts([{ key: `b${i}`, to: receiver(i), amount: AVAX }]),
      ),
    )
    await allPayouts(behind, 'paid')
    await behind.setLimit({ type: 'approvals', name: 'all', amount: 0n, count: 1 })
    await behind.actingFor('alice').requestPayouts(payoutsTo(30, 31))
    await behind.hold(['p1'], 'odd')
    await behind.actingFor('bob').approve(['p0', 'p1'])
    await allPayouts(behind, 'paid', ['p0'])
    expect(await behind.payouts({ keys: ['p1'] })).toMatchObject([{ held: true }])
    await behind.cancel(['p1'])
    const approvals = (await behind.events()).filter(({ kind }) => kind === 'approval')
    expect(approvals.map(({ actor }) => actor)).toEqual(['postgres/bob', 'postgres/bob'])
    const following = behind.followDeposits({ after: 0n })
    node.fund(receiver(50), AVAX)
    expect((await following.next()).value).toMatchObject([{ cursor: 1n, amount: AVAX }])
    await following.return()
    const where = { database: url, schema: database.schema }
    const tokens = await openTokens(where)
    const { token } = await tokens.add({ name: 'reader', roles: ['reader'] })
    await tokens.close()
    const service = await serveCustody({ custody: behind, ...where })
    const answer = await fetch(`${service.url}/v1/deposits`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { deposits: [{ cursor: '1' }] },
    ])
    await service.close()
    expect(await behind.audit()).toMatchObject({ balanced: true })
  })

  it.each(['transaction', 'session'] as const)(
    'in %s mode workers and webhooks are refused',
    async (mode) => {
      const url = await pgbouncer(mode)
      const { open, database } = await scene()
      const custody = await open({ database: url })
      onTestFinished(() => custody.close())
      await expect(custody.work()).rejects.toMatchObject({ code: 'DATABASE_POOLED' })
      const hook = {
        name: 'books',
        url: 'http://127.0.0.1:9/',
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }
      const where = { database: url, schema: database.schema }
      await expect(serveCustody({ custody, ...where, webhooks: [hook] })).rejects.toMatchObject({
        code: 'DATABASE_POOLED',
      })
    },
  )
})

if (!isInstalled) console.log('pgbouncer is not installed: its tests were not run')
