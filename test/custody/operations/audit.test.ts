import { describe, expect, it } from 'vitest'
import { findFaults } from '../../../src/custody/operations/audit-rows.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { withoutTriggers } from '../postgres.ts'
import {
  AVAX,
  addUTXOs,
  allPayouts,
  keysOf,
  payoutsTo,
  receiver,
  scene,
  textOf,
  until,
} from '../setup.ts'

const customer = textOf(keysOf(61).addresses[0]!)

/** Two deposits and three payouts, of which two are equal, and no worker. */
async function books() {
  let asked = 0
  const world = await scene({
    through: (fetch) => (url, init) => {
      if (String(init.body).includes('avm.getTx"')) asked++
      return fetch(url, init)
    },
  })
  const { node, hot, open, work } = world
  for (let i = 0; i < 3; i++) node.fund(hot, 10n * AVAX)
  const custody = await open()
  await custody.watch([customer], { fresh: true })
  const stop = work(custody)
  await until('healthy', async () => (await custody.status()).healthy)
  for (const amount of [1n, 2n]) node.fund(customer, amount * AVAX)
  await custody.requestPayouts(payoutsTo(1, 2, 2))
  await allPayouts(custody, 'paid')
  await until('deposits', async () => (await custody.deposits()).length === 2)
  await stop()
  const asks = async (work: () => Promise<unknown>) => {
    const before = asked
    await work()
    return asked - before
  }
  return { ...world, custody, asks }
}

describe('an audit', () => {
  it('requests the transactions of new rows, and of all if it is whole', async () => {
    const { custody, asks, work } = await books()
    const audit = (whole?: boolean) => async () =>
      expect(await custody.audit({ whole })).toMatchObject({ balanced: true, faults: [] })
    const first = await asks(audit())
    expect(first).toBeGreaterThan(0)
    expect(await asks(audit())).toBe(0)
    expect(await asks(audit(true))).toBe(first)
    const stop = work(custody)
    await custody.requestPayouts([{ key: 'more', to: receiver(3), amount: AVAX }])
    await allPayouts(custody, 'paid')
    await stop()
    const added = await asks(audit())
    expect(added).toBeGreaterThan(0)
    expect(added).toBeLessThan(first)
  })

  it.each([
    [
      'the recipient of a paid payout',
      `UPDATE @.payments SET address = substr(digest, 1, 20) WHERE key = 'p0'`,
      { kind: 'payout', key: 'p0', message: 'its transaction has no output for it' },
    ],
    [
      'a payout that looks like another one of its transaction',
      `UPDATE @.payments SET address = (SELECT address FROM @.payments WHERE key = 'p1') WHERE key = 'p0'`,
      { kind: 'payout', key: 'p2', message: 'its transaction has no output for it' },
    ],
    [
      'the amount of a paid payout',
      `UPDATE @.payments SET amount = amount + 1 WHERE key = 'p1'`,
      { kind: 'payout', key: 'p1', message: 'its transaction has no output for it' },
    ],
    [
      'the transaction of a paid payout',
      `UPDATE @.payments SET outcome_tx = sha256('x') WHERE key = 'p0'`,
      { kind: 'payout', key: 'p0', message: /not accepted/ },
    ],
    [
      'a paid payout that has no transaction',
      `UPDATE @.payments SET outcome_tx = NULL WHERE key = 'p0'`,
      { kind: 'payout', key: 'p0', message: 'is paid without a transaction' },
    ],
    [
      'the status of a payout',
      `UPDATE @.payments SET status = 'canceled' WHERE key = 'p0'`,
      { kind: 'payout', key: 'p0', message: 'is canceled, its last event is accepted' },
    ],
    [
      'a payout without history',
      `INSERT INTO @.payments (key, digest, status, address, asset_id, amount)
         SELECT 'x', digest, 'queued', address, asset_id, amount FROM @.payments WHERE key = 'p0'`,
      { kind: 'payout', key: 'x', message: 'is queued, its last event is missing' },
    ],
    [
      'the bytes of an attempt',
      `UPDATE @.attempts SET bytes = bytes || '\\x00'`,
      { kind: 'payout', key: 'p0', message: /not stored correctly/ },
    ],
    [
      'the outcome of an attempt',
      `UPDATE @.attempts SET outcome = 'rejected'`,
      { kind: 'attempt', message: 'is rejected, its last event is accepted' },
    ],
    [
      'the amount of a deposit',
      `UPDATE @.outputs SET amount = amount + 1 WHERE cursor = 1`,
      { kind: 'deposit', message: 'deposit 1: its columns differ from its UTXO' },
    ],
    [
      'the kind of a deposit',
      `UPDATE @.outputs SET kind = 'own' WHERE cursor = 2`,
      { kind: 'deposit', message: 'is own, its last event is plain' },
    ],
  ])(
    'finds %s that somebody changed without triggers, also after an earlier audit',
    async (_, statement, fault) => {
      const { custody, database } = await books()
      expect(await custody.audit()).toMatchObject({ balanced: true })
      await withoutTriggers(database, statement)
      const { balanced, faults } = await custody.audit()
      expect(balanced).toBe(false)
      const { message, ...rest } = fault
      expect(faults).toContainEqual(
        expect.objectContaining({
          ...rest,
          message: message instanceof RegExp ? expect.stringMatching(message) : message,
        }),
      )
    },
  )

  it('finds a deposit that was added with a UTXO of its own, if the transaction is asked for', async () => {
    const { custody, database } = await books()
    await withoutTriggers(
      database,
      `UPDATE @.outputs SET amount = amount + 1, utxo = overlay(utxo PLACING int8send((amount + 1)::bigint) FROM 75 FOR 8)
       WHERE cursor = 1`,
    )
    const { faults } = await custody.audit()
    expect(faults).toMatchObject([
      { message: 'deposit 1: its UTXO differs from the output of its transaction' },
    ])
  })

  it('ends while it asks for transactions if its signal is aborted', async () => {
    const { database, settings, keys } = await scene()
    const own = await settings()
    const place = { assetID: own.context.assetID, address: keys.addresses[0]!, amount: AVAX }
    await addUTXOs(database, [1], place)
    await withoutTriggers(database, 'UPDATE @.outputs SET cursor = 1')
    const find = (signal?: AbortSignal) => findFaults(own, { isWhole: true, signal })
    const unknown = expect.stringMatching(/too few servers have its transaction/)
    expect(await find()).toContainEqual(expect.objectContaining({ message: unknown }))
    await expect(find(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is not balanced while somebody has paid others with the keys, and nobody has decided about it', async () => {
    const { custody, client, keys, work } = await books()
    const { txID } = await createWallet({ client, keys }).transfer({
      to: receiver(7),
      amount: AVAX,
    })
    const stop = work(custody)
    await until('known', async () => (await custody.unknownPayments()).length === 1)
    await stop()
    expect(await custody.audit()).toMatchObject({
      balanced: false,
      faults: [{ kind: 'payment', txID }],
    })
    await custody.attribute([{ txID }])
    expect(await custody.audit()).toMatchObject({ balanced: true, faults: [] })
  })
})
