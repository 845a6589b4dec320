import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { databaseStore } from '../../../src/custody/database/store.ts'
import type { Custody, LimitRule } from '../../../src/custody/index.ts'
import { lockPayouts } from '../../../src/custody/payouts/queue.ts'
import { payment } from '../../wallet/store/samples.ts'
import { withoutTriggers } from '../postgres.ts'
import {
  AVAX,
  addUTXOs,
  allPayouts,
  balances,
  beSynced,
  payerOf,
  receiver,
  scene,
  until,
} from '../setup.ts'
import { claimNext, claimRows, passTime, tryClaim } from './claims.ts'

const DAY = 86_400

/** A rule about the native asset. */
const perDay = (name: string, per: 'destination' | 'reference' | 'total', amount: bigint) =>
  ({ type: 'limit', name, per, amount, seconds: DAY }) as const

const payoutOf = async (custody: Custody, key: string) =>
  (await custody.payouts({ keys: [key] }))[0]!

/** Waits until a rule stops a payout. */
const stopped = (custody: Custody, key: string) =>
  until(`${key} stopped`, async () => {
    const payout = await payoutOf(custody, key)
    return payout.limit !== undefined && payout
  })

describe('limits', () => {
  it('stop payouts with the rule and its end, and not those behind them', async () => {
    const world = await scene()
    const { node, hot, open, work, database } = world
    for (let i = 0; i < 4; i++) node.fund(hot, 100n * AVAX)
    const custody = await open()
    await custody.setLimit(perDay('daily', 'destination', 5n * AVAX))
    await custody.setLimit({ type: 'limit', name: 'single', per: 'payout', amount: 20n * AVAX })
    await custody.requestPayouts([
      { key: 'huge', to: receiver(3), amount: 21n * AVAX },
      { key: 'first', to: receiver(1), amount: 3n * AVAX },
      { key: 'second', to: receiver(1), amount: 3n * AVAX },
      { key: 'small', to: receiver(1), amount: 2n * AVAX },
      { key: 'other', to: receiver(2), amount: 5n * AVAX },
    ])
    const started = Date.now()
    work(custody)
    await allPayouts(custody, 'paid', ['first', 'small', 'other'])
    const { limit, note } = await stopped(custody, 'second')
    expect(limit).toMatchObject({ name: 'daily' })
    // Until the first one has left the window, as far as the clocks agree.
    expect(Math.abs(limit!.until!.getTime() - started - DAY * 1000)).toBeLessThan(600_000)
    expect(note).toBe(`limit daily is reached until ${limit!.until!.toISOString()}`)
    expect(await stopped(custody, 'huge')).toMatchObject({
      limit: { name: 'daily', until: undefined },
      note: 'limit daily is exceeded by this payout alone',
    })
    expect(await balances(world, 1, 2, 3)).toEqual([5n * AVAX, 5n * AVAX, 0n])
    await passTime(database, DAY)
    await allPayouts(custody, 'paid', ['second'])
    // A changed limit holds at once.
    await custody.removeLimit('daily')
    await until('single', async () => (await payoutOf(custody, 'huge')).limit?.name === 'single')
    await custody.setLimit({ type: 'limit', name: 'single', per: 'payout', amount: 21n * AVAX })
    await allPayouts(custody, 'paid')
    expect(await payoutOf(custody, 'huge')).toMatchObject({ limit: undefined, note: undefined })
    expect((await custody.audit()).faults).toEqual([])
  })

  it('hold across workers that take payouts at the same time', async () => {
    const { node, hot, open, work, database } = await scene()
    for (let i = 0; i < 8; i++) node.fund(hot, 10n * AVAX)
    const workers = await Promise.all(
      [1, 2, 3].map(() => open({ limits: { maxBatch: 2, spareUTXOs: 1 } })),
    )
    const [custody] = workers as [Custody]
    await custody.setLimit(perDay('daily', 'total', 7n * AVAX))
    await custody.requestPayouts(
      Array.from({ length: 20 }, (_, i) => ({ key: `p${i}`, to: receiver(i), amount: AVAX })),
    )
    for (const one of workers) work(one)
    await until('seven paid', async () => (await custody.payouts({ status: 'paid' })).length === 7)
    await until('the others stopped', async () => {
      const rest = await custody.payouts({ status: 'queued' })
      return rest.length === 13 && rest.every(({ limit }) => limit?.name === 'daily')
    })
    const [sum] = await database.query<{ count: string }>(
      `SELECT count(*) FROM @.payments WHERE status IN ('pending', 'accepted')`,
    )
    expect(sum).toEqual({ count: '7' })
  })

  it('refuse a claim that another worker was faster than, and let its payouts wait', async () => {
    const { database, settings, keys, open } = await scene()
    const custody = await open()
    await custody.setLimit(perDay('daily', 'reference', 2n * AVAX))
    await custody.requestPayouts(
      ['a', 'b'].map((key, i) => ({ key, to: receiver(i), amount: 2n * AVAX, reference: 'u' })),
    )
    const own = await settings({ limits: { maxBatch: 1 } })
    const [address] = keys.addresses
    const { assetID } = own.context
    await addUTXOs(database, [1], { assetID, address: address!, amount: 10n * AVAX })
    await beSynced(database)
    const events: string[] = []
    const payer = payerOf({
      ...own,
      log: async (_, event) => {
        events.push(event)
        // Between the choice and the claim.
        if (event === 'payout.signed') expect(await tryClaim(database, ['b'])).toBe(true)
      },
    })
    await payer.step()
    const [a, b] = await custody.payouts({ keys: ['a', 'b'] })
    expect([a!.status, b!.status]).toEqual(['queued', 'pending'])
    expect(a).toMatchObject({ limit: { name: 'daily' } })
    expect(events).toContain('payout.limited')
    expect(events).not.toContain('payout.issued')
  })

  it('count payments without a claim until somebody decides about them', async () => {
    const { database, settings, open } = await scene()
    const custody = await open()
    const own = await settings()
    await custody.setLimit(perDay('daily', 'total', 5n * AVAX))
    await database.query(
      `INSERT INTO @.unknown_outputs (tx_id, output_index, height, address, asset_id, amount)
       VALUES (sha256('lost'), 0, 1, substr(sha256('x'), 1, 20), $1, $2)`,
      [own.context.assetID, 4n * AVAX],
    )
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: 2n * AVAX }])
    expect(await tryClaim(database, ['p'])).toBe(false)
    expect(await claimNext(database, own)).toEqual([])
    await database.query(`SELECT @.dismiss(sha256('lost'))`)
    expect(await tryClaim(database, ['p'])).toBe(true)
    // One that is attributed counts from then on.
    await custody.requestPayouts([{ key: 'q', to: receiver(1), amount: 4n * AVAX }])
    await database.query(
      `INSERT INTO @.unknown_outputs (tx_id, output_index, height, address, asset_id, amount)
       SELECT sha256('made'), 0, 1, address, asset_id, amount FROM @.payments WHERE key = 'q'`,
    )
    await database.query(`SELECT @.attribute('q', sha256('made'))`)
    await custody.requestPayouts([{ key: 'r', to: receiver(1), amount: 1n }])
    expect(await tryClaim(database, ['r'])).toBe(false)
    await passTime(database, DAY)
    expect(await tryClaim(database, ['r'])).toBe(true)
  })

  it.each([
    ['before', 'allow', 'delay'],
    ['after', 'delay', 'allow'],
  ])(
    'show a rule that only people can change, set %s one that ends with time',
    async (_, ...types) => {
      const { database, settings, open } = await scene()
      const custody = await open()
      for (const type of types)
        await custody.setLimit(
          type === 'delay'
            ? { type, name: 'new', seconds: DAY }
            : { type: 'allow', name: 'known', destinations: [receiver(2)] },
        )
      await custody.requestPayouts([
        { key: 'both', to: receiver(1), amount: 1n },
        { key: 'one', to: receiver(2), amount: 1n },
      ])
      expect(await claimNext(database, await settings())).toEqual([])
      expect((await payoutOf(custody, 'both')).limit).toEqual({ name: 'known', until: undefined })
      const { limit } = await payoutOf(custody, 'one')
      expect(limit).toEqual({ name: 'new', until: expect.any(Date) })
    },
  )

  it('know destinations by their bytes, and hold for wallets with the same tables', async () => {
    const { database, open, keys, client } = await scene()
    const custody = await open()
    const bytes = keys.addresses[0]!
    await custody.setLimit({ type: 'allow', name: 'known', destinations: [bytes] })
    const hot = receiver(0)
    await custody.requestPayouts([
      { key: 'bytes', to: bytes, amount: 1n },
      { key: 'unknown', to: hot, amount: 1n },
    ])
    expect(await tryClaim(database, ['bytes', 'unknown'])).toBe(false)
    expect(await tryClaim(database, ['bytes'])).toBe(true)
    const { networkID, chainID } = await client.context()
    const store = databaseStore(database)
    await store.bind({ networkID, chainID })
    const [row] = await database.query<{ digest: Uint8Array }>(
      `SELECT digest FROM @.payments WHERE key = 'unknown'`,
    )
    const claim = payment('unknown', 'x')
    const payments = [{ key: 'unknown', digest: new Uint8Array(row!.digest) }]
    await expect(store.claim({ ...claim, payments })).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
      keys: ['unknown'],
    })
  })

  it('are seen by policies', async () => {
    const { database, settings, open } = await scene()
    const custody = await open()
    await custody.setLimit(perDay('daily', 'total', 9n))
    await custody.setLimit(perDay('user', 'reference', 5n))
    await custody.requestPayouts([
      { key: 'a', to: receiver(1), amount: 2n, reference: 'u' },
      { key: 'b', to: receiver(1), amount: 3n, reference: 'v' },
      { key: 'c', to: receiver(1), amount: 1n, reference: 'u' },
    ])
    expect(await tryClaim(database, ['a', 'b'])).toBe(true)
    await beSynced(database)
    const seen: unknown[] = []
    const own = await settings({
      policy: async (payout, { limits }) => {
        seen.push(payout.reference, await limits())
        return { action: 'hold', reason: 'seen' }
      },
    })
    await payerOf(own).step()
    expect(seen).toEqual([
      'u',
      expect.arrayContaining([
        { name: 'daily', amount: 9n, used: 5n },
        { name: 'user', amount: 5n, used: 2n },
      ]),
    ])
  })

  it('are validated', async () => {
    const { open } = await scene()
    const custody = await open()
    const limit = perDay('a', 'total', 1n)
    const cases: [unknown, string, string][] = [
      [{ ...limit, assetId: 'x' }, 'UNKNOWN_OPTION', 'rule.assetId'],
      [{ ...limit, per: 'user' }, 'ENC_INVALID', 'rule.per'],
      [{ ...limit, amount: -1n }, 'ENC_INVALID', 'rule.amount'],
      [{ ...limit, amount: 1 }, 'ENC_INVALID', 'rule.amount'],
      [{ ...limit, name: 'a b' }, 'ENC_INVALID', 'rule.name'],
      [{ ...limit, seconds: undefined }, 'MISSING_OPTION', 'rule.seconds'],
      [{ ...limit, per: 'payout' }, 'ENC_INVALID', 'rule.seconds'],
      [
        {
          ...limit,
          assetID: new Uint8Array(32),
          assets: [{ assetID: new Uint8Array(32), unit: 1n }],
        },
        'ENC_INVALID',
        'rule.assets',
      ],
      [{ ...limit, assets: [] }, 'ENC_INVALID', 'rule.assets'],
      [
        { ...limit, assets: [{ assetID: new Uint8Array(32), unit: 0n }] },
        'ENC_INVALID',
        'rule.assets[0].unit',
      ],
      [
        { type: 'approvals', name: 'a', amount: 1n, count: 2, approvers: ['ann', 'Ann'] },
        'ENC_INVALID',
        'rule.approvers',
      ],
      [{ type: 'allow', name: 'a' }, 'MISSING_OPTION', 'rule.destinations'],
      [{ type: 'allow', name: 'a', destinations: ['X-fuji1bad'] }, 'CHECKSUM', ''],
      [{ type: 'delay', name: 'a', seconds: 0 }, 'ENC_INVALID', 'rule.seconds'],
      [{ type: 'limits', name: 'a' }, 'ENC_INVALID', 'rule.type'],
    ]
    for (const [rule, code, path] of cases) {
      const error = await custody.setLimit(rule as LimitRule).then(
        () => undefined,
        (thrown) => thrown,
      )
      expect(
        [error?.code, error?.path ?? ''],
        JSON.stringify(String(Object.values(rule as object))),
      ).toEqual(code === 'CHECKSUM' ? [expect.any(String), expect.any(String)] : [code, path])
    }
    await expect(custody.removeLimit('a')).rejects.toMatchObject({ code: 'LIMIT_UNKNOWN' })
    expect(await custody.limits()).toEqual([])
    expect(() => custody.actingFor("x'; DROP TABLE")).toThrow(
      expect.objectContaining({ code: 'ENC_INVALID' }),
    )
  })

  it('are documented with an example that can be set, and the members that there are', async () => {
    const { open } = await scene()
    const custody = await open()
    const guide = readFileSync(new URL('../../../docs/custody.md', import.meta.url), 'utf8')
    const section = guide.split('\n## Limits and approvals\n')[1]!.split('\n## ')[0]!
    const [example, schema] = [...section.matchAll(/```json\n(.*?)```/gs)].map(([, text]) =>
      JSON.parse(text!),
    )
    for (const { amount, ...rule } of example as (LimitRule & { amount?: string })[])
      await custody.setLimit({ ...rule, ...(amount && { amount: BigInt(amount) }) } as LimitRule)
    expect(await custody.limits()).toHaveLength(5)
    for (const { properties } of schema.items.oneOf) {
      const { type, ...others } = properties
      const members = Object.fromEntries(Object.keys(others).map((name) => [name, null]))
      const known = { ...members, type: type.const } as unknown as LimitRule
      // The first member is invalid, but all are known.
      await expect(custody.setLimit(known)).rejects.not.toMatchObject({ code: 'UNKNOWN_OPTION' })
      const more = { ...known, more: 1 } as unknown as LimitRule
      await expect(custody.setLimit(more)).rejects.toMatchObject({ code: 'UNKNOWN_OPTION' })
    }
  })

  it('are listed as they were set, by whom', async () => {
    const { open, client, database } = await scene()
    const custody = await open()
    const { assetID } = await client.context()
    const other = new Uint8Array(32).fill(7)
    const rules: LimitRule[] = [
      {
        ...perDay('a', 'total', 2n ** 70n),
        assets: [
          { assetID, unit: 10n },
          { assetID: other, unit: 3n },
        ],
      },
      { type: 'allow', name: 'b', destinations: [receiver(1)], assetIDs: [other] },
      { type: 'approvals', name: 'c', amount: 5n, count: 1, approvers: ['ann'], assetID: other },
      { type: 'delay', name: 'd', seconds: 60 },
      { type: 'limit', name: 'e', per: 'payout', amount: 1n, assetID },
    ]
    for (const rule of rules) await custody.actingFor('ann').setLimit(rule)
    const listed = await custody.limits()
    expect(listed.map(({ setBy, setAt, ...rule }) => rule)).toEqual(rules)
    expect(listed[0]!.setBy).toMatch(/\/ann$/)
    // What was listed can be set again.
    for (const { setBy, setAt, ...rule } of listed) await custody.setLimit(rule as LimitRule)
    expect((await custody.limits()).map(({ setBy, setAt, ...rule }) => rule)).toEqual(rules)
    const [rows] = await database.query<{ count: string }>('SELECT count(*) FROM @.limits')
    expect(rows!.count).toBe('10')
    const events = await custody.events()
    expect(
      events
        .filter(({ kind }) => kind === 'limit')
        .map(({ newStatus, reason }) => `${newStatus} ${reason}`),
    ).toHaveLength(15)
  })
})

