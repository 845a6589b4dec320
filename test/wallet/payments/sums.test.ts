import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { fileStore, memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { intercepted } from '../requests.ts'
import { AVAX, addressOf, fee } from '../setup.ts'
import { DAY, limited, me, policyOf, refusal, short, switchable, you } from './limited.ts'

const to = addressOf(you)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('sums over time in a wallet', () => {
  it('counts payments with and without keys, and names limit, use and time', async () => {
    const { mine, pass, clock, store } = await limited()
    await mine.transfer({ to, amount: 60n })
    const first = Math.floor(clock.now() / 1000)
    pass(1000)
    await mine.transfer({ to, amount: 30n }, { key: 'a' })
    const [record] = await store.payments(['a'])
    expect(Number(record!.endedAt)).toBeGreaterThanOrEqual(first + 1000)
    const { sum, message, hint } = await refusal(mine.transfer({ to, amount: 11n }))
    expect(sum).toMatchObject({ amount: 100n, seconds: DAY, used: 90n, left: 10n, requested: 11n })
    expect(sum!.assetID).toEqual(AVAX)
    expect(Number(sum!.freeAt)).toBeGreaterThanOrEqual(first + DAY)
    expect(Number(sum!.freeAt)).toBeLessThan(first + DAY + 60)
    expect(message).toContain('within 86400 s: 0.00000009 AVAX used, 0.00000001 AVAX left')
    expect(hint).toContain(new Date(Number(sum!.freeAt) * 1000).toISOString())
    await mine.transfer({ to, amount: 10n })
    const never = await refusal(mine.transfer({ to, amount: 101n }))
    expect(never.sum!.freeAt).toBeUndefined()
    // The first payment becomes free exactly at the stated time.
    pass(Number(sum!.freeAt) - Math.floor(clock.now() / 1000) - 1)
    await refusal(mine.transfer({ to, amount: 60n }))
    pass(1)
    await mine.transfer({ to, amount: 60n })
    await refusal(mine.transfer({ to, amount: 1n }))
  })

  it('does not count what returns, fees, or other assets', async () => {
    const { mine, open } = await limited()
    await mine.transfer({ to: addressOf(me), amount: 5_000n })
    await mine.consolidate()
    await mine.sweep({ to: addressOf(me) })
    const { txID: assetID } = await mine.createAsset({
      name: 'Token',
      symbol: 'TOK',
      holders: [{ to: addressOf(me), amount: 1000n }],
    })
    await mine.transfer({ to, amount: 500n, assetID })
    await mine.transfer({ to, amount: 100n })
    await refusal(open().transfer({ to, amount: 1n }))
  })

  it('lets concurrent calls of all wallets with the store pay as much as is left, and no more', async () => {
    const { mine, open } = await limited()
    const wallets = [mine, open(), mine, open()]
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        wallets[i % 4]!.transfer({ to, amount: 20n }, i % 2 ? { key: `k${i}` } : {}),
      ),
    )
    const made = results.filter(({ status }) => status === 'fulfilled')
    expect(made.length).toBe(5)
    for (const one of results)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'POLICY_SUM' })
  })

  it('asks nobody to confirm what it refuses', async () => {
    const confirm = vi.fn(() => true)
    const { mine } = await limited({ confirm })
    await refusal(mine.transfer({ to, amount: 101n }))
    expect(confirm).not.toHaveBeenCalled()
    await mine.transfer({ to, amount: 100n })
    expect(confirm).toHaveBeenCalledTimes(1)
    const [[explanation]] = confirm.mock.calls as unknown as [[{ readonly warnings: unknown }]]
    expect(explanation.warnings).toEqual([])
  })
})

