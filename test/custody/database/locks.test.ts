import { describe, expect, it, onTestFinished } from 'vitest'
import { bindChain, lockChain, readChain } from '../../../src/custody/database/chain-row.ts'
import { recordClaim } from '../../../src/custody/database/claim-rows.ts'
import {
  Database,
  type DatabasePool,
  type Queries,
} from '../../../src/custody/database/database.ts'
import { databaseStore } from '../../../src/custody/database/store.ts'
import { insertDraft } from '../../../src/custody/payouts/drafts.ts'
import { lockUTXOs } from '../../../src/custody/payouts/funding.ts'
import { PayoutIssuer } from '../../../src/custody/payouts/issuer.ts'
import { changePayouts } from '../../../src/custody/payouts/payout-changes.ts'
import { requestPayouts } from '../../../src/custody/payouts/payout-requests.ts'
import { lockPayouts } from '../../../src/custody/payouts/queue.ts'
import type { Claim } from '../../../src/wallet/store/store.ts'
import { collect, payment } from '../../wallet/store/samples.ts'
import { intercepted, overlapping } from '../overlap.ts'
import { newDatabase, newPool, withoutTriggers } from '../postgres.ts'
import { AVAX, addUTXOs, beSynced, keysOf, payerOf, receiver, scene, until } from '../setup.ts'

/*
 * What fails when a lock, a check, a unique index or a transaction boundary of src/custody is removed. Each line was
 * tried: the source was changed, and the test failed. Tests without a file name are in this file, `~` stands for
 * interleaving.test.ts.
 *
 * Row locks
 *   chain row, in lockChain (all callers)               'two claims of one input', 'two claims of one key'
 *     registerWallet                                    ~ 'before or after an address becomes part of the hot wallet'
 *     lockAsLeader: applyBlock, walk, takeBack          ~ 'is applied by one of two leaders'
 *     cancelNext                                        ~ 'does not cancel the same payout'
 *     takeByPolicy                                      'a policy that is asked later'
 *     claim of a payout, sweep, cancellation            ~ 'no UTXO that a wallet with the same store spends'
 *     renewal that signs again                          ~ 'if the renewal signs again'
 *     store.claim                                       'two claims of one input'
 *     store.recordAcceptance                            ~ 'leaves nothing pending'
 *   payouts, in lockPayouts                             ~ 'takes other payouts and UTXOs'
 *   UTXOs, in lockUTXOs                                 ~ 'takes other payouts and UTXOs'
 *   UTXOs, in collect                                   ~ 'collects no deposits of an address'
 *   UTXOs, in consolidate                               ~ 'pays from other UTXOs than a sweep'
 *   payouts before their claim                          ~ 'cancels or holds a payout before its claim'
 *   draft before its claim                              ~ 'a reservation that has ended'
 *   payouts that a caller changes                       ~ 'does not hold what the worker has claimed'
 *   attempts that are issued again                      'issuing the same transaction'
 * Advisory locks
 *   migrate                                             migrate: 'in several processes at the same time'
 *   leader                                              'one of two workers lead'
 *   leader that has applied all blocks                  backup: 'replaces the database while workers run'
 *   sweeps                                              ~ 'moves no more to cold storage'
 * Checks under these locks
 *   number of queued payouts before a claim             'canceled while it is signed'
 *   unspent UTXOs before a claim                        'whose input a block has spent'
 *   leader that has applied all blocks before a claim   'while no leader has applied all blocks'
 *   worker of the draft before a claim                  'a draft of another worker'
 *   end of the reservation before a claim               'whose reservation has ended'
 *   pending attempt before a claim that replaces it     ~ 'what a rival has returned to the queue'
 *   pending attempt before it is signed again           ~ 'what a rival has returned to the queue'
 *   payouts that left the draft while a policy is asked 'canceled while a policy is asked'
 *   mark of a payout that is being canceled             ~ 'does not cancel the same payout'
 *   number of a draft that a policy is asked about      payouts: 'from the moment they were taken'
 *   epoch, next height and parent in applyBlock         deposits: 'refuses a stale leader'
 * Unique indexes and primary keys
 *   all but those below                                 'refuse second rows'
 *   accounts, drafts, payments.seq, attempts.seq        foreign keys need them: without one, migrate fails
 * Transactions
 *   any                                                 'workers take different payouts'
 *   isolation level and synchronous commit of any       'weaker defaults'
 *   registerWallet, walk, blocks that are taken back    ~ 'a change of wallet, a walk or blocks'
 *   cancelNext, renewal with a higher fee, sweep        ~ 'of a payout, sweep or cancellation half done'
 *   taking payouts                                      ~ 'takes other payouts and UTXOs'
 *   taking payouts, before and after the policy         ~ 'if a policy is asked'
 *   claim; block                                        'leave nothing of a claim or of a block'; crash
 *   requestPayouts                                      payouts: 'queues all or nothing'
 *   hold, release, cancel                               ~ 'does not hold what the worker has claimed'
 *   renewal that signs again                            ~ 'if the renewal signs again'
 *   store.claim                                         ~ 'no UTXO that a wallet with the same store spends'
 *   store.recordAcceptance                              ~ 'leaves nothing pending'
 *   migrate                                             migrate: 'in several processes at the same time'
 *
 * No test fails without the lock of the chain's row while a renewal with a higher fee is drafted: its claim checks
 * everything again. The lock is there because a block may be spending the same UTXOs, row by row in another order;
 * PostgreSQL would end one of the two transactions as a deadlock.
 */