describe('approvals', () => {
  const rule = { type: 'approvals', name: 'large', amount: 10n, count: 2 } as const

  it('come from different people, none of whom has requested the payout', async () => {
    const { database, settings, open } = await scene()
    const custody = await open()
    const own = await settings()
    await custody.setLimit(rule)
    await custody.actingFor('ann').requestPayouts([
      { key: 'small', to: receiver(1), amount: 10n },
      { key: 'large', to: receiver(1), amount: 11n },
    ])
    const [{ role }] = (await database.query<{ role: string }>('SELECT session_user AS role')) as [
      { role: string },
    ]
    expect(await payoutOf(custody, 'large')).toMatchObject({ requestedBy: `${role}/ann` })
    expect(await claimNext(database, own)).toEqual(['small'])
    expect(await payoutOf(custody, 'large')).toMatchObject({
      note: 'limit large has 0 of 2 approvals',
    })
    for (const name of ['ann', 'Ann', 'ANN', role])
      await expect(custody.actingFor(name).approve(['large'])).rejects.toMatchObject({
        code: 'APPROVAL_REFUSED',
        keys: ['large'],
      })
    // The role of the session has requested it, whatever name it had told.
    await expect(custody.approve(['large'])).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    for (const name of ['ben', 'Ben', 'BEN']) await custody.actingFor(name).approve(['large'])
    expect(await tryClaim(database, ['large'])).toBe(false)
    await custody.actingFor('cem').approve(['large'], 'asked on the phone')
    expect(await claimNext(database, own)).toEqual(['large'])
    const approvals = (await custody.events()).filter(({ kind }) => kind === 'approval')
    expect(approvals.at(-1)).toMatchObject({
      key: 'large',
      identity: 'cem',
      newStatus: 'approved',
      actor: `${role}/cem`,
      reason: 'asked on the phone',
    })
    await expect(custody.actingFor('dia').approve(['large'])).rejects.toMatchObject({
      code: 'PAYOUT_STATUS',
    })
    await expect(custody.actingFor('dia').approve(['none'])).rejects.toMatchObject({
      code: 'PAYOUT_UNKNOWN',
    })
  })

  it('are withdrawn by a denial, which holds the payout', async () => {
    const { database, open } = await scene()
    const custody = await open()
    await custody.setLimit(rule)
    await custody.actingFor('ann').requestPayouts([{ key: 'p', to: receiver(1), amount: 11n }])
    for (const name of ['ben', 'cem', 'dia']) await custody.actingFor(name).approve(['p'])
    await custody.actingFor('cem').deny(['p'], 'wrong user')
    expect(await payoutOf(custody, 'p')).toMatchObject({
      held: true,
      note: 'denied by cem: wrong user',
    })
    await custody.release(['p'])
    expect(await tryClaim(database, ['p'])).toBe(false)
    await custody.actingFor('cem').approve(['p'])
    expect(await tryClaim(database, ['p'])).toBe(true)
  })

  it('count for the content that was approved', async () => {
    const { database, open } = await scene()
    const custody = await open()
    await custody.setLimit({ ...rule, count: 1 })
    await custody.actingFor('ann').requestPayouts([{ key: 'p', to: receiver(1), amount: 11n }])
    await custody.actingFor('ben').approve(['p'])
    await withoutTriggers(database, `UPDATE @.payments SET amount = 99, digest = sha256(digest)`)
    expect(await tryClaim(database, ['p'])).toBe(false)
  })
})

