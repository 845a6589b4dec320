import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sourcesOf } from '../../scripts/imports.js'
import { type Server, startServer } from '../../scripts/postgres.js'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { type Custody, openCustody } from '../../src/custody/index.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { AVAX, keysOf, receiver, textOf, until } from './setup.ts'
import type { WorkerSettings } from './worker-process.ts'

// `AVMKIT_CUSTODY_CRASHES=3 npx vitest run test/custody/crash` kills workers at every event, up to its 3rd occurrence.
const occurrences = Number(process.env.AVMKIT_CUSTODY_CRASHES ?? 0)

const EVENTS = [
  'payout.reserved',
  'payout.signed',
  'payout.claiming',
  'payout.claimed',
  'payout.issued',
  'block.applying',
  'block.applied',
  'leader.elected',
]

// The child loads `pg` from the packages of this project.
const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const program = mkdtempSync(join(packages, '.avmkit-custody-'))
const folder = mkdtempSync(join(tmpdir(), 'avmkit-custody-'))
const running = new Set<Worker>()
let server: Server
let schemas = 0

beforeAll(async () => {
  // The child has no transpiler, so it gets one file of JavaScript.
  await build({
    entryPoints: [fileURLToPath(new URL('worker-process.ts', import.meta.url))],
    outfile: join(program, 'worker.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: sourcesOf('node'),
  })
  server = await startServer(folder)
})

afterAll(() => {
  for (const worker of running) worker.process.kill('SIGKILL')
  server.stop()
  rmSync(folder, { recursive: true, force: true })
  rmSync(program, { recursive: true, force: true })
})

class Worker {
  readonly process: ChildProcess
  readonly events: string[] = []
  isEnded = false

  constructor(settings: WorkerSettings) {
    const args = [join(program, 'worker.mjs'), JSON.stringify(settings)]
    this.process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: this.process.stdout! }).on('line', (line) => this.events.push(line))
    running.add(this)
    this.process.once('exit', () => {
      this.isEnded = true
      running.delete(this)
    })
  }

  saw(event: string): boolean {
    return this.events.includes(event)
  }
}

type World = {
  readonly node: DevNode
  readonly custody: Custody
  readonly start: (settings?: Partial<WorkerSettings>) => Worker
  /** Keeps so many workers running, whatever happens to them. */
  readonly keep: (workers: Worker[], count: number) => () => void
  /** Waits until everything is paid, then reads the chain. */
  readonly finish: (payouts: number) => Promise<void>
}

async function world(): Promise<World> {
  const backend = await loadWasmBackend()
  const node = await createDevNode({ backend })
  const { url } = await node.listen()
  const client = createNodeClient({ url })
  const schema = `crash_${++schemas}`
  const keys = keysOf(1)
  const custody = await openCustody({ database: server.url, schema, client, keys })
  await custody.migrate()
  for (let i = 0; i < 6; i++) node.fund(keys.addresses[0]!, 1000n * AVAX)
  onTestFinished(async () => {
    for (const worker of running) worker.process.kill('SIGKILL')
    await custody.close()
    await node.close()
  })
  const start = (settings: Partial<WorkerSettings> = {}) =>
    new Worker({ url, database: server.url, schema, ...settings })
  const finish = async (payouts: number) => {
    await until('all payouts paid', async () => {
      const { payouts: counts } = await custody.status().catch(() => ({ payouts: undefined }))
      return counts?.paid === payouts
    })
    for (let i = 0; i < payouts; i++) {
      const { balance } = await client.avm.getBalance({ address: receiver(i), assetID: 'AVAX' })
      expect(balance).toBe(AVAX)
    }
    const report = await custody.audit()
    expect(report).toMatchObject({ balanced: true, missing: [], extra: [] })
  }
  return {
    node,
    custody,
    start,
    keep: (workers, count) => {
      let isOn = true
      void (async () => {
        while (isOn) {
          await sleep(50)
          const alive = workers.filter(({ isEnded }) => !isEnded).length
          if (isOn && alive < count) workers.push(start())
        }
      })()
      return () => {
        isOn = false
      }
    },
    finish,
  }
}

const requests = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `p${i}`, to: receiver(i), amount: AVAX }))

