import { describe, expect, it } from 'vitest'
import { bindChain, lockChain } from '../../src/custody/chain-row.ts'
import { recordClaim } from '../../src/custody/claim-rows.ts'
import type { Database, Queries } from '../../src/custody/database.ts'
import { CustodyError } from '../../src/custody/errors.ts'
import { lockUTXOs } from '../../src/custody/funding.ts'
import { lockPayouts } from '../../src/custody/queue.ts'
import { databaseStore } from '../../src/custody/store.ts'
import type { Claim } from '../../src/store/store.ts'
import { collect, payment } from '../store/samples.ts'
import { newDatabase } from './postgres.ts'
import { AVAX, keysOf, receiver, scene, until } from './setup.ts'

/*
 * The tests of each lock, unique index and transaction boundary, here or in the files named below:
 *
 *   lock of the chain's row before recordClaim         'two claims of one input …', 'two claims of one key …'
 *   FOR UPDATE SKIP LOCKED in lockPayouts              'workers take different payouts'
 *   FOR UPDATE SKIP LOCKED in lockUTXOs                'workers reserve different UTXOs'
 *   FOR UPDATE of payouts before a claim               'a payout that is canceled while it is signed …'
 *   check of the reservation before a claim            'a reservation that has ended …'
 *   unique key of payments                             payouts: 'lets one of two concurrent requests …'
 *   epoch in applyBlock                                deposits: 'refuses a stale leader …'
 *   check of the next height in applyBlock             deposits: 'refuses a stale leader …'
 *   advisory lock in migrate                           migrate: 'can run in several processes …'
 *   one transaction for a block and its height         'leave nothing of a block …'; crash: kills at block.applying
 *   one transaction for keys, inputs and bytes         'leave nothing of a claim …'; crash: kills at payout.claiming
 *   number of a draft that a policy is asked about     payouts: 'count for the policy of a later worker …'
 */

/** Runs two transactions so that the second begins while the first is open. */
async function overlapping(
  database: Database,
  first: (tx: Queries) => Promise<unknown>,
  second: (tx: Queries) => Promise<unknown>,
): Promise<PromiseSettledResult<unknown>[]> {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const one = database.transaction(async (tx) => {
    const result = await first(tx)
    begin()
    // Long enough for the other to do everything that no lock keeps it from.
    await tx.query('SELECT pg_sleep(0.3)')
    return result
  })
  await begun
  return Promise.allSettled([one, database.transaction(second)])
}

/** As a wallet with this store claims. */
async function claimIn(tx: Queries, claim: Claim): Promise<void> {
  await lockChain(tx)
  await recordClaim(tx, claim, { purpose: 'payout', fee: 0n, resendMs: 1000 })
}

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
    const { database, open } = await scene()
    const custody = await open()
    const hot = keysOf(1).addresses[0]!
    await custody.requestPayouts(
      [1, 2, 3, 4].map((n) => ({ key: `p${n}`, to: receiver(n), amount: AVAX })),
    )
    const assetID = (await custody.payouts())[0]!.assetID
    for (let i = 0; i < 8; i++) await addUTXO(database, i, assetID, hot)
    const taken = async (tx: Queries) => ({
      payouts: (await lockPayouts(tx, 2, [])).map(({ key }) => key),
      utxos: (await lockUTXOs(tx, 'hot', [hot], assetID, AVAX)).map(({ txID }) => txID[0]!),
    })
    const results = await overlapping(database, taken, taken)
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
    let canceling: Promise<void> | undefined
    const worker = await open({
      log: async ({ event }) => {
        // The payout's row is locked by the claim that is about to be committed.
        if (event === 'payout.claiming') canceling ??= requester.cancel(['p'])
      },
    })
    work(worker)
    await until('claimed', () => canceling !== undefined)
    await canceling
    const ended = await until('ended', async () => {
      const [payout] = await requester.payouts({ keys: ['p'] })
      return (payout!.status === 'paid' || payout!.status === 'canceled') && payout
    })
    const { balance } = await client.avm.getBalance({ address: receiver(1), assetID: 'AVAX' })
    expect(balance).toBe(ended.status === 'paid' ? AVAX : 0n)
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
    const custody = await open({
      log: async ({ event }) => {
        // Everything but the commit has been done.
        const isFirst = !failed.has(event)
        if (event === 'leader.lost' || event === 'worker.failed') left[event] ??= await look()
        if ((event !== 'block.applying' && event !== 'payout.claiming') || !isFirst) return
        failed.add(event)
        throw new CustodyError('LEADER_LOST', 'as if the connection was lost')
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

async function addUTXO(
  database: Database,
  i: number,
  assetID: Uint8Array,
  address: Uint8Array,
): Promise<void> {
  await database.query(
    `INSERT INTO @.outputs (tx_id, output_index, asset_id, amount, address, wallet, kind, origin, is_simple,
       locktime, utxo, height)
     VALUES ($1, 0, $2, $4::bigint, $3, 'hot', 'plain', 'other', true, 0, '\\x0000'::bytea || $1 || int4send(0) || $2
       || int4send(7) || int8send($4) || int8send(0) || int4send(1) || int4send(1) || $3, 1)`,
    [new Uint8Array(32).fill(i), assetID, address, AVAX / 4n],
  )
}