describe('the database', () => {
  it('refuses what would evade limits, whoever does it', async () => {
    const { database, open } = await scene()
    const custody = await open()
    await custody.setLimit(perDay('daily', 'total', 5n))
    await custody.requestPayouts(
      ['a', 'b', 'c'].map((key, i) => ({ key, to: receiver(i), amount: 3n })),
    )
    expect(await tryClaim(database, ['a', 'b'])).toBe(false)
    expect(await tryClaim(database, ['a'])).toBe(true)
    await passTime(database, 60)
    const refused = { cause: { code: 'AK003' } }
    for (const statement of [
      `UPDATE @.payments SET pending_since = pending_since - interval '2 days' WHERE key = 'a'`,
      `UPDATE @.payments SET pending_since = NULL WHERE key = 'a'`,
      `UPDATE @.payments SET requested_by = 'x'`,
      `UPDATE @.payments SET reference = 'x'`,
      `UPDATE @.attempts SET claimed_at = claimed_at - interval '1 day'`,
      `INSERT INTO @.attempts (tx_id, kind, purpose, bytes, from_height, claimed_at)
         VALUES ('x', 'payment', 'payout', '', 1, now() - interval '1 day')`,
      `INSERT INTO @.attempt_payments (attempt, position, payment)
         SELECT ap.attempt, 9, p.seq FROM @.attempt_payments ap, @.payments p WHERE p.key = 'b'`,
      `INSERT INTO @.payments (key, digest, status, address, asset_id, amount, requested_by)
         SELECT 'x', digest, 'queued', address, asset_id, amount, 'somebody' FROM @.payments WHERE key = 'b'`,
      `INSERT INTO @.payments (key, digest, status, address, asset_id, amount, requested_at)
         SELECT 'x', digest, 'queued', address, asset_id, amount, now() - interval '1 day' FROM @.payments WHERE key = 'b'`,
      `UPDATE @.limits SET amount = 100`,
      `UPDATE @.limits SET removed_at = now(), amount = 100`,
      `DELETE FROM @.limits`,
      `TRUNCATE @.limits`,
      `UPDATE @.events SET new_status = 'approved'`,
    ])
      await expect(database.query(statement), statement).rejects.toMatchObject(refused)
    const unclaimed = database.transaction(async (tx) => {
      await claimRows(tx, ['b'])
      await tx.query(`UPDATE @.payments SET status = 'queued' WHERE key = 'b'`)
    })
    await expect(unclaimed).rejects.toMatchObject({ cause: { code: 'AK005' } })
    const invalid: [string, string][] = [
      [`{"name": "x", "type": "limit"}`, '23514'],
      [`{"name": "x", "type": "delay", "seconds": 0}`, '23514'],
      [`{"name": "x", "type": "delay", "second": 1}`, 'AK007'],
      [
        `{"name": "daily", "type": "limit", "per": "total", "seconds": 1, "amount": "NaN", "assets": ["\\\\x00"], "units": [1]}`,
        '23514',
      ],
    ]
    for (const [rule, code] of invalid)
      await expect(database.query('SELECT @.set_limit($1)', [rule]), rule).rejects.toMatchObject({
        cause: { code },
      })
    expect(await custody.limits()).toMatchObject([{ name: 'daily', amount: 5n }])
    // Two claims at the same time, none of which has the lock of claims.
    await custody.setLimit(perDay('daily', 'total', 6n))
    const both = await Promise.allSettled(
      ['b', 'c'].map((key) => database.transaction((tx) => claimRows(tx, [key]))),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('lets an audit find what was done without its triggers', async () => {
    const { database, open, work, node, hot } = await scene()
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    await custody.requestPayouts([{ key: 'before', to: receiver(1), amount: 4n * AVAX }])
    const stop = work(custody)
    await allPayouts(custody, 'paid')
    await stop()
    await custody.setLimit(perDay('daily', 'destination', 5n * AVAX))
    await custody.setLimit({ type: 'approvals', name: 'large', amount: 2n * AVAX, count: 1 })
    await custody.setLimit({ type: 'delay', name: 'new', seconds: DAY })
    await custody.setLimit({ type: 'allow', name: 'known', destinations: [receiver(2)] })
    expect((await custody.audit()).faults).toEqual([])
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: 3n * AVAX, reference: 'u' }])
    await database.query('ALTER TABLE @.payments DISABLE TRIGGER payments_controlled')
    try {
      await database.transaction((tx) => claimRows(tx, ['p']))
    } finally {
      await database.query('ALTER TABLE @.payments ENABLE TRIGGER payments_controlled')
    }
    const messages = async () =>
      (await custody.audit()).faults.map(({ key, message }) => `${key}: ${message}`)
    expect((await messages()).toSorted()).toEqual([
      'p: exceeds the limit daily with others',
      'p: has a destination or an asset that known does not allow',
      'p: was claimed before the delay of new',
      'p: was claimed without the approvals of large',
    ])
    for (const [column, message] of [
      [
        `pending_since = pending_since - interval '2 days'`,
        'p: no attempt was claimed at its time',
      ],
      [`reference = 'v'`, 'p: its requester or reference is not that of its first event'],
      [`requested_by = 'v'`, 'p: its requester or reference is not that of its first event'],
    ] as const) {
      await withoutTriggers(
        database,
        `CREATE TABLE @.kept AS SELECT * FROM @.payments; UPDATE @.payments SET ${column} WHERE key = 'p'`,
      )
      expect(await messages()).toContain(message)
      await withoutTriggers(
        database,
        `UPDATE @.payments p SET pending_since = k.pending_since, reference = k.reference, requested_by = k.requested_by FROM @.kept k WHERE k.seq = p.seq; DROP TABLE @.kept`,
      )
    }
  })

  it('takes payouts behind many that are stopped', async () => {
    const { database, settings, open } = await scene()
    const custody = await open()
    await custody.setLimit(perDay('daily', 'destination', 1n))
    const many = Array.from({ length: 25 }, (_, i) => ({
      key: `s${i}`,
      to: receiver(1),
      amount: 2n,
    }))
    await custody.requestPayouts([...many, { key: 'free', to: receiver(2), amount: 1n }])
    const own = await settings({ limits: { maxBatch: 4 } })
    const taken = await database.transaction((tx) => lockPayouts(tx, own, []))
    expect(taken.map(({ key }) => key)).toEqual(['free'])
  })
})
