import { describe, expect, it } from 'vitest'
import { databaseStore } from '../../src/custody/database/store.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { AVAX, FEE, keysOf, receiver, scene, textOf, until } from './setup.ts'

describe('openCustody', () => {
  it('pays requested payouts and lists deposits', async () => {
    const { node, client, hot, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const custody = await open()
    const customer = keysOf(7)
    const address = textOf(customer.addresses[0]!)
    await custody.watch([{ address, reference: 'alice' }])
    const requests = Array.from({ length: 5 }, (_, i) => ({
      key: `payout ${i}`,
      to: receiver(i),
      amount: BigInt(i + 1) * AVAX,
    }))
    expect(await custody.requestPayouts(requests)).toEqual({ added: 5, known: 0 })
    expect(await custody.requestPayouts(requests)).toEqual({ added: 0, known: 5 })
    work(custody)
    const keys = requests.map(({ key }) => key)
    const payouts = await until('paid', async () => {
      const list = await custody.payouts({ keys })
      return list.every(({ status }) => status === 'paid') && list
    })
    expect(payouts).toHaveLength(5)
    node.fund(address, 3n * AVAX)
    const [deposit] = await until('deposit', async () => {
      const list = await custody.deposits()
      return list.length > 0 && list
    })
    expect(deposit).toMatchObject({
      cursor: 1n,
      address,
      amount: 3n * AVAX,
      kind: 'plain',
      reference: 'alice',
      existing: false,
    })
    const report = await custody.audit()
    expect(report).toMatchObject({ balanced: true, missing: [], extra: [] })
    expect(report.assets[0]).toMatchObject({
      deposits: 3n * AVAX,
      refills: 100n * AVAX,
      payouts: 15n * AVAX,
      fees: FEE,
    })
    for (const { to, amount } of requests)
      expect((await client.avm.getBalance({ address: to, assetID: 'AVAX' })).balance).toBe(amount)
  })

  it('shares tables with a wallet, whichever uses them first', async () => {
    let isAway = false
    const { node, client, keys, hot, database, open, work } = await scene({
      through: (fetch) => async (url, init) =>
        isAway && String(init.body).includes('avm.issueTx')
          ? new Response('no', { status: 503 })
          : fetch(url, init),
    })
    node.fund(hot, 100n * AVAX)
    const store = databaseStore(database)
    const wallet = createWallet({ client, keys, store, wait: { timeoutMs: 500 } })
    await wallet.balances()
    const custody = await open()
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    expect(await custody.payouts()).toMatchObject([{ key: 'p', to: receiver(1) }])
    await store.cancel('p')
    expect(await custody.payouts()).toMatchObject([{ status: 'queued' }])
    await custody.cancel(['p'])
    isAway = true
    const transfer = wallet.transfer({ to: receiver(2), amount: AVAX }, { key: 'w' })
    await expect(transfer).rejects.toMatchObject({ code: 'TX_PENDING' })
    work(custody)
    await database.query(`UPDATE @.attempts SET next_issue = 'infinity'`)
    isAway = false
    expect(await wallet.cancel('w', { wait: { timeoutMs: 20_000 } })).toMatchObject({
      status: 'canceled',
    })
    const audit = await until('applied', async () => {
      const found = await custody.audit()
      return found.assets[0]!.spentByOthers > 0n && found
    })
    expect(audit).toMatchObject({ balanced: true })
  })
})