describe('payments without an outcome', () => {
  it('count while they are pending, however long, and not once they are canceled', async () => {
    const { node, intercept } = switchable()
    const { mine, pass, store } = await limited({ intercept })
    node.isDown = true
    await expect(mine.transfer({ to, amount: 70n }, { key: 'a', ...short })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    node.isDown = false
    pass(2 * DAY)
    node.isDown = true
    const { sum } = await refusal(mine.transfer({ to, amount: 31n }))
    expect(sum).toMatchObject({ used: 70n, left: 30n })
    node.isDown = false
    await mine.cancel('a')
    expect((await store.payments(['a']))[0]).toMatchObject({ status: 'canceled' })
    await mine.transfer({ to, amount: 100n })
    // Under its own key it is a payment like others.
    await refusal(mine.transfer({ to, amount: 70n }, { key: 'a' }))
    pass(DAY + 60)
    await mine.transfer({ to, amount: 70n }, { key: 'a' })
    await refusal(mine.transfer({ to, amount: 31n }))
  })

  it('count for the whole time from their acceptance on', async () => {
    const { node, intercept } = switchable()
    const { mine, pass } = await limited({ intercept })
    node.isDown = true
    const pending = mine.transfer({ to, amount: 70n }, { key: 'a', ...short })
    await expect(pending).rejects.toMatchObject({ code: 'TX_PENDING' })
    node.isDown = false
    pass(DAY - 100)
    expect(await mine.resume()).toMatchObject([{ status: 'accepted' }])
    pass(DAY - 100)
    await refusal(mine.transfer({ to, amount: 31n }))
    pass(200)
    await mine.transfer({ to, amount: 31n })
  })

  it('do not count once another holder of the keys has spent their inputs', async () => {
    const { node, intercept } = switchable()
    const { mine, client, clock, store } = await limited({ intercept })
    node.isDown = true
    const pending = mine.transfer({ to, amount: 70n }, { key: 'a', ...short })
    await expect(pending).rejects.toMatchObject({ code: 'TX_PENDING' })
    node.isDown = false
    const other = createWallet({ client, keys: me, clock, store: memoryStore() })
    await other.sendAll({ to: addressOf(me) })
    expect(await mine.resume()).toMatchObject([{ status: 'rejected' }])
    expect((await store.payments(['a']))[0]).toMatchObject({ status: 'rejected' })
    await mine.transfer({ to, amount: 100n })
    await refusal(mine.transfer({ to, amount: 1n }))
  })

  it('count after a crash, whether they were claimed or accepted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avmkit-sums-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'journal')
    const { node, intercept } = switchable()
    const { node: real } = await limited()
    vi.restoreAllMocks()
    const client = createNodeClient({
      url: 'http://node.test',
      fetch: intercepted((url, init) => real.fetch(url, init), intercept),
    })
    const open = ({ store }: { readonly store: Store }) =>
      createWallet({ client, keys: me, store, signing: { policy: policyOf() } })
    const first = fileStore(path)
    await open({ store: first }).transfer({ to, amount: 20n })
    node.isDown = true
    const pending = open({ store: first }).transfer({ to, amount: 30n }, short)
    await expect(pending).rejects.toMatchObject({ code: 'TX_PENDING' })
    // Only one process can have the file.
    const second = fileStore(path)
    const shut = open({ store: second }).transfer({ to, amount: 1n })
    await expect(shut).rejects.toMatchObject({ code: 'STORE_IN_USE' })
    await first.compact()
    await first.close()
    const mine = open({ store: second })
    expect((await refusal(mine.transfer({ to, amount: 51n }))).sum).toMatchObject({ used: 50n })
    node.isDown = false
    expect(await mine.resume()).toMatchObject([{ status: 'accepted' }])
    expect((await refusal(mine.transfer({ to, amount: 51n }))).sum).toMatchObject({ used: 50n })
    await second.close()
    const last = fileStore(path)
    await refusal(open({ store: last }).transfer({ to, amount: 51n }))
    await open({ store: last }).transfer({ to, amount: 50n })
    await last.close()
  })
})

describe('every kind of payment', () => {
  it('counts what sendAll and sweeps take to others', async () => {
    const { mine, node } = await limited({ policy: policyOf(150n * fee) })
    // All that the wallet has: 12 UTXOs of 10 fees each.
    await mine.sendAll({ to })
    node.fund(addressOf(me), 33n * fee)
    const sweep = () => mine.sweep({ to }, { accept: ['FOREIGN_CHANGE'] })
    const { sum } = await refusal(sweep())
    expect(sum).toMatchObject({ used: 119n * fee, left: 31n * fee, requested: 32n * fee })
    await mine.transfer({ to: addressOf(me), amount: fee })
    await sweep()
    node.fund(addressOf(me), 2n * fee)
    expect((await refusal(mine.sendAll({ to }))).sum).toMatchObject({ used: 150n * fee })
  })

  it('counts exports to others, and not those to own addresses', async () => {
    const { mine } = await limited()
    const own = { to: addressOf(me, 'P'), amount: 5_000n, destinationChain: 'P' }
    await mine.export(own)
    await mine.export({ ...own, to: addressOf(you, 'P'), amount: 70n })
    await refusal(mine.export({ ...own, to: addressOf(you, 'P'), amount: 31n }))
    await mine.export({ ...own, amount: 6_000n })
  })

  it('counts what is destroyed', async () => {
    const { mine } = await limited()
    const burn = [{ assetID: AVAX, amount: 80n }]
    await mine.transfer({ to: addressOf(me), amount: 1n, burn })
    await refusal(mine.transfer({ to: addressOf(me), amount: 1n, burn }))
    await refusal(mine.transfer({ to, amount: 21n }))
  })

  it('checks a transaction that was signed elsewhere when it is submitted, and counts it once', async () => {
    const { mine, free } = await limited()
    const { draft, release } = await free().prepare.transfer({ to, amount: 101n })
    release()
    await refusal(mine.submit(requireSigned(signDraft(draft, me))))
    const good = await free().prepare.transfer({ to, amount: 60n })
    const signed = requireSigned(signDraft(good.draft, me))
    for (const options of [{ key: 'a' }, { key: 'a' }, {}, { key: 'b' }])
      await mine.submit(signed, options)
    const { sum } = await refusal(mine.transfer({ to, amount: 41n }))
    expect(sum).toMatchObject({ used: 60n })
  })

  it('counts payments of one transaction that are made again separately', async () => {
    const { node, intercept } = switchable()
    const { mine } = await limited({ intercept })
    node.isDown = true
    const outputs = [40n, 50n].map((amount) => ({ to, amount }))
    const both = mine.transfer({ outputs }, { keys: ['a', 'b'], ...short })
    await expect(both).rejects.toMatchObject({ code: 'TX_PENDING' })
    expect((await refusal(mine.transfer({ to, amount: 11n }))).sum).toMatchObject({ used: 90n })
    node.isDown = false
    await mine.cancel('a')
    await mine.transfer({ to, amount: 50n }, { key: 'b' })
    expect((await refusal(mine.transfer({ to, amount: 51n }))).sum).toMatchObject({ used: 50n })
    await mine.transfer({ to, amount: 40n }, { key: 'a' })
    expect((await refusal(mine.transfer({ to, amount: 11n }))).sum).toMatchObject({ used: 90n })
  })

  it('makes payouts as far as the limit allows', async () => {
    const { mine } = await limited()
    const payments = [30n, 30n, 30n, 30n].map((amount, i) => ({ key: `p${i}`, to, amount }))
    const unfinished = await mine.payouts({ payments, size: 2 }).catch((error: unknown) => error)
    expect(unfinished).toMatchObject({
      code: 'BATCH_UNFINISHED',
      result: { paid: 2, notPaid: 2 },
      cause: { code: 'POLICY_SUM', sum: { used: 60n, requested: 60n } },
    })
    // One by one, another one fits.
    const again = await mine.payouts({ payments, size: 1 }).catch((error: unknown) => error)
    expect(again).toMatchObject({ result: { paid: 1, paidBefore: 2, notPaid: 1 } })
    await refusal(mine.transfer({ to, amount: 11n }))
  })
})

