import { describe, expect, it, onTestFinished } from 'vitest'
import { leaderLock } from '../../../src/custody/database/chain-row.ts'
import { Database } from '../../../src/custody/database/database.ts'
import { migrate } from '../../../src/custody/database/migrate.ts'
import { migrations } from '../../../src/custody/database/schema.ts'
import type { Custody } from '../../../src/custody/index.ts'
import { newPool, newSchema, withoutTriggers } from '../postgres.ts'
import { outageOf } from '../servers.ts'
import { AVAX, allPayouts, balances, payoutsTo, receiver, scene, until } from '../setup.ts'

const refused = { code: 'DATABASE_FAILED', cause: { code: 'AK003' } }

/** One paid, one canceled, one held and one queued payout, and no worker. */
async function settled() {
  const world = await scene()
  const { node, hot, open, work } = world
  for (let i = 0; i < 4; i++) node.fund(hot, 10n * AVAX)
  const custody = await open()
  await custody.requestPayouts([{ key: 'paid', to: receiver(1), amount: AVAX, reference: 'u1' }])
  const stop = work(custody)
  await allPayouts(custody, 'paid')
  await until('healthy', async () => (await custody.status()).healthy)
  await stop()
  await custody.requestPayouts(
    ['canceled', 'held', 'queued'].map((key, i) => ({ key, to: receiver(2 + i), amount: AVAX })),
  )
  await custody.cancel(['canceled'], 'a mistake')
  await custody.hold(['held'], 'ask first')
  return { ...world, custody }
}

