import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { decodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import { buildTransfer } from '../../../src/core/draft/x/transfer.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import type { Database } from '../../../src/custody/database/database.ts'
import { Claimer } from '../../../src/custody/payouts/claimer.ts'
import { PayoutIssuer } from '../../../src/custody/payouts/issuer.ts'
import { attribute } from '../../../src/custody/payouts/reconciliation.ts'
import { makeFence } from '../../../src/custody/sweeps/fence.ts'
import { Sweeper } from '../../../src/custody/sweeps/sweeper.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { isRunToday } from '../../helpers/todays-cases.ts'
import { intercepted } from '../overlap.ts'
import { AVAX, allPayouts, balances, payoutsTo, receiver, scene, until } from '../setup.ts'

/** Runs work whose process is killed before its statement `at`. Returns whether it came so far. */
async function killedAt(
  at: number,
  database: Database,
  work: (database: Database) => Promise<unknown>,
): Promise<boolean> {
  let isKilled = false
  const mortal = intercepted(database, (n) => {
    if (n < at) return
    isKilled = true
    throw new Error('the process was killed')
  })
  const [result] = await Promise.allSettled([work(mortal)])
  if (!isKilled && result.status === 'rejected') throw result.reason
  return isKilled
}

describe('a process that is killed at any statement', () => {
  it('of a fence leaves payouts waiting, until another one completes it', async () => {
    const world = await scene()
    const { node, client, database, keys, hot, open, work, settings } = world
    const limits = { draftMs: 1_000, resendMs: 200 }
    for (let i = 0; i < 2; i++) node.fund(hot, 1000n * AVAX)
    const custody = await open({ limits })
    work(custody)
    const base = await settings({ limits })
    let killed = 0
    for (let at = 1; ; at++) {
      if (!isRunToday(at)) continue
      await until('healthy', async () => (await custody.status()).healthy)
      // Signed before the loss of a database, in no block yet.
      const page = await client.avm.getUTXOs({ addresses: [hot] })
      const utxos = page.utxos.map((text) => decodeUTXO(checkedHex.decode(text)))
      const draft = buildTransfer({
        context: node.context,
        funds: { utxos, owners: keys.addresses, now: 0n },
        outputs: [{ to: receiver(at), amount: AVAX }],
        changeTo: hot,
      })
      const lost = requireSigned(signDraft(draft, keys))
      const isKilled = await killedAt(at, database, (mortal) => {
        const own = { ...base, database: mortal }
        const sweeper = new Sweeper(own, new Claimer(own, new PayoutIssuer(own)))
        return makeFence(own, sweeper, new AbortController().signal)
      })
      const [{ fencing }] = (await database.query<{ fencing: boolean }>(
        'SELECT fence_height IS NOT NULL AS fencing FROM @.chain',
      )) as [{ fencing: boolean }]
      if (fencing) expect((await custody.status()).problems).toMatchObject([{ code: 'FENCING' }])
      else if (isKilled) expect(at).toBeLessThan(4)
      const key = `k${at}`
      await custody.requestPayouts([{ key, to: receiver(at), amount: AVAX }])
      if (fencing)
        expect(await custody.payouts({ keys: [key] })).toMatchObject([{ status: 'queued' }])
      if (isKilled) await custody.fence()
      await expect(client.avm.issueTx({ tx: lost.bytes })).rejects.toThrow()
      await allPayouts(custody, 'paid', [key])
      expect(await balances(world, at)).toEqual([AVAX])
      if (!isKilled) break
      killed++
    }
    expect(killed).toBeGreaterThan(2)
    expect(await custody.audit()).toMatchObject({ balanced: true, faults: [] })
  })

  it('of an attribution leaves all decisions open, or none', async () => {
    const { node, client, database, keys, hot, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    const stop = work(custody)
    await until('healthy', async () => (await custody.status()).healthy)
    const outputs = [1, 2].map((n) => ({ to: receiver(n), amount: AVAX }))
    const { txID } = await createWallet({ client, keys }).transfer({ outputs })
    await until('known', async () => (await custody.unknownPayments()).length === 2)
    await custody.requestPayouts(payoutsTo(1, 2))
    await until('held', async () => (await custody.payouts()).every(({ held }) => held))
    await stop()
    const before = [await custody.unknownPayments(), await custody.payouts()]
    for (let at = 1; ; at++) {
      // What is left of the transaction made no payout, whatever the order of the decisions is.
      const isKilled = await killedAt(at, database, (mortal) =>
        attribute(mortal, [{ txID }, { txID, key: 'p0' }]),
      )
      if (!isKilled) break
      expect([await custody.unknownPayments(), await custody.payouts()]).toEqual(before)
    }
    expect(await custody.unknownPayments()).toEqual([])
    expect(await custody.payouts()).toMatchObject([
      { key: 'p0', status: 'paid', txID },
      { key: 'p1', status: 'queued', held: true },
    ])
  })
})
