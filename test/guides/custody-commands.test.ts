import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { openCustody } from '../../src/custody/index.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { MAIN } from '../cli/child.ts'
import { devNode, folder } from '../cli/shell.ts'
import { postgresURL } from '../custody/postgres.ts'
import { receiverOf } from '../custody/service/receiver.ts'
import { AVAX, keysOf, receiver, textOf, until } from '../custody/setup.ts'
import { blocks } from './programs.ts'

let databases = 0

/** A database, a node, and a folder in which a shell finds `avmkit` and the key of a hot wallet with funds. */
async function place() {
  const shared = await postgresURL()
  const name = `guide_commands_${process.pid}_${++databases}`
  const admin = new pg.Pool({ connectionString: shared, max: 1 })
  await admin.query(`CREATE DATABASE ${name}`)
  const inside = folder()
  const groups: number[] = []
  onTestFinished(async () => {
    // Commands in the background belong to the group of their shell.
    for (const group of groups)
      try {
        process.kill(-group, 'SIGKILL')
      } catch {
        // All of it has ended.
      }
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  })
  const url = new URL(shared)
  url.pathname = name
  const node = await devNode()
  const { url: nodeURL } = await node.listen()
  const file = (path: string, text: string, mode = 0o600) =>
    writeFileSync(join(inside, path), text, { mode })
  file('avmkit', `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, 0o700)
  chmodSync(join(inside, 'avmkit'), 0o700)
  file('hot.key', `${'01'.repeat(32)}\n`)
  for (let i = 0; i < 4; i++) node.fund(textOf(keysOf(1).addresses[0]!), 100n * AVAX)
  const env = {
    HOME: inside,
    PATH: `${inside}:${process.env.PATH}`,
    AVMKIT_DATABASE: url.href,
    AVMKIT_URL: nodeURL,
  }
  /** Runs commands as a reader pastes them, each of which must succeed. */
  const start = (commands: string) => {
    const child = spawn('sh', ['-e', '-c', commands], { cwd: inside, env, detached: true })
    groups.push(child.pid!)
    const shell = {
      out: '',
      child,
      exited: new Promise<number | null>((r) => child.once('exit', r)),
    }
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        shell.out += text
      })
    return shell
  }
  const run = async (commands: string) => {
    const shell = start(commands)
    expect(await shell.exited, shell.out).toBe(0)
    return shell
  }
  const client = createNodeClient({ url: nodeURL })
  const custody = await openCustody({ database: url.href, client })
  onTestFinished(() => custody.close())
  return { node, client, custody, url: url.href, nodeURL, file, start, run }
}

const hasDump = spawnSync('pg_dump', ['--version']).status === 0

describe.runIf(hasDump)('the commands of custody.md', () => {
  it('restore an older backup, and pay nothing twice', async () => {
    const { client, custody, file, run } = await place()
    const [dump, restore, resolve] = blocks('custody.md', 'sh')
    await run('avmkit custody init')
    const working = await run('avmkit custody work --key-file hot.key 2> worker.log &')
    const header = 'key,address,amount\n'
    file('early.csv', `${header}withdrawal-1,${receiver(1)},1\n`)
    await run('avmkit custody pay early.csv')
    const paid = (count: number) =>
      until('paid', async () => {
        const list = await custody.payouts({ status: 'paid' })
        return list.length === count && list
      })
    await paid(1)
    await run(dump!)
    file('late.csv', `${header}withdrawal-17,${receiver(2)},1\n`)
    await run('avmkit custody pay late.csv')
    const late = (await paid(2)).find(({ key }) => key === 'withdrawal-17')!
    process.kill(-working.child.pid!, 'SIGKILL')
    // The second one is equal to the one that was paid, the third is not.
    file(
      'withdrawals.csv',
      `${header}withdrawal-17,${receiver(2)},1\nwithdrawal-18,${receiver(2)},1\nwithdrawal-19,${receiver(3)},2\n`,
    )
    const { out } = await run(restore!)
    expect(out).toContain('the fence is complete')
    await until('held', async () => {
      const list = await custody.payouts({ keys: ['withdrawal-17', 'withdrawal-18'] })
      return list.length === 2 && list.every(({ held }) => held)
    })
    const txID = formatID(late.txID!)
    expect(out).toContain(txID)
    file('decisions.csv', `transaction,key\n${txID},withdrawal-17\n`)
    const resolved = await run(resolve!)
    expect(resolved.out).toMatch(/recorded 1 decision\n.*released 1 payout\n.*balanced at height/s)
    expect(resolved.out).not.toContain('NOT BALANCED')
    await paid(4)
    const balances = [1, 2, 3].map((n) =>
      client.avm.getBalance({ address: receiver(n), assetID: 'AVAX' }),
    )
    expect((await Promise.all(balances)).map(({ balance }) => balance)).toEqual([
      AVAX,
      2n * AVAX,
      2n * AVAX,
    ])
    await run('avmkit custody audit')
  })
})

describe('the commands of custody-service.md', () => {
  it('set up a service with tokens and webhooks', async () => {
    const { url, nodeURL, file, start } = await place()
    const { url: hook } = await receiverOf()
    const setup = blocks('custody-service.md', 'sh').find((text) => text.includes('custody init'))!
    const webhooks = blocks('custody-service.md', 'json').find((text) => text.includes('whsec_'))!
    file('webhooks.json', webhooks.replace(/https:[^"]+/, hook))
    const commands = setup
      .replace(/postgres:\/\/\S+/, url)
      .replace(/http:\/\/127\.0\.0\.1:9650/, nodeURL)
      .replace('--port 8080', '--port 0')
    const shell = start(commands)
    const [, service] = await until(
      'serving',
      () =>
        /serving at (\S+),/.exec(shell.out) ?? (shell.child.exitCode !== null && [shell.out, '']),
    )
    expect(service, shell.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const tokens = shell.out.match(/^avmkit_\w{12}_[\w-]{43}$/gm)!
    expect(tokens).toHaveLength(3)
    const statuses = tokens.map(async (token) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${service}/v1/payouts`, { headers })).status
    })
    expect(await Promise.all(statuses)).toEqual([200, 200, 200])
  })
})

if (!hasDump) console.log('pg_dump is not installed: the restore of custody.md was not run')