/** As a wallet with this store claims. */
async function claimIn(tx: Queries, claim: Claim): Promise<void> {
  await lockChain(tx)
  await recordClaim(tx, claim, { purpose: 'payout', fee: 0n, resendMs: 1000 })
}

const SPENDER = new Uint8Array(32).fill(7)

describe('locks', () => {
  it('let one of two claims of one input win', async () => {
    const database = await newDatabase()
    const [a, b] = await overlapping(
      database,
      (tx) => claimIn(tx, payment('k1', 'x')),
      () => databaseStore(database).claim(payment('k2', 'xy')),
    )
    expect(a!.status).toBe('fulfilled')
    expect(b).toMatchObject({ status: 'rejected', reason: { code: 'INPUT_CLAIMED' } })
    expect(await collect(databaseStore(database).attempts())).toHaveLength(1)
  })

  it('hold in a database with weaker defaults, and commits are durable', async () => {
    const { schema } = await newDatabase()
    const withDefaults = async (commit: string) => {
      const isolation = 'repeatable read'
      const defaults = { default_transaction_isolation: isolation, synchronous_commit: commit }
      const database = new Database(await newPool(4, defaults), schema, true)
      onTestFinished(() => database.close())
      return database
    }
    const database = await withDefaults('off')
    const [a, b] = await overlapping(
      database,
      (tx) => claimIn(tx, payment('k1', 'x')),
      () => databaseStore(database).claim(payment('k2', 'xy')),
    )
    expect(a!.status).toBe('fulfilled')
    expect(b).toMatchObject({ status: 'rejected', reason: { code: 'INPUT_CLAIMED' } })
    const used = await Promise.all(
      ['off', 'local', 'on', 'remote_write', 'remote_apply'].map(async (commit) => {
        const [row] = await (await withDefaults(commit)).transaction((tx) =>
          tx.query<{ value: string }>(`SELECT current_setting('synchronous_commit') AS value`),
        )
        return row!.value
      }),
    )
    expect(used).toEqual(['on', 'on', 'on', 'remote_write', 'remote_apply'])
  })

  it('let one of two claims of one key win', async () => {
    const database = await newDatabase()
    const [a, b] = await overlapping(
      database,
      (tx) => claimIn(tx, payment('k', 'x')),
      () => databaseStore(database).claim(payment('k', 'y')),
    )
    expect(a!.status).toBe('fulfilled')
    expect(b).toMatchObject({ status: 'rejected', reason: { code: 'KEY_PENDING' } })
  })

  it('let workers take different payouts and reserve different UTXOs', async () => {
    const { database, open, settings } = await scene()
    const custody = await open()
    const own = await settings({ limits: { maxBatch: 2 } })
    const hot = keysOf(1).addresses[0]!
    await custody.requestPayouts(
      [1, 2, 3, 4].map((n) => ({ key: `p${n}`, to: receiver(n), amount: AVAX })),
    )
    const assetID = (await custody.payouts())[0]!.assetID
    await addUTXOs(database, [1, 2, 3, 4, 5, 6, 7, 8], { assetID, address: hot, amount: AVAX / 4n })
    const taken = async (tx: Queries) => ({
      payouts: (await lockPayouts(tx, own, [])).map(({ key }) => key),
      utxos: (await lockUTXOs(tx, 'hot', [hot], assetID, AVAX)).map(({ txID }) => txID[0]!),
    })
    const results = await overlapping(database, taken, () => database.transaction(taken))
    const [a, b] = results.map((one) => (one as PromiseFulfilledResult<never>).value) as {
      payouts: string[]
      utxos: number[]
    }[]
    expect([a!.payouts, b!.payouts]).toEqual([
      ['p1', 'p2'],
      ['p3', 'p4'],
    ])
    expect(new Set([...a!.utxos, ...b!.utxos]).size).toBe(8)
  })

  it('keep a payout that is canceled while it is signed from being paid', async () => {
    const { node, client, hot, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const requester = await open()
    await requester.requestPayouts(
      [1, 2].map((n) => ({ key: `p${n}`, to: receiver(n), amount: AVAX })),
    )
    let isSigning = false
    const worker = await open({
      log: async ({ event }) => {
        if (event !== 'payout.signed' || isSigning) return
        isSigning = true
        await requester.cancel(['p1'])
      },
    })
    work(worker)
    await until(
      'paid',
      async () => (await requester.payouts({ keys: ['p2'] }))[0]!.status === 'paid',
    )
    expect(await requester.payouts({ keys: ['p1'] })).toMatchObject([{ status: 'canceled' }])
    const { balance } = await client.avm.getBalance({ address: receiver(1), assetID: 'AVAX' })
    expect(balance).toBe(0n)
  })

  it('keep a canceling caller and a claim from passing each other', async () => {
    const { node, client, hot, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const requester = await open()
    await requester.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    let canceling: Promise<unknown> | undefined
    const worker = await open({
      log: async ({ event }) => {
        // The payout's row is locked by the claim that is about to be committed.
        if (event === 'payout.claiming')
          canceling ??= requester.cancel(['p']).catch((error) => error)
      },
    })
    work(worker)
    await until('claimed', () => canceling !== undefined)
    // On a busy machine the payout may be accepted before the canceling caller gets the row.
    const refusal = await canceling
    if (refusal !== undefined) expect(refusal).toMatchObject({ code: 'PAYOUT_STATUS' })
    const ended = await until('ended', async () => {
      const [payout] = await requester.payouts({ keys: ['p'] })
      return (payout!.status === 'paid' || payout!.status === 'canceled') && payout
    })
    const { balance } = await client.avm.getBalance({ address: receiver(1), assetID: 'AVAX' })
    expect(balance).toBe(ended.status === 'paid' ? AVAX : 0n)
    if (refusal !== undefined) expect(ended.status).toBe('paid')
  })

  it('refuse a claim whose reservation has ended', async () => {
    const { node, hot, database, open, work, events } = await scene()
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    let isFirst = true
    const worker = await open({
      log: async (event) => {
        events.push(event)
        if (event.event !== 'payout.signed' || !isFirst) return
        isFirst = false
        // As after a long pause.
        await database.query(`UPDATE @.drafts SET expires_at = now() - interval '1 hour'`)
      },
    })
    const stop = work(worker)
    await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
    await stop()
    expect(events.filter(({ event }) => event === 'payout.expired')).toHaveLength(1)
    expect(events.filter(({ event }) => event === 'payout.claimed')).toHaveLength(1)
  })

  it.each<[string, (database: Database, endLead: () => Promise<void>) => Promise<unknown>]>([
    [
      'whose input a block has spent',
      (database) =>
        database.query('UPDATE @.outputs SET spent_tx = $1, spent_height = 1', [SPENDER]),
    ],
    ['of payouts while no leader has applied all blocks', (_, endLead) => endLead()],
    [
      'under the number of a draft of another worker',
      (database) => database.query(`UPDATE @.drafts SET worker = 'other'`),
    ],
    [
      'under the number of a draft with another UTXO',
      (database) => withoutTriggers(database, 'UPDATE @.outputs SET tx_id = sha256(tx_id)'),
    ],
    [
      'under the number of a draft with another payout',
      (database) => withoutTriggers(database, `UPDATE @.payments SET key = 'other'`),
    ],
  ])('refuse a claim %s', async (_, change) => {
    const { database, events, settings } = await scene()
    const own = await settings({
      log: async (event) => {
        events.push(event)
        if (event.event === 'payout.signed') await change(database, endLead)
      },
    })
    const endLead = await beSynced(database)
    const { context, hot } = own
    const utxo = { assetID: context.assetID, address: hot[0]!, amount: 10n * AVAX }
    await addUTXOs(database, [1], utxo)
    await requestPayouts(database, context, [{ key: 'p', to: receiver(1), amount: AVAX }])
    expect(await payerOf(own).step()).toBe('nothing')
    expect(events.map(({ event }) => event)).toContain('payout.expired')
    expect(await database.query('SELECT FROM @.attempts')).toEqual([])
  })

  it('let a policy that is asked later see what was taken earlier', async () => {
    const { database, settings } = await scene()
    const seen: bigint[] = []
    const own = await settings({
      policy: async (_, { paidTo }) => {
        seen.push(await paidTo(new Date(0)))
        return { action: 'hold', reason: 'limit' }
      },
    })
    await requestPayouts(
      database,
      own.context,
      ['p1', 'p2'].map((key) => ({ key, to: receiver(1), amount: AVAX })),
    )
    const [first] = await overlapping(
      database,
      async (tx) => {
        await lockChain(tx)
        const [payout] = await lockPayouts(
          tx,
          { ...own, limits: { ...own.limits, maxBatch: 1 } },
          [],
        )
        await insertDraft(tx, own, 'payout', [payout!.seq])
      },
      () => payerOf(own).step(),
    )
    expect(first!.status).toBe('fulfilled')
    expect(seen).toEqual([AVAX])
  })

  it('keep payouts that are canceled while a policy is asked out of the transaction', async () => {
    const { database, events, settings } = await scene()
    const asked: string[] = []
    const own = await settings({
      policy: async ({ key }) => {
        asked.push(key)
        if (key === 'p2') await changePayouts(database, 'cancel', ['p1'], '')
        return { action: 'pay' }
      },
    })
    await beSynced(database)
    const { context, hot } = own
    const utxo = { assetID: context.assetID, address: hot[0]!, amount: 10n * AVAX }
    await addUTXOs(database, [1], utxo)
    await requestPayouts(
      database,
      context,
      ['p1', 'p2'].map((key) => ({ key, to: receiver(1), amount: AVAX })),
    )
    expect(await payerOf(own).step()).toBe('paid')
    expect(asked).toEqual(['p1', 'p2'])
    expect(events.map(({ event }) => event)).not.toContain('payout.expired')
    const rows = await database.query('SELECT key, status FROM @.payments ORDER BY seq')
    expect(rows).toEqual([
      { key: 'p1', status: 'canceled' },
      { key: 'p2', status: 'pending' },
    ])
  })

  it('keep two workers from issuing the same transaction at the same time', async () => {
    const { database, events, settings } = await scene()
    const own = await settings()
    await databaseStore(database).claim(payment('k', 'x'))
    await database.query(`UPDATE @.attempts SET next_issue = now(), issued_at = 'epoch'`)
    const [first, second] = await overlapping(
      database,
      (tx) => tx.query(`UPDATE @.attempts SET next_issue = now() + interval '1 hour'`),
      () => new PayoutIssuer(own).issueDue(new AbortController().signal),
    )
    expect([first!.status, second!.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(events).toEqual([])
    expect(await database.query('SELECT issued FROM @.attempts')).toEqual([{ issued: 0 }])
  })

  it('let one of two workers lead', async () => {
    const { node, hot, database, events, open, work } = await scene()
    const first = await open()
    work(first)
    await until('leader', () => events.some(({ event }) => event === 'leader.elected'))
    let tries = 0
    const watched = intercepted(database, (_, text) => {
      if (text.includes('pg_try_advisory_lock')) tries++
    })
    const { pool } = watched as unknown as { readonly pool: DatabasePool }
    work(await open({ database: pool }))
    await until('the second has tried', () => tries > 1)
    node.fund(hot, AVAX)
    await until('applied', async () => (await first.status()).reserves.length > 0)
    expect(events.filter(({ event }) => event === 'leader.elected')).toHaveLength(1)
    expect((await readChain(database)).epoch).toBe(1n)
  })

  it('of the tables refuse second rows, whatever a program does', async () => {
    const database = await newDatabase()
    const store = databaseStore(database)
    await store.claim(payment('k', 'x'))
    await store.claim(payment('k', 'x', { salt: 'variant' }))
    const assetID = new Uint8Array(32)
    await addUTXOs(database, [1, 2], { assetID, address: new Uint8Array(20), amount: 1n })
    await database.query(`UPDATE @.outputs SET cursor = get_byte(tx_id, 0)`)
    for (const statement of [
      'INSERT INTO @.chain DEFAULT VALUES',
      `INSERT INTO @.blocks SELECT 1, '', 0 FROM generate_series(1, 2)`,
      `INSERT INTO @.accounts (xpub, gap) SELECT 'x', 1 FROM generate_series(1, 2)`,
      'INSERT INTO @.addresses (address) SELECT address FROM @.outputs',
      'INSERT INTO @.payments (key, digest, status) SELECT key, digest, status FROM @.payments',
      'INSERT INTO @.moved_inputs SELECT tx_id, output_index FROM @.outputs, generate_series(1, 2)',
      'UPDATE @.outputs SET tx_id = (SELECT min(tx_id::text)::bytea FROM @.outputs)',
      'UPDATE @.outputs SET cursor = 1',
      'UPDATE @.attempts SET tx_id = (SELECT min(tx_id::text)::bytea FROM @.attempts)',
      'UPDATE @.attempt_payments SET attempt = (SELECT min(seq) FROM @.attempts)',
      'UPDATE @.attempt_inputs SET attempt = (SELECT min(seq) FROM @.attempts)',
    ])
      await expect(database.query(statement), statement).rejects.toMatchObject({
        cause: { code: '23505' },
      })
  })

  it('leave nothing of a claim or of a block whose transaction fails before its commit', async () => {
    const { node, hot, database, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const failed = new Set<string>()
    const left: { [event: string]: unknown } = {}
    const look = async () => {
      const [row] = await database.query(
        `SELECT (SELECT count(*) FROM @.attempts) AS attempts, (SELECT count(*) FROM @.attempt_inputs) AS inputs,
           (SELECT count(*) FROM @.payments WHERE status <> 'queued') AS begun,
           (SELECT count(*) FROM @.outputs) AS outputs, (SELECT count(*) FROM @.blocks) AS blocks,
           (SELECT last_block IS NULL FROM @.chain) AS is_new`,
      )
      return row
    }
    let isLost = false
    const losing = intercepted(database, (_, text) => {
      if (!isLost || text !== 'COMMIT') return
      isLost = false
      throw new Error('the connection is lost')
    })
    const { pool } = losing as unknown as { readonly pool: DatabasePool }
    const custody = await open({
      database: pool,
      log: async ({ event }) => {
        // Everything but the commit has been done.
        const isFirst = !failed.has(event)
        if (event === 'leader.lost' || event === 'worker.failed') left[event] ??= await look()
        if ((event !== 'block.applying' && event !== 'payout.claiming') || !isFirst) return
        failed.add(event)
        isLost = true
      },
    })
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    work(custody)
    await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
    expect(left).toMatchObject({
      'leader.lost': { outputs: '0', blocks: '0', is_new: true },
      'worker.failed': { attempts: '0', inputs: '0', begun: '0' },
    })
  })

  it('belong to one network', async () => {
    const database = await newDatabase()
    const binding = { networkID: 1, chainID: new Uint8Array(32).fill(1), hrp: 'avax' }
    await bindChain(database, binding)
    await expect(bindChain(database, { ...binding, networkID: 5 })).rejects.toMatchObject({
      code: 'STORE_MISMATCH',
    })
  })

  it('repeat a transaction after a serialization failure, and give up after some', async () => {
    const database = await newDatabase()
    let tries = 0
    const failing = (times: number) =>
      database.transaction(async (tx) => {
        if (tries++ < times) await tx.query(`DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`)
        return tries
      })
    expect(await failing(2)).toBe(3)
    tries = 0
    await expect(failing(100)).rejects.toMatchObject({ code: 'DATABASE_FAILED' })
  })
})