describe('the database', () => {
  it('refuses changes that contradict what happened, whoever makes them', async () => {
    const { database } = await settled()
    const payment = (key: string, set: string) =>
      `UPDATE @.payments SET ${set} WHERE key = '${key}'`
    for (const statement of [
      payment('paid', `status = 'queued'`),
      payment('paid', `status = 'held'`),
      payment('paid', `status = 'canceled'`),
      payment('paid', `status = 'pending'`),
      payment('paid', `outcome_tx = NULL`),
      payment('paid', `address = substr(digest, 1, 20)`),
      payment('paid', `amount = 1`),
      payment('canceled', `status = 'queued'`),
      payment('canceled', `status = 'held'`),
      payment('canceled', `status = 'pending'`),
      payment('queued', `status = 'accepted'`),
      payment('queued', `status = 'accepted', outcome = 'accepted', outcome_tx = digest`),
      payment('queued', `status = 'rejected'`),
      payment('queued', `status = 'pending'`),
      payment('queued', `asset_id = digest`),
      payment('held', `memo = 'x'`),
      `DELETE FROM @.payments`,
      `TRUNCATE @.payments CASCADE`,
      `INSERT INTO @.payments (key, digest, status, address, asset_id, amount)
         SELECT 'x', digest, 'accepted', address, asset_id, amount FROM @.payments WHERE key = 'paid'`,
      `UPDATE @.attempts SET outcome = NULL`,
      `UPDATE @.attempts SET outcome = 'rejected'`,
      `UPDATE @.attempts SET bytes = 'x'`,
      `DELETE FROM @.attempts`,
      `UPDATE @.outputs SET spent_tx = NULL WHERE spent_tx IS NOT NULL`,
      `UPDATE @.outputs SET kind = 'void'`,
      `UPDATE @.outputs SET tx_id = sha256(tx_id)`,
      `UPDATE @.outputs SET amount = amount + 1`,
      `DELETE FROM @.outputs`,
      `UPDATE @.events SET reason = 'x'`,
      `DELETE FROM @.events`,
      `TRUNCATE @.events CASCADE`,
    ])
      await expect(database.query(statement), statement).rejects.toMatchObject(refused)
  })

  it('takes a payout for paid only with its own transaction', async () => {
    const outage = outageOf('issueTx')
    const { node, hot, open, work, database } = await scene({ through: outage.through })
    node.fund(hot, 10n * AVAX)
    const custody = await open()
    await custody.watch([receiver(9)], { fresh: true })
    await custody.requestPayouts(payoutsTo(1))
    const stop = work(custody)
    await until('healthy', async () => (await custody.status()).healthy)
    node.fund(receiver(9), AVAX)
    await until('deposited', async () => (await custody.deposits()).length === 1)
    await allPayouts(custody, 'pending')
    await stop()
    const accept = (by: string) =>
      `UPDATE @.attempts SET outcome = 'accepted', decided_by = ${by}, decided_height = 1`
    const pay = (by: string) =>
      `UPDATE @.payments SET status = 'accepted', outcome = 'accepted', outcome_tx = ${by}`
    for (const statements of [
      [accept(`sha256('x')`)],
      [accept('tx_id'), pay('digest')],
      [pay('(SELECT tx_id FROM @.attempts)')],
      ['UPDATE @.outputs SET cursor = cursor + 1 WHERE cursor IS NOT NULL'],
      [
        `INSERT INTO @.payments (key, digest, status, outcome, address, asset_id, amount)
           SELECT 'x', digest, 'queued', 'rejected', address, asset_id, amount FROM @.payments`,
      ],
    ])
      await expect(
        database.transaction(async (tx) => {
          for (const statement of statements) await tx.query(statement)
        }),
        statements.join('; '),
      ).rejects.toMatchObject(refused)
  })

  it('records every change with actor, statuses and reason', async () => {
    const { custody, database } = await settled()
    const [{ user }] = (await database.query<{ user: string }>(
      'SELECT session_user AS "user"',
    )) as [{ user: string }]
    const all = await custody.events()
    const cursors = all.map(({ cursor }) => cursor)
    expect(cursors).toEqual(cursors.toSorted((a, b) => Number(a - b)))
    const of = (key: string) =>
      all.flatMap((one) => (one.key === key ? [[one.oldStatus, one.newStatus, one.reason]] : []))
    expect(of('paid')).toEqual([
      [undefined, 'queued', undefined],
      ['queued', 'pending', undefined],
      ['pending', 'accepted', undefined],
    ])
    expect(of('canceled')).toEqual([
      [undefined, 'queued', undefined],
      ['queued', 'canceled', 'a mistake'],
    ])
    expect(of('held')).toEqual([
      [undefined, 'queued', undefined],
      ['queued', 'held', 'ask first'],
    ])
    const [payout] = await custody.payouts({ keys: ['paid'] })
    expect(payout!.reference).toBe('u1')
    const paid = all.filter(({ key }) => key === 'paid')
    for (const one of paid) expect(one).toMatchObject({ actor: user, reference: 'u1' })
    expect(paid.slice(1).map(({ txID }) => txID)).toEqual([payout!.txID, payout!.txID])
    const attempts = all.filter(({ kind }) => kind === 'attempt')
    expect(attempts.map(({ newStatus, reason }) => [newStatus, reason?.slice(0, 7)])).toEqual([
      ['pending', 'payout'],
      ['accepted', 'decided'],
    ])
    expect(await custody.events({ after: cursors.at(-1)! })).toEqual([])
    expect(await custody.events({ after: cursors[0]!, limit: 1 })).toEqual([all[1]])
  })

  it('shows no event before all earlier ones are visible', async () => {
    const { custody, database } = await settled()
    const before = (await custody.events()).length
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    let begun = () => {}
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    // Its event has a lower number than that of the next one, and is committed later.
    const slow = database.transaction(async (tx) => {
      await tx.query(`SELECT @.hold(ARRAY['queued'], 'slow')`)
      begun()
      await isReleased
    })
    await hasBegun
    await custody.release(['held'])
    const reading = custody.events()
    release()
    await slow
    const added = (await reading).slice(before)
    expect(added.map(({ key, newStatus }) => [key, newStatus])).toEqual([
      ['queued', 'held'],
      ['held', 'queued'],
    ])
  })
})

