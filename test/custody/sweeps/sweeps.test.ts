import { describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import { finishRequest } from '../../../src/core/sign/request/request.ts'
import { parseRequest } from '../../../src/core/sign/request/request-file.ts'
import { signRequest } from '../../../src/core/sign/request/request-sign.ts'
import { type SweepRule, serveOperations } from '../../../src/custody/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { withoutTriggers } from '../postgres.ts'
import {
  AVAX,
  addUTXOs,
  beSynced,
  FEE,
  keysOf,
  receiver,
  type Scene,
  scene,
  sweepSynced,
  textOf,
  until,
} from '../setup.ts'

const customers = keysOf(61, 62, 63)
const cold = keysOf(70)
const coldText = textOf(cold.addresses[0]!)

/** Sends many equal outputs to an address. */
async function scatter({ node, client }: Scene, to: string, count: number, amount: bigint) {
  const keys = keysOf(9)
  node.fund(keys.addresses[0]!, BigInt(count) * amount + AVAX)
  const outputs = Array.from({ length: count }, () => ({ to, amount }))
  await createWallet({ client, keys }).transfer({ outputs })
}

describe('a payout that needs more UTXOs than fit into a transaction', () => {
  it('is made after they are consolidated, without a rule for it', async () => {
    const world = await scene()
    const { hot, open, work } = world
    await scatter(world, hot, 450, AVAX)
    const custody = await open()
    await custody.requestPayouts([
      { key: 'large', to: receiver(1), amount: 420n * AVAX },
      { key: 'small', to: receiver(2), amount: AVAX },
    ])
    work(custody)
    await until('paid', async () =>
      (await custody.payouts()).every(({ status }) => status === 'paid'),
    )
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('shows what is missing if the other UTXOs are worth less than the fee', async () => {
    const world = await scene()
    const { node, client, hot, database, open, work } = world
    node.fund(hot, 2n * AVAX)
    const issuer = keysOf(64)
    node.fund(issuer.addresses[0]!, 10n * AVAX)
    const { txID: assetID } = await createWallet({ client, keys: issuer }).createAsset({
      name: 'Token',
      symbol: 'TOK',
      holders: [{ to: hot, amount: 500n }],
    })
    await scatter(world, hot, 400, 1n)
    const custody = await open({ assets: [assetID] })
    await custody.requestPayouts([
      { key: 'large', to: receiver(1), amount: 5n * AVAX },
      { key: 'token', to: receiver(2), amount: 5n, assetID },
    ])
    work(custody)
    await until('missing', async () => (await custody.payouts())[0]!.missing !== undefined)
    // It does not keep payouts of other assets back, nor is a fee paid for dust.
    await until('paid', async () => (await custody.payouts())[1]!.status === 'paid')
    expect(await database.query(`SELECT FROM @.attempts WHERE purpose = 'sweep'`)).toEqual([])
  })
})

describe('sweep rules', () => {
  it('collect deposits, store a surplus, ask cold keys for a refill, and keep the books balanced', async () => {
    const { node, client, hot, open, work } = await scene()
    const texts = customers.addresses.map(textOf)
    const custody = await open({
      keys: keysOf(1, 61, 62, 63),
      hot: [hot],
      sweeps: [
        { type: 'collect', above: 2n * AVAX },
        { type: 'store', above: 50n * AVAX, keep: 20n * AVAX, to: coldText },
        { type: 'refill', below: 10n * AVAX, amount: 15n * AVAX, from: [coldText] },
      ],
    })
    await custody.watch(texts)
    node.fund(texts[0]!, 30n * AVAX)
    node.fund(texts[1]!, 40n * AVAX)
    node.fund(texts[2]!, AVAX)
    work(custody)
    const reserve = async (wallet: string) =>
      (await custody.status()).reserves.find((one) => one.wallet === wallet)
    await until('collected and stored', async () => {
      await sweepSynced(custody)
      return (await reserve('cold'))?.free && (await reserve('hot'))?.free === 20n * AVAX
    })
    // The small deposit stays where it is.
    expect((await reserve('deposit'))?.free).toBe(AVAX)
    const report = await custody.audit()
    expect(report).toMatchObject({ balanced: true })
    // Deposits may be collected by one transaction or by two, depending on when they are seen.
    expect((await reserve('cold'))!.free).toBe(50n * AVAX - report.assets[0]!.fees)
    expect([2n * FEE, 3n * FEE]).toContain(report.assets[0]!.fees)
    await custody.requestPayouts([{ key: 'large', to: receiver(1), amount: 15n * AVAX }])
    const request = await until('a refill is requested', async () => {
      await sweepSynced(custody)
      return (await custody.requests())[0]
    })
    const unsigned = parseRequest(request.request, { network: networks.local })
    const signed = finishRequest(signRequest(unsigned, cold))
    await client.avm.issueTx({ tx: signed.bytes })
    await until('refilled', async () => {
      await sweepSynced(custody)
      const open = await custody.requests()
      return open.length === 0 && (await reserve('hot'))!.free > 15n * AVAX
    })
    expect(await custody.audit()).toMatchObject({ balanced: true, missing: [], extra: [] })
  })

  it('store nothing that queued payouts need', async () => {
    const { node, database, hot, open, work } = await scene()
    for (let i = 0; i < 5; i++) node.fund(hot, 20n * AVAX)
    const custody = await open({
      sweeps: [{ type: 'store', above: 50n * AVAX, keep: 5n * AVAX, to: coldText }],
    })
    const stop = work(custody)
    await until('funds', async () => (await custody.status()).reserves[0]?.utxos === 5)
    await stop()
    await beSynced(database)
    await custody.requestPayouts([{ key: 'large', to: receiver(1), amount: 50n * AVAX }])
    expect(await custody.sweep()).toBe(0)
    await custody.cancel(['large'])
    expect(await custody.sweep()).toBe(1)
  })

  it('store with change to the first hot address', async () => {
    const { node, client, open, work } = await scene()
    const hot = keysOf(1, 2)
    const [first, second] = hot.addresses.map(textOf) as [string, string]
    node.fund(second, 60n * AVAX)
    const custody = await open({
      keys: hot,
      hot: [first, second],
      sweeps: [{ type: 'store', above: 50n * AVAX, keep: 20n * AVAX, to: coldText }],
    })
    work(custody)
    await until('stored', async () => {
      await sweepSynced(custody)
      return (await client.avm.getBalance({ address: first, assetID: 'AVAX' })).balance > 0n
    })
    const balances = await Promise.all(
      [first, second].map((address) => client.avm.getBalance({ address, assetID: 'AVAX' })),
    )
    expect(balances.map(({ balance }) => balance)).toEqual([20n * AVAX, 0n])
  })

  it('collect deposits in a process without keys of the hot wallet, which takes no payouts', async () => {
    const { node, hot, events, open, work } = await scene()
    const keys = keysOf(21)
    const address = textOf(keys.addresses[0]!)
    const custody = await open({ keys, hot: [hot], sweeps: [{ type: 'collect', above: AVAX }] })
    await custody.watch([address], { fresh: true })
    for (const to of [hot, address]) node.fund(to, 10n * AVAX)
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    work(custody)
    await until('collected', async () => {
      const { reserves } = await custody.status()
      return reserves.some(({ wallet, free }) => wallet === 'hot' && free === 20n * AVAX - FEE)
    })
    expect(events.map(({ event }) => event)).not.toContain('worker.failed')
  })

  it('collect tokens, for which the hot wallet pays the fee, and consolidate while idle', async () => {
    const { node, client, hot, open, work } = await scene()
    for (let i = 0; i < 12; i++) node.fund(hot, AVAX)
    const issuer = keysOf(64)
    node.fund(issuer.addresses[0]!, 10n * AVAX)
    const text = textOf(customers.addresses[0]!)
    const { txID: assetID } = await createWallet({ client, keys: issuer }).createAsset({
      name: 'Token',
      symbol: 'TOK',
      holders: [{ to: text, amount: 500n }],
    })
    const custody = await open({
      keys: keysOf(1, 61),
      hot: [hot],
      assets: [assetID],
      sweeps: [
        { type: 'collect', above: 100n, assetID },
        { type: 'consolidate', above: 4 },
      ],
    })
    await custody.watch([text])
    work(custody)
    await until('collected and consolidated', async () => {
      await sweepSynced(custody)
      const { reserves } = await custody.status()
      const hotOnes = reserves.filter(({ wallet }) => wallet === 'hot')
      return hotOnes.some(({ free }) => free === 500n) && hotOnes.every(({ utxos }) => utxos <= 5)
    })
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })
})

describe('cold storage of a vault', () => {
  it('is refused by a refill with the reason, and does not keep workers from other rules', async () => {
    const { node, client, hot, open, work, events } = await scene()
    const [one, two, three] = keysOf(70, 71, 72).addresses.map(textOf)
    const refill = {
      type: 'refill',
      below: 10n * AVAX,
      amount: 5n * AVAX,
      from: [one!, two!, three!],
    } as const
    const custody = await open({ sweeps: [refill, { type: 'consolidate', above: 1 }] })
    for (let i = 0; i < 2; i++) node.fund(hot, AVAX)
    work(custody)
    await until('healthy', async () => (await custody.status()).healthy)
    // Nothing to spend is not an error.
    expect(await custody.refill()).toEqual([])
    const keys = keysOf(9)
    node.fund(keys.addresses[0]!, 100n * AVAX)
    const output = { to: [one!, two!, three!], threshold: 2, amount: 50n * AVAX }
    await createWallet({ client, keys }).transfer({ outputs: [output] })
    await until('refused', () =>
      custody.refill().then(
        () => false,
        (error) => error.code === 'COLD_SHARED',
      ),
    )
    expect(await custody.requests()).toEqual([])
    expect(await sweepSynced(custody)).toBeLessThanOrEqual(1)
    await until('consolidated', async () => (await custody.status()).reserves[0]?.utxos === 1)
    expect(events.map(({ event }) => event)).toContain('refill.skipped')
    // With enough of a single owner the refill is requested.
    node.fund(one!, 6n * AVAX)
    await until('requested', async () => (await custody.refill().catch(() => [])).length === 1)
  })
})

describe('keys of deposit addresses', () => {
  it('are not taken for the hot wallet, which must be named', async () => {
    const { hot, open, database } = await scene()
    const own = textOf(customers.addresses[0]!)
    await (await open()).watch([own], { fresh: true })
    const options = { keys: keysOf(1, 61), sweeps: [{ type: 'collect', above: AVAX }] as const }
    await expect((await open(options)).sweep()).rejects.toMatchObject({ code: 'MISSING_OPTION' })
    const custody = await open({ ...options, hot: [hot] })
    await expect(custody.sweep()).rejects.toMatchObject({ code: 'NOT_SYNCED' })
    await beSynced(database)
    expect(await custody.sweep()).toBe(0)
  })
})

describe('deposits whose keys another process has', () => {
  it('do not keep this process from collecting its own', async () => {
    const { node, client, hot, open, work } = await scene()
    const own = textOf(customers.addresses[0]!)
    const custody = await open({
      keys: keysOf(1, 61),
      hot: [hot],
      sweeps: [{ type: 'collect', above: AVAX }],
    })
    const others = Array.from({ length: 400 }, (_, i) => receiver(i))
    await custody.watch([own, ...others], { fresh: true })
    const payer = keysOf(9)
    node.fund(payer.addresses[0]!, 3_000n * AVAX)
    await createWallet({ client, keys: payer }).transfer({
      outputs: others.map((to) => ({ to, amount: 5n * AVAX })),
    })
    node.fund(own, 4n * AVAX)
    work(custody)
    const collected = async () => {
      await sweepSynced(custody)
      const { reserves } = await custody.status()
      return reserves.find(({ wallet }) => wallet === 'hot')?.free === 4n * AVAX - FEE
    }
    await until('collected', collected)
    expect(
      (await custody.status()).reserves.find(({ wallet }) => wallet === 'deposit')?.utxos,
    ).toBe(400)
  })
})

describe('outputs that cannot be spent', () => {
  it('are locked until the clocks of all nodes have passed their locktime', async () => {
    const { database, keys, open, settings } = await scene()
    const { assetID } = (await settings()).context
    await addUTXOs(database, [1], { assetID, address: keys.addresses[0]!, amount: AVAX })
    await database.query('UPDATE @.outputs SET locktime = floor(extract(epoch FROM now())) - 2')
    const { reserves } = await (await open()).status()
    expect(reserves).toMatchObject([{ free: 0n, locked: AVAX }])
  })

  /** A hot wallet with 10 AVAX to spend, 1,000 locked and 1,000 that others can spend, too. */
  async function blockedFunds(sweeps: readonly SweepRule[]) {
    const world = await scene()
    const { node, client, hot, open, work } = world
    const payer = keysOf(9)
    node.fund(payer.addresses[0]!, 2_100n * AVAX)
    node.fund(coldText, 100n * AVAX)
    for (let i = 0; i < 5; i++) node.fund(hot, 2n * AVAX)
    await createWallet({ client, keys: payer }).transfer({
      outputs: [
        { to: hot, amount: 1_000n * AVAX, locktime: 4_000_000_000n },
        { to: [hot, textOf(payer.addresses[0]!)], threshold: 1, amount: 1_000n * AVAX },
      ],
    })
    const custody = await open({ sweeps })
    const stop = work(custody)
    const reserve = async () =>
      (await custody.status()).reserves.find(({ wallet }) => wallet === 'hot')
    await until('outputs', async () => (await reserve())?.utxos === 7)
    await stop()
    const endLead = await beSynced(world.database)
    return { custody, reserve, endLead, work }
  }

  it('are no surplus to store, and not counted by a rule that consolidates', async () => {
    const { custody, reserve } = await blockedFunds([
      { type: 'store', above: 50n * AVAX, keep: 5n * AVAX, to: coldText },
      { type: 'consolidate', above: 5 },
    ])
    expect(await custody.sweep()).toBe(0)
    expect(await reserve()).toMatchObject({ free: 10n * AVAX, reserved: 0n })
  })

  it('do not keep a refill from being requested', async () => {
    const { custody, endLead, work } = await blockedFunds([
      { type: 'refill', below: 20n * AVAX, amount: 15n * AVAX, from: [coldText] },
    ])
    // Registers the cold addresses, whose UTXOs the leader then looks for.
    expect(await custody.sweep()).toBe(0)
    await endLead()
    work(custody)
    await until('request', async () => {
      await sweepSynced(custody)
      return (await custody.requests()).length === 1
    })
  })
})

describe('outputs that are worth less than the fee', () => {
  it('do not keep deposits from being collected', async () => {
    const world = await scene()
    const { node, hot, open, work } = world
    const texts = customers.addresses.map(textOf)
    const custody = await open({
      keys: keysOf(1, 61, 62),
      hot: [hot],
      sweeps: [{ type: 'collect', above: 2n * AVAX }],
    })
    await custody.watch(texts)
    await scatter(world, texts[0]!, 400, 1n)
    node.fund(texts[0]!, 10n * AVAX)
    node.fund(texts[1]!, 5n * AVAX)
    work(custody)
    const collected = async () => {
      await sweepSynced(custody)
      const { reserves } = await custody.status()
      return (reserves.find(({ wallet }) => wallet === 'hot')?.free ?? 0n) > 14n * AVAX
    }
    await until('collected', collected)
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('are consolidated together, and a larger one pays the fee', async () => {
    const world = await scene()
    const { hot, database, open, work } = world
    await scatter(world, hot, 30, AVAX)
    await scatter(world, hot, 400, 1n)
    const custody = await open({ sweeps: [{ type: 'consolidate', above: 20 }] })
    work(custody)
    const few = async () => {
      await sweepSynced(custody)
      const { reserves, pendingTransactions } = await custody.status()
      const count = reserves[0]?.utxos ?? 0
      return pendingTransactions === 0 && count > 0 && count <= 21
    }
    await until('consolidated', few)
    const sweeps = await database.query(`SELECT FROM @.attempts WHERE purpose = 'sweep'`)
    expect(sweeps.length).toBeLessThanOrEqual(3)
  })

  it('are named in the log if a rule applies to nothing else', async () => {
    const { node, hot, open, work, events } = await scene()
    node.fund(hot, 10n * AVAX)
    const text = textOf(customers.addresses[0]!)
    const sweeps = [{ type: 'collect', above: 1n } as const]
    const custody = await open({ keys: keysOf(1, 61), hot: [hot], sweeps })
    await custody.watch([text])
    node.fund(text, 1000n)
    work(custody)
    await until('deposit', async () => (await custody.deposits()).length === 1)
    expect(await sweepSynced(custody)).toBe(0)
    expect(events.find(({ event }) => event === 'sweep.skipped')).toMatchObject({ level: 'warn' })
  })
})

describe('a fee that rises after a transaction was signed', () => {
  it('is paid by payouts that are drafted again and by sweeps that are taken back', async () => {
    let isRaised = false
    const { node, client, hot, database, open, work } = await scene({
      fees: { txFee: 2n * FEE },
      through: (fetch) => async (url, init) => {
        const body = String(init.body)
        if (body.includes('avm.issueTx')) isRaised = true
        const answer = await fetch(url, init)
        if (isRaised || !body.includes('getTxFee')) return answer
        return new Response((await answer.text()).replaceAll(`${2n * FEE}`, `${FEE}`))
      },
    })
    const text = textOf(customers.addresses[0]!)
    node.fund(hot, 5n * AVAX)
    node.fund(text, 10n * AVAX)
    let signed = 0
    const custody = await open({
      keys: keysOf(1, 61),
      hot: [hot],
      limits: { resendMs: 100, spareUTXOs: 0 },
      sweeps: [{ type: 'collect', above: AVAX }],
      log: async ({ event }) => {
        // Both are signed before the first is issued, and learns of the new fee.
        if (event === 'payout.signed' && signed++ === 0) expect(await custody.sweep()).toBe(1)
      },
    })
    await custody.watch([text])
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    work(custody)
    await until('both are made', async () => {
      const { reserves, pendingTransactions } = await custody.status()
      const free = reserves.find(({ wallet }) => wallet === 'hot')?.free
      return pendingTransactions === 0 && free === 14n * AVAX - 4n * FEE
    })
    const rows = await database.query(
      'SELECT purpose, kind, fee, outcome FROM @.attempts ORDER BY purpose, fee',
    )
    expect(rows).toEqual([
      { purpose: 'cancellation', kind: 'cancellation', fee: `${2n * FEE}`, outcome: 'accepted' },
      { purpose: 'payout', kind: 'payment', fee: `${FEE}`, outcome: 'rejected' },
      { purpose: 'payout', kind: 'payment', fee: `${2n * FEE}`, outcome: 'accepted' },
      { purpose: 'sweep', kind: 'payment', fee: `${FEE}`, outcome: 'rejected' },
    ])
    expect((await client.avm.getBalance({ address: receiver(1), assetID: 'AVAX' })).balance).toBe(
      AVAX,
    )
    expect(await custody.audit()).toMatchObject({ balanced: true, missing: [], extra: [] })
  })
})

describe('audit', () => {
  it('names rows that differ from the node, and books that do not add up', async () => {
    const { node, hot, open, work, database } = await scene()
    node.fund(hot, 10n * AVAX)
    node.fund(hot, 20n * AVAX)
    const custody = await open()
    const stop = work(custody)
    await until('funds', async () => (await custody.status()).reserves[0]?.utxos === 2)
    await stop()
    expect((await custody.audit()).balanced).toBe(true)
    await withoutTriggers(database, `DELETE FROM @.outputs WHERE amount = ${10n * AVAX}`)
    const report = await custody.audit()
    expect(report.balanced).toBe(false)
    expect(report.missing).toMatchObject([{ amount: 10n * AVAX }])
    await withoutTriggers(database, 'UPDATE @.outputs SET amount = amount + 1')
    const wrong = await custody.audit()
    expect(wrong.assets[0]).toMatchObject({ refills: 20n * AVAX + 1n, node: 30n * AVAX })
    expect(wrong.missing.map(({ amount }) => amount).sort()).toEqual([10n * AVAX, 20n * AVAX])
    expect(wrong.extra).toMatchObject([{ amount: 20n * AVAX + 1n }])
    await withoutTriggers(database, `UPDATE @.outputs SET origin = 'change'`)
    expect(await custody.audit()).toMatchObject({ balanced: false })
  })

  it('names no rows that differ only while a block is applied', async () => {
    let isLive = false
    const world = await scene({
      through: (fetch) => async (url, init) => {
        // A block that is not applied yet when the UTXOs are listed.
        if (isLive && String(init.body).includes('avm.getUTXOs')) world.node.fund(world.hot, AVAX)
        return fetch(url, init)
      },
    })
    const { node, hot, open, work } = world
    node.fund(hot, AVAX)
    const custody = await open()
    work(custody)
    await until('applied', async () => (await custody.status()).reserves[0]?.free === AVAX)
    isLive = true
    expect(await custody.audit()).toMatchObject({ balanced: true, missing: [], extra: [] })
  })

  it('finds outputs of several watched addresses, however far apart these are', async () => {
    const { node, client, hot, open, work } = await scene()
    const payer = keysOf(9)
    node.fund(payer.addresses[0]!, 20n * AVAX)
    node.fund(hot, 10n * AVAX)
    const custody = await open()
    // More than are compared at once.
    const addresses = Array.from({ length: 1_100 }, (_, i) => {
      const address = new Uint8Array(20)
      new DataView(address.buffer).setUint32(0, (i + 1) * 3_000_000)
      return textOf(address)
    })
    await custody.watch(addresses, { fresh: true })
    work(custody)
    await until('synced', async () => (await custody.status()).reserves[0]?.utxos === 1)
    await createWallet({ client, keys: payer }).transfer({
      outputs: [{ to: [addresses[0]!, addresses.at(-1)!], threshold: 1, amount: 1_000n }],
    })
    await until('deposit', async () => (await custody.deposits()).length === 1)
    expect(await custody.audit()).toMatchObject({ balanced: true, missing: [], extra: [] })
  })

  it('compares with the node at an earlier height too', async () => {
    const { node, hot, open, work } = await scene()
    node.fund(hot, 10n * AVAX)
    const custody = await open()
    work(custody)
    const applied = async () => BigInt((await custody.audit()).height)
    await until('funds', async () => (await custody.status()).reserves[0]?.utxos === 1)
    const before = await applied()
    await custody.requestPayouts([{ key: 'one', to: receiver(1), amount: AVAX }])
    await until(
      'paid',
      async () => (await custody.payouts({ keys: ['one'] }))[0]?.status === 'paid',
    )
    const after = await applied()
    expect(after).toBeGreaterThan(before)
    const books = async (height: bigint) => {
      const { balanced, assets } = await custody.audit({ height })
      return {
        balanced,
        payouts: assets[0]!.payouts,
        utxos: assets[0]!.utxos,
        node: assets[0]!.node,
      }
    }
    const full = 10n * AVAX
    const rest = 9n * AVAX - FEE
    expect(await books(before)).toEqual({ balanced: true, payouts: 0n, utxos: full, node: full })
    expect(await books(after)).toEqual({ balanced: true, payouts: AVAX, utxos: rest, node: rest })
    for (const height of [after + 1_000n, -1n])
      await expect(custody.audit({ height })).rejects.toMatchObject({ code: 'ENC_INVALID' })
  })
})

describe('serveOperations', () => {
  it('refuses a port that is in use', async () => {
    const custody = await (await scene()).open()
    const server = await serveOperations(custody)
    const port = Number(new URL(server.url).port)
    await expect(serveOperations(custody, { port })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
    })
    await server.close()
  })

  it('serves metrics and health on loopback', async () => {
    const { node, hot, open, work } = await scene()
    node.fund(hot, 10n * AVAX)
    const custody = await open()
    const server = await serveOperations(custody)
    try {
      expect(new URL(server.url).hostname).toBe('127.0.0.1')
      expect((await fetch(`${server.url}/health`)).status).toBe(503)
      work(custody)
      await until('healthy', async () => (await fetch(`${server.url}/health`)).status === 200)
      const text = await (await fetch(`${server.url}/metrics`)).text()
      expect(text).toMatch(/^avmkit_custody_payouts\{status="queued"\} 0$/m)
      expect(text).toMatch(/^avmkit_custody_free\{wallet="hot",asset="\w+"\} 10000000000$/m)
      expect((await fetch(`${server.url}/other`)).status).toBe(404)
      expect((await fetch(server.url, { method: 'POST' })).status).toBe(405)
    } finally {
      await server.close()
    }
  })

  it('answers 503 if the status cannot be read, whatever the reason', async () => {
    const server = await serveOperations({ status: () => Promise.reject(new TypeError('broken')) })
    try {
      const answer = await fetch(`${server.url}/health`)
      expect(answer.status).toBe(503)
      expect(await answer.json()).toEqual({
        healthy: false,
        problems: [],
        reasons: ['broken'],
      })
    } finally {
      await server.close()
    }
  })
})