describe('several worker processes', () => {
  it('pay each key once and credit each deposit once, in order, whatever is killed', async () => {
    const { node, custody, start, keep, finish } = await world()
    const customers = [31, 32, 33].map((byte) => textOf(keysOf(byte).addresses[0]!))
    await custody.watch(customers)
    const kill = (event: string, count = 1) => ({
      at: { event, count, signal: 'SIGKILL' } as const,
    })
    const workers = [
      start(kill('payout.claiming')),
      start(kill('payout.claimed')),
      start(kill('block.applying', 4)),
    ]
    const stopKeeping = keep(workers, 3)
    const count = 120
    await custody.requestPayouts(requests(count))
    const funded: bigint[] = []
    for (let i = 1; i <= 12; i++) {
      const amount = BigInt(i) * AVAX
      node.fund(customers[i % 3]!, amount)
      funded.push(amount)
      if (i === 4) node.injectFault({ kind: 'bad-gateway', times: 25 })
      if (i === 6) {
        // The database crashes and comes back.
        server.crash()
        await sleep(200)
        await server.start()
      }
      const alive = workers.filter(({ isEnded }) => !isEnded)
      if (i % 3 === 0) alive[i % alive.length]?.process.kill('SIGKILL')
      await sleep(150)
    }
    await finish(count)
    const deposits = await until('deposits', async () => {
      const list = await custody.deposits()
      return list.length >= funded.length && list
    })
    expect(deposits.map(({ cursor }) => cursor)).toEqual(funded.map((_, i) => BigInt(i + 1)))
    expect(deposits.map(({ amount }) => amount)).toEqual(funded)
    stopKeeping()
    const last = workers.filter(({ isEnded }) => !isEnded)
    // A process that has just been started does not handle the signal yet.
    await until('workers started', () => last.every((worker) => worker.saw('worker.started')))
    for (const worker of last) worker.process.kill('SIGTERM')
    // Graceful: they end by themselves.
    await until('workers ended', () => last.every(({ isEnded }) => isEnded))
    expect(last.map(({ process: child }) => child.exitCode)).toEqual(last.map(() => 0))
    expect(workers.length).toBeGreaterThan(4)
  })

  it('claim what a limit and approvals allow, and no more, whatever is killed', async () => {
    const { custody, start, keep } = await world()
    const day = 86_400
    await custody.setLimit({
      type: 'limit',
      name: 'daily',
      per: 'total',
      amount: 25n * AVAX,
      seconds: day,
    })
    await custody.setLimit({ type: 'approvals', name: 'large', amount: 2n * AVAX, count: 1 })
    await custody.requestPayouts([
      { key: 'large', to: receiver(90), amount: 3n * AVAX },
      { key: 'larger', to: receiver(91), amount: 4n * AVAX },
      ...requests(40),
    ])
    await custody.actingFor('ann').approve(['large'])
    const workers = ['payout.signed', 'payout.claiming', 'payout.claimed'].map((event) =>
      start({ at: { event, count: 1, signal: 'SIGKILL' }, maxBatch: 4 }),
    )
    const stopKeeping = keep(workers, 3)
    const keysOf = async (status: 'paid' | 'queued') => {
      const list = await custody.payouts({ status })
      return list.every(({ limit }) => status === 'paid' || limit !== undefined) ? list : []
    }
    // 3 + 22 = 25.
    await until('the limit is reached', async () => (await keysOf('paid')).length === 23)
    expect((await keysOf('paid'))[0]!.key).toBe('large')
    const waiting = await until('the others wait', async () => {
      const list = await keysOf('queued')
      return list.length === 19 && list
    })
    expect(waiting[0]).toMatchObject({ key: 'larger', limit: { name: 'large' } })
    expect(await custody.audit()).toMatchObject({ balanced: true, faults: [] })
    expect(workers.filter(({ isEnded }) => isEnded).length).toBeGreaterThan(0)
    stopKeeping()
  })

  it('take over from a suspended worker and a suspended leader, which cannot commit any more', async () => {
    const { custody, start, finish, node } = await world()
    const payer = start({ at: { event: 'payout.signed', count: 1, signal: 'SIGSTOP' } })
    await custody.requestPayouts(requests(5))
    await until('suspended with payouts', () => payer.saw('payout.signed'))
    const leader = payer.saw('leader.elected')
    const other = start()
    await finish(5)
    expect(leader).toBe(true)
    expect(other.saw('leader.elected')).toBe(true)
    payer.process.kill('SIGCONT')
    await until(
      'the claim is refused',
      () => payer.saw('payout.expired') || payer.saw('worker.failed'),
    )
    expect(payer.saw('payout.claimed')).toBe(false)
    // Suspended in the middle of the transaction that applies a block.
    const stale = start({ at: { event: 'block.applying', count: 1, signal: 'SIGSTOP' } })
    other.process.kill('SIGKILL')
    payer.process.kill('SIGKILL')
    await until('another leader', () => stale.saw('leader.elected'))
    node.fund(receiver(99), AVAX)
    await until('suspended in a block', () => stale.saw('block.applying'))
    const next = start()
    await until('the next leader', () => next.saw('block.applied'))
    stale.process.kill('SIGCONT')
    await until('the stale leader fails', () => stale.saw('leader.lost'))
    expect(stale.saw('block.applied')).toBe(false)
    await finish(5)
  })

  for (const event of EVENTS)
    for (let count = 1; count <= occurrences; count++)
      it(`survive a kill at the occurrence ${count} of ${event}`, async () => {
        const { custody, start, keep, finish } = await world()
        const workers = [
          start({ at: { event, count, signal: 'SIGKILL' } }),
          start({ at: { event, count: count + 1, signal: 'SIGKILL' } }),
        ]
        const stopKeeping = keep(workers, 2)
        await custody.requestPayouts(requests(60))
        await finish(60)
        stopKeeping()
      })
})
