import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import { loadWasmBackend } from '../../../src/core/crypto/backends/wasm.ts'
import type { Database, Queries } from '../../../src/custody/database/database.ts'
import { databaseStore } from '../../../src/custody/database/store.ts'
import type { Custody, UnknownPayment } from '../../../src/custody/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet, type WalletWait } from '../../../src/wallet/index.ts'
import { variantOf } from '../../../src/wallet/recovery/variant.ts'
import { empty, postgresURL, withoutTriggers } from '../postgres.ts'
import { outageOf } from '../servers.ts'
import {
  AVAX,
  allApplied,
  allPayouts,
  balances,
  keysOf,
  payoutsTo,
  receiver,
  scene,
  textOf,
  until,
} from '../setup.ts'

const TABLES = [
  'accounts',
  'addresses',
  'blocks',
  'drafts',
  'outputs',
  'payments',
  'attempts',
  'attempt_payments',
  'attempt_inputs',
  'moved_inputs',
  'events',
  'audited_txs',
  'unknown_outputs',
  'corrections',
]

/** Copies all tables. Returns a function that restores them. */
async function backUp(database: Database): Promise<() => Promise<void>> {
  const all = ['chain', ...TABLES]
  for (const table of all)
    await database.query(`CREATE TABLE @.backup_${table} AS TABLE @.${table}`)
  onTestFinished(async () => {
    for (const table of all) await database.query(`DROP TABLE @.backup_${table}`)
  })
  return () =>
    database.transaction(async (tx) => {
      await empty(tx)
      await tx.query('SET session_replication_role = replica; DELETE FROM @.chain')
      for (const table of all)
        await tx.query(
          `INSERT INTO @.${table} OVERRIDING SYSTEM VALUE SELECT * FROM @.backup_${table}`,
        )
      await tx.query('SET session_replication_role = origin')
    })
}

/** Ends the connections of a process and keeps all processes from following the chain until `release`. */
async function takeLead(database: Database, application: string) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let hasLead = () => {}
  const lead = new Promise<void>((resolve) => {
    hasLead = resolve
  })
  const holding = database.session(
    async (session: Queries) => {
      const locked = session.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [
        `avmkit leader ${database.schema}`,
      ])
      await sleep(100)
      await database.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        [application],
      )
      await locked
      hasLead()
      await released
    },
    { isDedicated: true },
  )
  await lead
  return async () => {
    release()
    await holding
  }
}

