import { describe, expect, it } from 'vitest'
import { healthOf } from '../../../src/custody/operations/metrics.ts'
import { custodyStatus, readStatus } from '../../../src/custody/operations/status.ts'
import { AVAX, addUTXOs, allApplied, receiver, scene } from '../setup.ts'

describe('readStatus', () => {
  it('returns what the description of a status says, also while nothing has happened', async () => {
    const { settings } = await scene()
    const status = await readStatus(await settings())
    // The members of answers that are unknown are undefined: null is none of their values.
    expect(() => custodyStatus(status, { call: 'status', path: '' })).not.toThrow()
    expect(status).toMatchObject({ healthy: false, depositCursor: 0n, missing: [], reserves: [] })
    expect(status.problems.map(({ code }) => code)).toEqual(['NOT_SYNCED'])
    for (const name of [
      'syncedSecondsAgo',
      'leader',
      'oldestQueued',
      'pendingSince',
      'lastError',
    ] as const)
      expect(status[name], name).toBeUndefined()
  })

  it('counts the blocks that were not applied', async () => {
    const { node, settings, open, work } = await scene()
    node.fund(receiver(1), AVAX)
    const custody = await open()
    const stop = work(custody)
    await allApplied(custody)
    await stop()
    const own = await settings()
    const { height, ...before } = await readStatus(own)
    expect(before).toMatchObject({ nodeHeight: height, lag: 0n })
    for (let i = 0; i < 3; i++) node.fund(receiver(1), AVAX)
    expect(await readStatus(own)).toMatchObject({ height, nodeHeight: height! + 3n, lag: 3n })
  })

  it('is healthy for the seconds that are given, none included', async () => {
    const { settings } = await scene()
    const status = { ...(await readStatus(await settings())), problems: [] }
    const health = (syncedSecondsAgo: number, seconds: number) =>
      healthOf({ ...status, syncedSecondsAgo }, seconds).healthy
    expect([health(0, 0), health(0.5, 0.5), health(0.6, 0.5), health(1, 0)]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('tells free, reserved and locked amounts apart', async () => {
    const { settings, database, keys, open } = await scene()
    const custody = await open()
    const own = await settings()
    const { assetID } = own.context
    const place = { assetID, address: keys.addresses[0]!, amount: AVAX }
    await addUTXOs(database, [1, 2, 3, 4, 5, 6], place)
    const change = (n: number, columns: string) =>
      database.query(`UPDATE @.outputs SET ${columns} WHERE tx_id = $1`, [
        new Uint8Array(32).fill(n),
      ])
    await change(1, 'claimed = true')
    await change(2, 'spent_tx = asset_id, spent_height = 1')
    const [draft] = await database.query<{ id: string }>(
      `INSERT INTO @.drafts (worker, purpose, expires_at) VALUES ('w', 'payout', now() + interval '1 hour') RETURNING id`,
    )
    await change(3, `draft = ${draft!.id}`)
    await addUTXOs(database, [7], { ...place, wallet: 'cold' })
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    await database.query(
      `UPDATE @.payments SET missing = 5, missing_asset = $1, missing_since = now()`,
      [assetID],
    )
    const { reserves, payouts, missing, oldestQueued, now } = await readStatus(own)
    expect(reserves).toEqual([
      { wallet: 'cold', assetID, free: AVAX, reserved: 0n, locked: 0n, utxos: 1 },
      { wallet: 'hot', assetID, free: 3n * AVAX, reserved: 2n * AVAX, locked: 0n, utxos: 5 },
    ])
    expect(payouts).toEqual({ queued: 1, held: 0, pending: 0, paid: 0, failed: 0, canceled: 0 })
    expect(missing).toEqual([{ assetID, amount: 5n }])
    expect(oldestQueued!.getTime()).toBeLessThanOrEqual(now.getTime())
  })
})
