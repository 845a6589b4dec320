import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenToChannel } from '../../../src/custody/database/channels.ts'
import { Database } from '../../../src/custody/database/database.ts'
import type { CustodyOptions } from '../../../src/custody/index.ts'
import { createNodeClient, type NodeClient } from '../../../src/node/index.ts'
import { newDatabase, newPool, postgresURL } from '../postgres.ts'
import { AVAX, payoutsTo, type Scene, scene, until } from '../setup.ts'

/** A way to the database whose open connections can be made silent, as a firewall does that forgets them. */
async function firewall() {
  const target = new URL(await postgresURL())
  const sockets = new Set<Socket>()
  const dropped = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => {
        if (!dropped.has(from)) to.write(data)
      })
      from.on('error', () => {})
      from.on('close', () => {
        if (!dropped.has(from)) to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(target)
  url.port = String((server.address() as { port: number }).port)
  const drop = () => {
    for (const socket of sockets) dropped.add(socket)
  }
  return { url: url.href, drop }
}

describe('connections that are dropped without a sign', () => {
  it('stop neither a worker nor its end', async () => {
    const { url, drop } = await firewall()
    const { node, hot, open } = await scene()
    for (let i = 0; i < 2; i++) node.fund(hot, 10n * AVAX)
    const observer = await open({ keys: undefined, hot: [] })
    const limits = { statementMs: 1_000, leaderMs: 1_000 }
    const custody = await open({ database: url, limits })
    const controller = new AbortController()
    const working = custody.work({ signal: controller.signal })
    await until('synced', async () => (await observer.status()).syncedSecondsAgo !== undefined)
    drop()
    await observer.requestPayouts(payoutsTo(1))
    await until('paid', async () => (await observer.payouts())[0]!.status === 'paid')
    drop()
    controller.abort()
    expect(await Promise.race([working.then(() => 'ended'), sleep(20_000)])).toBe('ended')
    await custody.close()
  })

  it('do not keep the locks of their transactions', async () => {
    const { schema } = await newDatabase()
    const defaults = { idle_in_transaction_session_timeout: '200' }
    const database = new Database(await newPool(2), schema, true)
    const short = new Database(await newPool(1, defaults), schema, true)
    onTestFinished(async () => {
      await database.close()
      await short.close()
    })
    const settingOf = (on: Database) =>
      on.transaction(async (tx) => {
        const [row] = await tx.query<{ ms: string }>(
          `SELECT setting AS ms FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'`,
        )
        return row!.ms
      })
    expect(await settingOf(database)).toBe('30000')
    expect(await settingOf(short)).toBe('200')
  })
})

describe('close', () => {
  it('does not wait for those who follow deposits', async () => {
    const { database, open } = await scene()
    const custody = await open({ database: await postgresURL(), schema: database.schema })
    const following = custody.followDeposits()[Symbol.asyncIterator]().next()
    const failed = expect(following).rejects.toMatchObject({ code: 'DATABASE_FAILED' })
    const listens = `SELECT FROM pg_stat_activity WHERE query = 'LISTEN "' || $1 || '_deposits"'`
    const isListening = () => database.query(listens, [database.schema])
    await until('listening', async () => (await isListening()).length === 1)
    expect(await Promise.race([custody.close().then(() => 'closed'), sleep(20_000)])).toBe('closed')
    await failed
  })
})

describe('listening to a channel', () => {
  it('ends if it is closed while its connection is made', async () => {
    const { schema } = await newDatabase()
    const database = new Database(await newPool(1), schema, true)
    const ended = listenToChannel(database, `${schema}_work`)
      .close()
      .then(() => 'ended')
    expect(await Promise.race([ended, sleep(20_000)])).toBe('ended')
    await database.close()
  })
})

describe('a worker that reaches no server', () => {
  /** A worker whose server can be cut off. */
  async function cutScene() {
    const world = await scene()
    const { node, hot, open, work } = world
    node.fund(hot, 10n * AVAX)
    const cut = { isAway: false }
    const client = createNodeClient({
      url: 'http://other.test',
      retry: { retries: 0 },
      fetch: async (url, init) => {
        if (cut.isAway) throw new TypeError('fetch failed')
        return node.fetch(url, init)
      },
    })
    const limits = { leaderMs: 1_000 }
    const first = await open({ client, limits })
    work(first)
    await until('synced', async () => (await first.status()).syncedSecondsAgo !== undefined)
    return { ...world, cut, first, limits }
  }

  it('leaves the lead to one that does', async () => {
    const { node, hot, open, work, cut, limits } = await cutScene()
    const second = await open({ limits })
    work(second)
    cut.isAway = true
    node.fund(hot, AVAX)
    await second.requestPayouts(payoutsTo(1))
    await until('paid', async () => (await second.payouts())[0]!.status === 'paid')
    cut.isAway = false
  })

  it('leaves pending transactions to one that does', async () => {
    const { open, work, cut, first, limits } = await cutScene()
    cut.isAway = true
    await first.requestPayouts(payoutsTo(1))
    await until('claimed', async () => (await first.payouts())[0]!.status === 'pending')
    const second = await open({ limits })
    work(second)
    await until('paid', async () => (await second.payouts())[0]!.status === 'paid')
    cut.isAway = false
  })
})

describe('work', () => {
  const never = () => new Promise<never>(() => {})

  it('goes on if the log function throws', async () => {
    const { node, hot, open, work } = await scene()
    node.fund(hot, 10n * AVAX)
    const custody = await open({
      log: () => {
        throw new TypeError('no space left')
      },
    })
    const stop = work(custody)
    await custody.requestPayouts(payoutsTo(1))
    await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
    await stop()
  })

  describe.each<[string, (scene: Scene, answer: () => Promise<never>) => Partial<CustodyOptions>]>([
    ['policy', (_, answer) => ({ policy: answer })],
    [
      'signer',
      ({ keys: { addresses } }, answer) => ({
        keys: undefined,
        signers: [{ addresses, sign: answer }],
      }),
    ],
  ])('while a %s does not answer', (_, options) => {
    it('returns its payouts to the queue when the time is over', async () => {
      const world = await scene()
      const { node, hot, open, work, events } = world
      node.fund(hot, 10n * AVAX)
      const custody = await open({ ...options(world, never), limits: { draftMs: 500 } })
      work(custody)
      await custody.requestPayouts(payoutsTo(1))
      await until('failed', () => events.some(({ event }) => event === 'worker.failed'))
      expect(events.find(({ event }) => event === 'worker.failed')).toMatchObject({
        details: { code: 'RPC_TIMEOUT' },
      })
      expect(await custody.payouts()).toMatchObject([{ status: 'queued', held: false }])
    })

    it('ends soon after its signal, and returns its payouts to the queue', async () => {
      const world = await scene()
      const { node, database, hot, open, work, events } = world
      node.fund(hot, 10n * AVAX)
      let asked = 0
      const answer = () => {
        asked++
        return never()
      }
      const custody = await open(options(world, answer))
      const stop = work(custody)
      await custody.requestPayouts(payoutsTo(1))
      await until('asked', () => asked > 0)
      const stoppedAt = performance.now()
      await stop()
      expect(performance.now() - stoppedAt).toBeLessThan(10_000)
      expect(await database.query('SELECT FROM @.drafts')).toEqual([])
      expect(await custody.payouts()).toMatchObject([{ status: 'queued', held: false }])
      expect(events.map(({ event }) => event)).not.toContain('worker.failed')
    })
  })

  it('ends soon after its signal although no connection is free', async () => {
    const { node, database, hot, open } = await scene()
    node.fund(hot, 10n * AVAX)
    const pool = await newPool(8)
    let isFull = false
    const own = {
      query: (text: string, values?: unknown[]) => pool.query(text, values),
      connect: () => (isFull ? never() : pool.connect()),
      end: () => pool.end(),
    }
    const custody = await open({ database: own })
    const controller = new AbortController()
    const working = custody.work({ signal: controller.signal })
    await until('synced', async () => (await custody.status()).syncedSecondsAgo !== undefined)
    isFull = true
    // Its parts lose their sessions, and wait for others.
    await database.query(
      `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid
       WHERE l.locktype = 'advisory' AND (l.classid::bigint << 32) + l.objid::bigint = hashtextextended($1, 0)`,
      [`avmkit leader ${database.schema}`],
    )
    await sleep(2_000)
    controller.abort()
    expect(await Promise.race([working.then(() => 'ended'), sleep(20_000)])).toBe('ended')
    await pool.end()
  })

  it('goes on and ends although the log function does not answer', async () => {
    const { node, hot, open, work } = await scene()
    node.fund(hot, 10n * AVAX)
    const custody = await open({ log: never })
    const stop = work(custody)
    await custody.requestPayouts(payoutsTo(1))
    await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
    await stop()
  })

  it('stops completely if a part of it fails', async () => {
    const { node, client, hot, open } = await scene()
    node.fund(hot, AVAX)
    let isBroken = false
    const broken: NodeClient = {
      ...client,
      blockReader: (options) => {
        if (isBroken) throw new TypeError('unexpected')
        return client.blockReader(options)
      },
    }
    const custody = await open({ client: broken })
    const working = custody.work()
    await until('synced', async () => {
      const { height, syncedSecondsAgo } = await custody.status()
      return height === 1n && syncedSecondsAgo !== undefined
    })
    isBroken = true
    const failed = expect(working).rejects.toThrow('unexpected')
    await custody.rescan(1n)
    await failed
    const sent = custody.roundTrips()
    await sleep(1_500)
    expect(custody.roundTrips()).toBe(sent)
  })
})

describe('a pool of connections', () => {
  it.each([1, 2])('with %d is refused when it is opened', async (max) => {
    const { open } = await scene()
    const pool = await newPool(max)
    onTestFinished(() => pool.end())
    await expect(open({ database: pool })).rejects.toMatchObject({ code: 'POOL_TOO_SMALL' })
  })

  it('with 3 is enough for a worker', async () => {
    const { node, hot, database, open, work } = await scene()
    node.fund(hot, 10n * AVAX)
    const pool = await newPool(3)
    onTestFinished(() => pool.end())
    const custody = await open({ database: pool, schema: database.schema })
    work(custody)
    await custody.requestPayouts(payoutsTo(1))
    await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
  })
})

it('a connection that has listened is not used for anything else', async () => {
  const { database, open } = await scene()
  const custody = await open()
  const stop = new AbortController()
  const following = (async () => {
    for await (const _ of custody.followDeposits({ after: 0n, signal: stop.signal }));
  })()
  const listening = async () => {
    // Each on a connection of its own.
    const rows = await Promise.all(
      Array.from({ length: 8 }, () =>
        database.query<{ n: string }>(
          'SELECT count(*) AS n, pg_sleep(0.05) FROM pg_listening_channels()',
        ),
      ),
    )
    return rows.some(([row]) => Number(row!.n) > 0)
  }
  await until('a connection listens', async () => {
    const [row] = await database.query<{ n: string }>(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'LISTEN "${database.schema}_deposits"%'`,
    )
    return Number(row!.n) > 0
  })
  stop.abort()
  await following.catch(() => {})
  expect(await listening()).toBe(false)
})