describe('an old backup that is restored', () => {
  it('pays nothing again that was queued or held when it was made', async () => {
    const world = await scene()
    const { node, database, hot, open, work } = world
    for (let i = 0; i < 3; i++) node.fund(hot, 100n * AVAX)
    const custody = await open()
    const stop = work(custody)
    await until('funds', async () => (await custody.status()).reserves[0]?.utxos === 3)
    await stop()
    // Two of them are equal.
    await custody.requestPayouts(payoutsTo(1, 2, 2, 3))
    await custody.hold(['p3'], 'ask first')
    const restore = await backUp(database)
    await custody.release(['p3'])
    const stopAgain = work(custody)
    await allPayouts(custody, 'paid')
    await stopAgain()
    await restore()
    // Requested after the backup was restored.
    await custody.requestPayouts([{ key: 'new', to: receiver(4), amount: AVAX }])
    work(await open())
    await until(
      'the new one is paid',
      async () => (await custody.payouts({ keys: ['new'] }))[0]!.status === 'paid',
    )
    for (const payout of await custody.payouts({ keys: ['p0', 'p1', 'p2', 'p3'] })) {
      expect(payout).toMatchObject({ status: 'queued', held: true })
      expect(payout.note).toMatch(/^may have been paid by /)
    }
    expect(await balances(world, 1, 2, 3, 4)).toEqual([AVAX, 2n * AVAX, AVAX, AVAX])
    await custody.cancel(['p0', 'p1', 'p2', 'p3'])
    // The requests are gone, but not what was paid for them.
    const [{ txID }] = (await custody.unknownPayments()) as [UnknownPayment]
    expect(await custody.audit()).toMatchObject({
      balanced: false,
      faults: [{ kind: 'payment', txID }],
      missing: [],
      extra: [],
    })
    await custody.attribute([{ txID }])
    expect(await custody.audit()).toMatchObject({ balanced: true, missing: [], extra: [] })
  })

  it.each([
    ['holds what a later transaction has paid', []],
    ['does not call canceled what a later transaction has paid', ['p1']],
  ])('finds the acceptance of what was pending, and %s', async (_, canceled) => {
    const outage = outageOf('avm.issueTx')
    const world = await scene({ through: outage.through })
    const { node, client, keys, database, hot, open, work } = world
    for (let i = 0; i < 2; i++) node.fund(hot, 100n * AVAX)
    const custody = await open({ limits: { maxBatch: 1, spareUTXOs: 0 } })
    await custody.requestPayouts(payoutsTo(1, 2))
    const stop = work(custody)
    await allPayouts(custody, 'pending')
    await stop()
    await custody.cancel(canceled)
    const restore = await backUp(database)
    const attempts = await database.query<{ bytes: Uint8Array }>(
      'SELECT bytes FROM @.attempts ORDER BY seq',
    )
    outage.isAway = false
    await client.avm.issueTx({ tx: new Uint8Array(attempts[0]!.bytes) })
    await until('accepted', async () => (await balances(world, 1))[0] === AVAX)
    // As if the second one was drafted again with the same input after the backup.
    await createWallet({ client, keys }).transfer({ to: receiver(2), amount: AVAX })
    await withoutTriggers(database, `UPDATE @.payments SET status = 'canceled'`)
    await restore()
    const restarted = await open({ limits: { resendMs: 100 } })
    work(restarted)
    const held = await until('decided', async () => {
      const [first, second] = await restarted.payouts()
      return first!.status === 'paid' && second!.status !== 'pending' && second
    })
    expect(held).toMatchObject({ status: 'queued', held: true })
    expect(held.note).toMatch(/^may have been paid by /)
    expect(await balances(world, 1, 2)).toEqual([AVAX, AVAX])
  })

  it('holds what a hot address has paid that was added after it was made', async () => {
    const world = await scene()
    const { node, database, hot, open, work } = world
    const added = keysOf(2, 1)
    node.fund(hot, AVAX)
    node.fund(textOf(added.addresses[0]!), 100n * AVAX)
    node.fund(textOf(added.addresses[0]!), 90n * AVAX)
    const synced = (custody: Custody) =>
      until('synced', async () => {
        const { lag, addresses, syncedSecondsAgo } = await custody.status()
        return lag === 0n && !addresses.toWalk && syncedSecondsAgo !== undefined
      })
    // More blocks than are applied again after a walk.
    const addBlocks = () => {
      for (let i = 0; i < 10; i++) node.fund(receiver(99), 1n)
    }
    addBlocks()
    const custody = await open()
    const stop = work(custody)
    await synced(custody)
    await stop()
    await custody.requestPayouts(payoutsTo(1))
    const restore = await backUp(database)
    const second = await open({ keys: added, limits: { spareUTXOs: 0 } })
    const stopSecond = work(second)
    await allPayouts(second, 'paid')
    addBlocks()
    await synced(second)
    await stopSecond()
    await restore()
    work(await open({ keys: added }))
    const held = await until('decided', async () => {
      const [payout] = await custody.payouts()
      return (payout!.held || payout!.status !== 'queued') && payout
    })
    expect(held.note).toMatch(/^may have been paid by /)
    // Also if it is requested again later.
    await custody.requestPayouts([{ key: 'later', to: receiver(1), amount: AVAX }])
    const [later] = await until('decided', async () => {
      const list = await custody.payouts({ keys: ['later'] })
      return (list[0]!.held || list[0]!.status !== 'queued') && list
    })
    expect(later!.note).toBe(held.note)
    expect(await balances(world, 1)).toEqual([AVAX])
  })

  it('holds what was canceled after it was made', async () => {
    const outage = outageOf('avm.issueTx')
    const world = await scene({ through: outage.through })
    const { node, database, hot, open, work } = world
    for (let i = 0; i < 2; i++) node.fund(hot, 100n * AVAX)
    const custody = await open()
    await custody.requestPayouts(payoutsTo(1))
    const stop = work(custody)
    await allPayouts(custody, 'pending')
    await stop()
    const restore = await backUp(database)
    await custody.cancel(['p0'])
    // Not issued: only the cancellation may be accepted.
    await database.query(`UPDATE @.attempts SET next_issue = 'infinity'`)
    outage.isAway = false
    const stopAgain = work(custody)
    await allPayouts(custody, 'canceled')
    await stopAgain()
    await restore()
    work(await open())
    const held = await until('decided', async () => {
      const [payout] = await custody.payouts()
      return payout!.status !== 'pending' && payout
    })
    expect(held).toMatchObject({ status: 'queued', held: true })
    expect(held.note).toMatch(/^may have been canceled by /)
    expect(await balances(world, 1)).toEqual([0n])
  })

  it.each([
    ['with the keys', {}],
    ['without keys', { keys: undefined }],
  ])(
    'leaves it to a wallet to recognize its payment in a variant, if the follower runs %s',
    async (_, options) => {
      const outage = outageOf('avm.issueTx')
      const world = await scene({ through: outage.through })
      const { node, client, keys, database, hot, open, work } = world
      for (let i = 0; i < 2; i++) node.fund(hot, 100n * AVAX)
      const transfer = (wait: WalletWait) =>
        createWallet({ client, keys, store: databaseStore(database), wait }).transfer(
          { to: receiver(1), amount: AVAX },
          { key: 'a' },
        )
      await expect(transfer({ timeoutMs: 3_000 })).rejects.toMatchObject({ code: 'TX_PENDING' })
      const restore = await backUp(database)
      const [attempt] = await database.query<{ bytes: Uint8Array }>('SELECT bytes FROM @.attempts')
      // As the wallet or a worker does after the backup, if nodes remember their rejection.
      const tx = decodeTx(new Uint8Array(attempt!.bytes))
      outage.isAway = false
      await client.avm.issueTx({ tx: variantOf(tx, keys, await loadWasmBackend())! })
      await until('accepted', async () => (await balances(world, 1))[0] === AVAX)
      await restore()
      const custody = await open(options)
      work(custody)
      await until('applied', async () => (await custody.status()).lag === 0n)
      await transfer({ timeoutMs: 20_000 })
      expect(await databaseStore(database).payments(['a'])).toMatchObject([{ status: 'accepted' }])
      expect(await balances(world, 1)).toEqual([AVAX])
    },
  )

  it('leaves pending payouts to the follower, if a wallet with the same store reads a later transaction first', async () => {
    const world = await scene({ through: outageOf('avm.issueTx').through })
    const { node, keys, database, hot, open, work } = world
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    await custody.requestPayouts(payoutsTo(1))
    const stop = work(custody)
    await allPayouts(custody, 'pending')
    await stop()
    const client = createNodeClient({
      url: 'http://node.test',
      fetch: (url, init) => node.fetch(url, init),
    })
    // As if the payout was drafted again with the same input after the backup.
    await createWallet({ client, keys }).transfer({ to: receiver(1), amount: AVAX })
    await createWallet({ client, keys, store: databaseStore(database) }).resume()
    expect(await custody.payouts()).toMatchObject([{ status: 'pending' }])
    work(custody)
    await until('held', async () => (await custody.payouts())[0]!.held)
    expect(await balances(world, 1)).toEqual([AVAX])
  })

  it('holds requests that are made again, until an operator attributes what was paid', async () => {
    const world = await scene()
    const { node, database, hot, open, work } = world
    for (let i = 0; i < 3; i++) node.fund(hot, 100n * AVAX)
    const custody = await open()
    const stop = work(custody)
    await until('healthy', async () => (await custody.status()).healthy)
    await stop()
    const restore = await backUp(database)
    const requests = payoutsTo(1, 2, 2)
    await custody.requestPayouts(requests)
    const stopAgain = work(custody)
    const paid = await allPayouts(custody, 'paid')
    await stopAgain()
    await restore()
    const restarted = await open()
    // Before any block is applied again, and together with others. One of them is equal to two that were paid.
    await restarted.requestPayouts([
      ...requests,
      { key: 'equal', to: receiver(2), amount: AVAX },
      { key: 'new', to: receiver(3), amount: AVAX },
    ])
    work(restarted)
    await allPayouts(restarted, 'paid', ['new'])
    await restarted.requestPayouts([{ key: 'later', to: receiver(1), amount: AVAX }])
    const held = await until('held', async () => {
      const keys = ['p0', 'p1', 'p2', 'equal', 'later']
      const list = await restarted.payouts({ keys })
      return list.every((one) => one.held) && list
    })
    const txID = paid[0]!.txID!
    for (const { note } of held) expect(note).toBe(`may have been paid by ${formatID(txID)}`)
    expect(await balances(world, 1, 2, 3)).toEqual([AVAX, 2n * AVAX, AVAX])
    const unknown = await restarted.unknownPayments()
    expect(unknown.map(({ keys }) => keys).toSorted()).toEqual([
      ['p0', 'later'],
      ['p1', 'p2', 'equal'],
      ['p1', 'p2', 'equal'],
    ])
    expect(await restarted.unknownPayments({ since: unknown[0]!.height + 1n })).toEqual([])
    const wrong = { code: 'PAYMENT_UNKNOWN' }
    await expect(restarted.attribute([{ txID, key: 'new' }])).rejects.toMatchObject({
      code: 'PAYOUT_STATUS',
    })
    await expect(restarted.attribute([{ txID: new Uint8Array(32) }])).rejects.toMatchObject(wrong)
    // All or nothing: there are only two such outputs.
    await expect(
      restarted.attribute(['p1', 'p2', 'equal'].map((key) => ({ txID, key }))),
    ).rejects.toMatchObject(wrong)
    expect(await restarted.unknownPayments()).toEqual(unknown)
    await restarted.attribute(['p0', 'p1', 'p2'].map((key) => ({ txID, key })))
    expect(await restarted.payouts({ keys: ['p0', 'p1', 'p2'] })).toMatchObject(
      [1, 2, 3].map(() => ({ status: 'paid', txID })),
    )
    expect(await restarted.unknownPayments()).toEqual([])
    await restarted.release(['equal', 'later'])
    await allPayouts(restarted, 'paid')
    expect(await balances(world, 1, 2, 3)).toEqual([2n * AVAX, 3n * AVAX, AVAX])
    expect(await restarted.audit()).toMatchObject({ balanced: true })
  })

  it('pays once what is released although a payment looks like it, and what no payment looks like any more', async () => {
    const world = await scene()
    const { node, client, keys, hot, open, work } = world
    for (let i = 0; i < 3; i++) node.fund(hot, 100n * AVAX)
    const custody = await open()
    work(custody)
    await until('healthy', async () => (await custody.status()).healthy)
    // Another holder of the keys.
    const { txID } = await createWallet({ client, keys }).transfer({
      to: receiver(1),
      amount: AVAX,
    })
    await until('known', async () => (await custody.unknownPayments()).length === 1)
    // Neither of these is that payment: another amount, and another address.
    const notBefore = new Date(Date.now() + 86_400_000)
    await custody.requestPayouts([
      { key: 'more', to: receiver(1), amount: 2n * AVAX, notBefore },
      { key: 'else', to: receiver(2), amount: AVAX, notBefore },
    ])
    for (const key of ['more', 'else'])
      await expect(custody.attribute([{ txID, key }])).rejects.toMatchObject({
        code: 'PAYMENT_UNKNOWN',
      })
    await custody.cancel(['more', 'else'])
    await custody.requestPayouts(payoutsTo(1, 1))
    const [released, other] = ['p0', 'p1']
    const both = { keys: ['p0', 'p1'] }
    await until('held', async () => (await custody.payouts(both)).every(({ held }) => held))
    await custody.release([released!])
    await allPayouts(custody, 'paid', [released!])
    expect(await custody.payouts({ keys: [other!] })).toMatchObject([{ held: true }])
    await custody.attribute([{ txID }])
    await custody.release([other!])
    await allPayouts(custody, 'paid', ['p0', 'p1'])
    expect(await balances(world, 1)).toEqual([3n * AVAX])
  })

  it('cannot be paid behind by transactions in no block, once a fence is made', async () => {
    const outage = outageOf('avm.issueTx')
    outage.isAway = false
    const world = await scene({ through: outage.through })
    const { node, client, database, hot, open, work } = world
    for (let i = 0; i < 3; i++) node.fund(hot, 100n * AVAX)
    const custody = await open()
    await expect(custody.fence()).rejects.toMatchObject({ code: 'NOT_SYNCED' })
    const stop = work(custody)
    await until('healthy', async () => (await custody.status()).healthy)
    await stop()
    const restore = await backUp(database)
    outage.isAway = true
    await custody.requestPayouts(payoutsTo(1))
    const stopAgain = work(custody)
    await allPayouts(custody, 'pending')
    await stopAgain()
    const [lost] = await database.query<{ bytes: Uint8Array }>('SELECT bytes FROM @.attempts')
    await restore()
    const restarted = await open()
    work(restarted)
    await until('healthy', async () => (await restarted.status()).healthy)
    const interrupted = new AbortController()
    const waiting = restarted.fence({ signal: interrupted.signal })
    await until('fencing', async () => (await restarted.status()).pendingTransactions > 0)
    interrupted.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
    await restarted.requestPayouts(payoutsTo(1))
    outage.isAway = false
    // The fence that was begun is in a block, so there are UTXOs to pay with. Workers look into the queue every second.
    await until('free', async () => (await restarted.status()).pendingTransactions === 0)
    await sleep(2_500)
    expect((await restarted.status()).problems).toMatchObject([{ code: 'FENCING' }])
    expect(await restarted.payouts()).toMatchObject([{ status: 'queued' }])
    await restarted.fence()
    await expect(client.avm.issueTx({ tx: new Uint8Array(lost!.bytes) })).rejects.toThrow()
    await allPayouts(restarted, 'paid')
    expect(await balances(world, 1)).toEqual([AVAX])
    expect(await restarted.audit()).toMatchObject({ balanced: true })
  })

  it('refuses a cursor of deposits that it has not numbered yet', async () => {
    const { node, database, open, work } = await scene()
    const custody = await open()
    await custody.watch([receiver(1)], { fresh: true })
    const restore = await backUp(database)
    const stop = work(custody)
    node.fund(receiver(1), AVAX)
    await until('deposit', async () => (await custody.deposits()).length === 1)
    expect(await custody.deposits({ after: 1n })).toEqual([])
    await stop()
    await restore()
    const ahead = { code: 'CURSOR_AHEAD' }
    await expect(custody.deposits({ after: 1n })).rejects.toMatchObject(ahead)
    await expect(custody.followDeposits({ after: 1n }).next()).rejects.toMatchObject(ahead)
    expect(await custody.deposits()).toEqual([])
  })

  it('pays nothing again when it replaces the database while workers run', async () => {
    const outage = outageOf('avm.getBlock')
    outage.isAway = false
    const world = await scene({ through: outage.through })
    const { node, database, hot, events, open, work } = world
    for (const amount of [100n, 90n]) node.fund(hot, amount * AVAX)
    const url = new URL(await postgresURL())
    url.searchParams.set('application_name', database.schema)
    const custody = await open({ database: url.href, limits: { spareUTXOs: 0 } })
    onTestFinished(() => custody.close())
    work(custody)
    await until('funds', async () => (await custody.status()).reserves[0]?.utxos === 2)
    const { now } = await custody.status()
    await until('synced', async () => {
      const rows = await database.query('SELECT FROM @.chain WHERE verified_at > $1', [now])
      return rows.length > 0
    })
    const notBefore = new Date(Date.now() + 2_000)
    await custody.requestPayouts(payoutsTo(1).map((one) => ({ ...one, notBefore })))
    const restore = await backUp(database)
    // The first payment spends the smaller UTXO: another one would be free for the second.
    await database.query(
      `WITH draft AS (
         INSERT INTO @.drafts (worker, purpose, expires_at)
         VALUES ('other', 'sweep', now() + interval '1 hour') RETURNING id
       ) UPDATE @.outputs SET draft = draft.id FROM draft WHERE amount = $1`,
      [100n * AVAX],
    )
    await allPayouts(custody, 'paid')
    const release = await takeLead(database, database.schema)
    await restore()
    // Longer than workers wait before they connect again.
    await sleep(2_500)
    expect(await balances(world, 1)).toEqual([AVAX])
    events.length = 0
    outage.isAway = true
    await release()
    await until('a leader', () => events.some(({ event }) => event === 'leader.elected'))
    await sleep(1_500)
    expect(await balances(world, 1)).toEqual([AVAX])
    outage.isAway = false
    await until('held', async () => (await custody.payouts())[0]!.held)
    expect(await balances(world, 1)).toEqual([AVAX])
  })

  it('pays nothing again when it replaces the database while the leader keeps its connection', async () => {
    const outage = outageOf('avm.getBlock')
    outage.isAway = false
    const world = await scene({ through: outage.through })
    const { node, database, hot, events, open, work } = world
    for (const amount of [100n, 90n]) node.fund(hot, amount * AVAX)
    const limits = { spareUTXOs: 0, leaderMs: 60_000 }
    const custody = await open({ limits })
    const stop = work(custody)
    await until('funds', async () => (await custody.status()).reserves[0]?.utxos === 2)
    await allApplied(custody)
    // So late that no worker claims it before it is held.
    const notBefore = new Date(Date.now() + 5_000)
    await custody.requestPayouts(payoutsTo(1).map((one) => ({ ...one, notBefore })))
    await custody.hold(['p0'])
    const restore = await backUp(database)
    await database.query(
      `UPDATE @.backup_payments SET status = 'queued';
       UPDATE @.backup_chain SET verified_at = now() - interval '2 minutes'`,
    )
    await custody.release(['p0'])
    await allPayouts(custody, 'paid')
    outage.isAway = true
    await until('no blocks', () => events.some(({ event }) => event === 'follower.failed'))
    await restore()
    // The worker looks into the queue every second.
    await sleep(2_500)
    expect(await custody.payouts()).toMatchObject([{ status: 'queued', held: false }])
    outage.isAway = false
    await until('held', async () => (await custody.payouts())[0]!.held)
    expect(await balances(world, 1)).toEqual([AVAX])
    expect(events.map(({ event }) => event)).not.toContain('leader.lost')
    await stop()
  })
})