describe('without a claim', () => {
  it('is a danger, which prepare explains and sign refuses', async () => {
    const { mine } = await limited()
    const prepared = await mine.prepare.transfer({ to, amount: 1n })
    expect(prepared.explanation.warnings).toMatchObject([{ code: 'UNCHECKED_SUM', danger: true }])
    await expect(mine.sign(prepared)).rejects.toMatchObject({ code: 'UNCHECKED_SUM' })
    const signed = await mine.sign(prepared, { accept: ['UNCHECKED_SUM'] })
    await mine.submit(requireSigned(signed))
    const { explanation } = await mine.prepare.transfer({ to: addressOf(me), amount: 1n })
    expect(explanation.warnings).toEqual([])
  })

  it('needs a store', async () => {
    const { free } = await limited()
    const open = () => free({ signing: { policy: policyOf() } })
    expect(open).toThrow(expect.objectContaining({ code: 'MISSING_OPTION', path: 'store' }))
  })
})

describe('what was recorded before', () => {
  it('counts payments that a wallet without the policy has made under a key', async () => {
    const { store, free, mine, pass } = await limited()
    await free({ store }).transfer({ to, amount: 70n }, { key: 'a' })
    expect((await refusal(mine.transfer({ to, amount: 31n }))).sum).toMatchObject({ used: 70n })
    await mine.transfer({ to, amount: 30n })
    pass(DAY + 60)
    await free({ store }).sendAll({ to: addressOf(me) }, { key: 'all' })
    const { sum, message } = await refusal(mine.transfer({ to, amount: 1n }))
    expect(sum).toMatchObject({ unknown: 'all', left: 0n })
    expect(message).toContain('as the amount of "all" is not recorded')
    pass(DAY + 60)
    await mine.transfer({ to, amount: 1n })
  })

  it('shows details of counted payments, and their content decides about keys', async () => {
    const { mine } = await limited()
    await mine.transfer({ to, amount: 7n, memo: 'x' }, { key: 'a' })
    const [payment] = await mine.payments(['a'])
    expect(payment!.details).toMatchObject({
      kind: 'transfer',
      other: [],
      outputs: [{ amount: 7n }],
    })
    expect(payment!.details!.leaves).toEqual([{ assetID: AVAX, amount: 7n }])
    const other = mine.transfer({ to, amount: 8n, memo: 'x' }, { key: 'a' })
    await expect(other).rejects.toMatchObject({ code: 'KEY_CONFLICT' })
  })
})

describe('clocks', () => {
  it('that are set back free nothing', async () => {
    const { mine, pass } = await limited()
    await mine.transfer({ to, amount: 100n })
    pass(-30 * DAY)
    await refusal(mine.transfer({ to, amount: 1n }))
    pass(30 * DAY)
    await refusal(mine.transfer({ to, amount: 1n }))
    pass(DAY + 60)
    await mine.transfer({ to, amount: 1n })
  })

  it('that are ahead of the node free nothing', async () => {
    const { mine, pass, node, clock } = await limited()
    node.setTime(Math.floor(clock.now() / 1000) + 60)
    await mine.transfer({ to, amount: 100n })
    pass(2 * DAY)
    await refusal(mine.transfer({ to, amount: 1n }))
    node.setTime(Math.floor(clock.now() / 1000) + 60)
    // Until another answer of the node is needed.
    pass(60)
    await mine.transfer({ to, amount: 1n })
  })
})