describe('a row that somebody changed without triggers', () => {
  async function expectHeld(custody: Custody, key: string, note: RegExp): Promise<void> {
    const found = await until('held', async () => {
      const [payout] = await custody.payouts({ keys: [key] })
      return payout!.held && payout
    })
    expect(found.note).toMatch(note)
  }

  it.each([
    ['paid', /^contradictory row: its last attempt was accepted/],
    ['canceled', /^contradictory row: its last event is canceled/],
  ])('to queue what was %s is held, and the queue goes on', async (key, note) => {
    const world = await settled()
    const { custody, database, work } = world
    await withoutTriggers(database, `UPDATE @.payments SET status = 'queued' WHERE key = '${key}'`)
    work(custody)
    await expectHeld(custody, key, note)
    await allPayouts(custody, 'paid', ['queued'])
    expect(await balances(world, 1, 2)).toEqual([AVAX, 0n])
  })

  it('does not let a paid payout be canceled', async () => {
    const { custody, database } = await settled()
    await withoutTriggers(database, `UPDATE @.payments SET status = 'queued' WHERE key = 'paid'`)
    await expect(custody.cancel(['paid'])).rejects.toMatchObject({ code: 'PAYOUT_STATUS' })
  })
})

describe('migrate', () => {
  /** Tables of the version before events, with a payout in each status. */
  async function earlier(): Promise<Database> {
    const database = new Database(await newPool(3), newSchema(), true)
    onTestFinished(async () => {
      await database.query(`DROP SCHEMA "${database.schema}" CASCADE`)
      await database.close()
    })
    await database.query(`CREATE SCHEMA "${database.schema}"`)
    await database.query('CREATE TABLE @.schema_version (version int NOT NULL)')
    await database.query('INSERT INTO @.schema_version VALUES (6)')
    for (const text of migrations.slice(0, 6)) await database.query(text)
    await database.query(
      `INSERT INTO @.payments (key, digest, status, address, asset_id, amount)
       SELECT s, sha256('x'), s, substr(sha256('x'), 1, 20), sha256('x'), 5
       FROM unnest(ARRAY['queued', 'held', 'pending', 'accepted', 'rejected', 'canceled']) AS given(s)`,
    )
    return database
  }

  it('keeps all rows, and begins their history', async () => {
    const database = await earlier()
    const rows = () =>
      database.query('SELECT seq, key, status, amount FROM @.payments ORDER BY seq')
    const before = await rows()
    await migrate(database)
    expect(await rows()).toEqual(before)
    expect(
      await database.query(
        `SELECT count(*)::int AS n FROM @.events e JOIN @.payments p ON p.seq = e.subject AND e.new_status = p.status`,
      ),
    ).toEqual([{ n: 6 }])
    // Workers of the earlier version read this column before each claim.
    await expect(database.query('SELECT synced_at FROM @.chain')).rejects.toMatchObject({
      cause: { code: '42703' },
    })
  })

  it('refuses to upgrade while a worker follows the chain, and changes nothing', async () => {
    const database = await earlier()
    await database.session(
      async (session) => {
        await session.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [
          leaderLock(database.schema),
        ])
        await expect(migrate(database)).rejects.toMatchObject({ code: 'WORKERS_RUNNING' })
      },
      { isDedicated: true },
    )
    expect(await database.query('SELECT version FROM @.schema_version')).toEqual([{ version: 6 }])
    await database.query('SELECT synced_at FROM @.chain')
  })
})

it('a payout that was requested stays with its reference', async () => {
  const { open } = await scene()
  const custody = await open()
  await custody.requestPayouts(payoutsTo(1).map((one) => ({ ...one, reference: 'user 17' })))
  expect(await custody.payouts()).toMatchObject([{ reference: 'user 17' }])
})
