import { describe, expect, it } from 'vitest'
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
})
