import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { argument } from '../../../src/core/base/argument.ts'
import { HDAccount, seedFromMnemonic } from '../../../src/core/crypto/hd/index.ts'
import type { Route } from '../../../src/custody/service/route.ts'
import { routes } from '../../../src/custody/service/routes/index.ts'
import { BOB_WORDS } from '../../cli/shell.ts'
import { blocks } from '../../guides/programs.ts'
import { AVAX, receiver, until } from '../setup.ts'
import { served } from './setup.ts'

const run = promisify(execFile)
const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url))
const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0

/** The route that a command of the guide calls. */
function routeOf(command: string): Route {
  const path = /\$SERVICE(\/[^"?]*)/.exec(command)![1]!
  const method = / -X DELETE/.test(command) ? 'delete' : / -d /.test(command) ? 'post' : 'get'
  return routes.find((route) => {
    const pattern = route.path.replaceAll(/\{\w+\}/g, '[^/]+')
    return route.method === method && new RegExp(`^${pattern}$`).test(path)
  })!
}

describe.runIf(isInstalled('curl'))('custody-service.md', () => {
  it('shows every route with a command that works', async () => {
    const { url, tokenFor, node, open, work } = await served()
    const custody = await open()
    await custody.migrate()
    work(custody)
    await until('healthy', async () => (await custody.status()).healthy)
    const env = {
      ...process.env,
      SERVICE: url,
      BACKEND: await tokenFor('reader', 'requester'),
      OPERATOR: await tokenFor('operator'),
      APPROVER: await tokenFor('approver'),
      ADDRESS: receiver(1),
      XPUB: new HDAccount(await seedFromMnemonic(BOB_WORDS)).watch.extendedPublicKey,
    }
    const commands = blocks('custody-service.md', 'sh').filter((text) => text.startsWith('curl'))
    const shown = new Set<Route>()
    for (const command of commands) {
      const route = routeOf(command)
      shown.add(route)
      if (route.path === '/v1/deposits') node.fund(receiver(1), AVAX)
      const { stdout } = await run('sh', ['-c', `${command.trim()} -w '\\n%{http_code}'`], { env })
      const [, body, status] = /^(.*)\n(\d+)$/s.exec(stdout)!
      expect([command, Number(status)]).toEqual([command, route.result.status])
      // What is returned is what OpenAPI promises.
      const value = route.result.type === undefined ? JSON.parse(body!) : undefined
      if (value !== undefined) argument(route.path, value, route.result.field.check)
      if (route.path === '/v1/deposits') expect(value.deposits).toHaveLength(1)
    }
    expect(routes.filter((route) => !shown.has(route)).map(({ path }) => path)).toEqual([])
  })
})

describe('the grants of custody-service.md', () => {
  it('are valid', async () => {
    const { database } = await served()
    const role = `service_${database.schema}`
    const [sql] = blocks('custody-service.md', 'sql')
    await database.query(`CREATE ROLE "${role}"`)
    onTestFinished(async () => {
      await database.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`)
    })
    await database.query(
      sql!.replaceAll('avmkit.', '@.').replaceAll('custody_service', `"${role}"`),
    )
    const [right] = await database.query<{ reads: boolean; adds: boolean }>(
      `SELECT has_table_privilege($1, '@.tokens', 'SELECT') AS reads, has_table_privilege($1, '@.tokens', 'INSERT') AS adds`,
      [role],
    )
    expect(right).toEqual({ reads: true, adds: false })
  })
})

describe.runIf(isInstalled('promtool'))('prometheus', () => {
  it('accepts the rules and the configuration', async () => {
    await run('promtool', ['check', 'rules', join(deploy, 'prometheus-rules.yml')])
    await run('promtool', ['check', 'config', '--syntax-only', join(deploy, 'prometheus.yml')])
    const metrics = [
      ...readFileSync(join(deploy, 'prometheus-rules.yml'), 'utf8').matchAll(/avmkit_custody_\w+/g),
    ]
    const { ask, tokenFor } = await served()
    const { text } = await ask('GET', '/metrics', { token: await tokenFor('reader') })
    for (const [name] of metrics) expect(text).toContain(`# TYPE ${name} `)
  })

  it('scrapes the service', async () => {
    const { url, tokenFor } = await served()
    const folder = mkdtempSync(join(tmpdir(), 'avmkit-prometheus-'))
    writeFileSync(join(folder, 'token'), await tokenFor('reader'))
    const config = readFileSync(join(deploy, 'prometheus.yml'), 'utf8')
      .replace('/etc/prometheus/avmkit-token', join(folder, 'token'))
      .replace('127.0.0.1:8080', new URL(url).host)
      .replace('15s', '1s')
      .replace('prometheus-rules.yml', join(deploy, 'prometheus-rules.yml'))
    writeFileSync(join(folder, 'prometheus.yml'), config)
    const child = spawn('prometheus', [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ])
    let log = ''
    child.stderr.on('data', (chunk) => {
      log += chunk
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    })
    const port = await until(
      'listening',
      () => /address=(?:127\.0\.0\.1:|\S*127\.0\.0\.1:)([1-9]\d*)/.exec(log)?.[1],
    )
    await until('scraped', async () => {
      const query = `http://127.0.0.1:${port}/api/v1/query?query=avmkit_custody_healthy`
      const response = await fetch(query)
      // It refuses queries until it has started.
      if (!response.ok) return false
      const { data } = (await response.json()) as { data?: { result: unknown[] } }
      return data?.result.length === 1
    })
  })
})

if (!isInstalled('promtool')) console.log('prometheus is not installed: its tests were not run')
