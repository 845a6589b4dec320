import { describe, expect, it, onTestFinished } from 'vitest'
import { judgeServers, type ShownBlock } from '../../../src/custody/chain/servers.ts'
import { type Custody, serveOperations } from '../../../src/custody/index.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import type { Fetch } from '../../../src/node/index.ts'
import { clientOf } from '../servers.ts'
import {
  AVAX,
  allApplied,
  allPayouts,
  balances,
  payoutsTo,
  receiver,
  type Scene,
  scene,
  until,
} from '../setup.ts'

describe('servers', () => {
  const ours = new Uint8Array(32).fill(1)
  const other = new Uint8Array(32).fill(2)
  const third = new Uint8Array(32).fill(3)
  it.each<[string, readonly ShownBlock[], Uint8Array | undefined, number, string | undefined]>([
    ['the only one has the block', [ours], ours, 1, undefined],
    ['the only one is behind', ['absent'], ours, 1, 'NODE_BEHIND'],
    ['the only one has another block', [other], ours, 1, 'CHAIN_MISMATCH'],
    ['the only one does not answer', ['failed'], ours, 1, 'NODE_UNREACHABLE'],
    ['one of two has the block, quorum 1', [ours, 'absent'], ours, 1, undefined],
    ['one of two has another block, quorum 1', [ours, other], ours, 1, undefined],
    ['two of three have another block, quorum 1', [ours, other, other], ours, 1, 'CHAIN_MISMATCH'],
    ['two have the block, quorum 2', [ours, ours, other], ours, 2, undefined],
    ['one has the block, quorum 2', [ours, 'absent', 'failed'], ours, 2, 'NODE_BEHIND'],
    ['all differ, quorum 2', [ours, other, third], ours, 2, 'NODE_BEHIND'],
    ['two have another block, quorum 2', [ours, other, other], ours, 2, 'CHAIN_MISMATCH'],
    ['one answers, quorum 2', [ours, 'failed', 'failed'], ours, 2, 'NODE_UNREACHABLE'],
    ['the block is not known', [other], undefined, 1, undefined],
    ['the block is not known and the server is behind', ['absent'], undefined, 1, 'NODE_BEHIND'],
    ['the block is not known, quorum 2', [ours, other], undefined, 2, undefined],
  ])('%s', (_, shown, applied, quorum, code) => {
    expect(judgeServers(shown, applied, quorum)?.code).toBe(code)
  })
})

/** Pays one payout, so that the database has blocks that the node may lose. */
async function paidOnce(custody: Custody): Promise<void> {
  await allApplied(custody)
  await custody.requestPayouts(payoutsTo(1))
  await allPayouts(custody, 'paid')
}

/** Waits for a problem, then checks that nothing is claimed: neither payouts nor sweeps. */
async function expectIdle({ database }: Scene, custody: Custody, code: string): Promise<void> {
  const unhealthy = await until(code, async () => {
    const status = await custody.status()
    const codes = status.problems.map((one) => one.code as string)
    return codes.includes(code) && codes.includes('NOT_SYNCED') && status
  })
  expect(unhealthy.healthy).toBe(false)
  const { url, close } = await serveOperations(custody)
  onTestFinished(close)
  const health = await fetch(`${url}/health`)
  expect(health.status).toBe(503)
  expect(await health.json()).toMatchObject({ healthy: false, problems: [{ code }, {}] })
  const before = await database.query('SELECT FROM @.attempts')
  await custody.requestPayouts([{ key: 'late', to: receiver(9), amount: AVAX }])
  await expect(custody.sweep()).rejects.toMatchObject({ code: 'NOT_SYNCED' })
  const { now } = await custody.status()
  // Workers look into the queue every second.
  await until('time', async () => (await custody.status()).now.getTime() > now.getTime() + 2_500)
  expect(await database.query('SELECT FROM @.attempts')).toHaveLength(before.length)
  expect(await custody.payouts({ keys: ['late'] })).toMatchObject([{ status: 'queued' }])
}

describe.each([
  ['a worker that runs', true],
  ['a worker that starts', false],
])('%s', (_, isRunning) => {
  const rules = [{ type: 'consolidate', above: 0 } as const]

  it('claims nothing while the node is behind the database, and goes on once it is not', async () => {
    const world = await scene()
    const { node, hot, open, work } = world
    for (let i = 0; i < 4; i++) node.fund(hot, 10n * AVAX)
    const early = node.snapshot()
    const custody = await open({ sweeps: rules })
    let stop = work(custody)
    await paidOnce(custody)
    if (!isRunning) await stop()
    const late = node.snapshot()
    node.restore(early)
    if (!isRunning) stop = work(custody)
    await expectIdle(world, custody, 'NODE_BEHIND')
    node.restore(late)
    await allPayouts(custody, 'paid')
    expect(await balances(world, 1, 9)).toEqual([AVAX, AVAX])
    await until('healthy', async () => (await custody.status()).healthy)
    await stop()
  })

  it.each([
    [1, 'higher', 20],
    [1, 'as high', 0],
    [2, 'higher', 20],
  ])(
    'claims nothing on a chain that began anew, with quorum %d and %s',
    async (quorum, _, more) => {
      const world = await scene()
      const { node, hot, open, work } = world
      for (let i = 0; i < 4; i++) node.fund(hot, 10n * AVAX)
      const renewed = await createDevNode()
      onTestFinished(() => renewed.close())
      let isRenewed = false
      const server: Fetch = (url, init) => (isRenewed ? renewed : node).fetch(url, init)
      const client = clientOf(world, quorum === 1 ? [server] : [server, server, server])
      const custody = await open({ sweeps: rules, client, quorum })
      const stop = work(custody)
      await paidOnce(custody)
      const height = await client.avm.getHeight()
      if (!isRunning) await stop()
      for (let i = 0n; i < height + BigInt(more); i++) renewed.fund(hot, AVAX)
      isRenewed = true
      if (!isRunning) work(custody)
      await expectIdle(world, custody, 'CHAIN_MISMATCH')
      // Nothing was taken back.
      expect(await custody.payouts({ keys: ['p0'] })).toMatchObject([{ status: 'paid' }])
    },
  )
})
