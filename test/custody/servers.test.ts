import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import type { Block } from '../../src/core/chain/x/block.ts'
import { txID as idOf } from '../../src/core/chain/x/ids.ts'
import { decodeTx, type SignedTx } from '../../src/core/chain/x/tx.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { parseRequest } from '../../src/core/sign/request/request-file.ts'
import type { Fetch } from '../../src/node/index.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { collect } from '../wallet/store/samples.ts'
import { clientOf, forgedBlock, instead, liarBehind, outageOf } from './servers.ts'
import {
  AVAX,
  allApplied,
  allPayouts,
  balances,
  FEE,
  keysOf,
  payoutsTo,
  receiver,
  type Scene,
  scene,
  sweepSynced,
  textOf,
  until,
} from './setup.ts'

const alice = textOf(keysOf(21).addresses[0]!)

describe('a server that invents a block', () => {
  for (const isStubborn of [false, true])
    it(`is left, and its deposits become void${isStubborn ? ', although it repeats the block' : ''}`, async () => {
      const world = await scene()
      const { node, open, work, hot, events } = world
      node.fund(hot, 100n * AVAX)
      const liar = liarBehind(node.fetch)
      const custody = await open({ client: clientOf(world, [liar.fetch, node.fetch]) })
      await custody.watch([alice], { fresh: true })
      work(custody)
      await allApplied(custody)
      liar.block = await forgedBlock(world, alice)
      await until('believed', async () => (await custody.deposits()).length === 1)
      if (!isStubborn) liar.block = undefined
      // The chain goes on without it.
      for (const n of [1n, 2n, 3n]) node.fund(alice, n * AVAX)
      const list = await until('real deposits', async () => {
        const found = await custody.deposits()
        return found.length === 5 && found
      })
      expect(list.map(({ cursor }) => cursor)).toEqual([1n, 2n, 3n, 4n, 5n])
      expect(list[0]).toMatchObject({ kind: 'void', corrects: undefined })
      // A consumer that is past the first cursor hears of it.
      const { cursor: _, ...voided } = list[0]!
      expect(list[1]).toEqual({ ...voided, cursor: 2n, corrects: 1n })
      const following = custody.followDeposits({ after: 1n })
      expect((await following.next()).value).toEqual(list.slice(1))
      await following.return()
      expect(list.slice(2).map(({ kind, amount }) => [kind, amount])).toEqual(
        [1n, 2n, 3n].map((n) => ['plain', n * AVAX]),
      )
      const changes = await custody.events()
      expect(
        changes.flatMap(({ kind, subject, newStatus }) =>
          kind === 'deposit' && subject === 1n ? [newStatus] : [],
        ),
      ).toEqual(['plain', 'void'])
      expect(events.map(({ event }) => event)).toContain('chain.reverted')
      await custody.requestPayouts(payoutsTo(1))
      await allPayouts(custody, 'paid')
      if (!isStubborn) expect(await custody.audit()).toMatchObject({ balanced: true })
    })

  for (const [name, change] of [
    ['has an impossible time', { time: 2n ** 64n - 1n, txs: [] }],
    ['spends without a signature', {}],
  ] as const)
    it(`that ${name} does not keep the blocks of others from being applied`, async () => {
      const world = await scene()
      const { node, open, work, hot, keys, events } = world
      node.fund(hot, 100n * AVAX)
      const liar = liarBehind(node.fetch)
      const client = clientOf(world, [liar.fetch, node.fetch, node.fetch])
      const custody = await open({ client, quorum: 1 })
      work(custody)
      await allApplied(custody)
      const [page] = await collect(client.utxoPages({ addresses: keys.addresses }))
      liar.block = { ...(await forgedBlock(world, hot, page!.utxos[0])), ...change } as Block
      await until('refused', () => events.some(({ event }) => event === 'follower.failed'))
      for (let i = 0; i < 3; i++) node.fund(receiver(60), AVAX)
      await custody.requestPayouts(payoutsTo(1))
      await allPayouts(custody, 'paid')
      const failures = events.filter(({ event }) => event === 'follower.failed')
      expect(failures[0]!.details).toEqual({ code: 'BLOCK_FORGED' })
      expect(events.map(({ event }) => event)).not.toContain('leader.lost')
    })

  describe('that funds the hot wallet', () => {
    /** Lets payouts be claimed with an output of a false block, which is then taken back. */
    async function strand(sign?: (world: Scene) => Promise<SignedTx>) {
      const world = await scene()
      const { node, open, work, hot } = world
      node.fund(hot, AVAX / 2n)
      node.fund(payer.addresses[0]!, 100n * AVAX)
      // Nodes would remember that they have refused the transaction.
      let isBusy = true
      const server = instead(node.fetch, ({ method }) =>
        method === 'avm.issueTx' && isBusy
          ? { error: { code: -32000, message: 'busy' } }
          : undefined,
      )
      const liar = liarBehind(server)
      const client = clientOf(world, [liar.fetch, server])
      const options = { client, limits: { resendMs: 100, spareUTXOs: 0 } }
      const custody = await open(options)
      const stop = work(custody)
      const hasFree = (amount: bigint) => async () =>
        (await custody.status()).reserves.some(({ free }) => free >= amount)
      await until('funds', hasFree(AVAX / 2n))
      const block = await forgedBlock(world, hot)
      liar.block = sign === undefined ? block : ({ ...block, txs: [await sign(world)] } as Block)
      await until('believed', hasFree(50n * AVAX))
      await custody.requestPayouts(payoutsTo(1, 2))
      await allPayouts(custody, 'pending')
      await stop()
      liar.block = undefined
      for (let i = 0; i < 3; i++) node.fund(receiver(60), AVAX)
      // A new leader: the former one may have stopped after it had taken the block back.
      work(await open(options))
      const held = await until('held', async () => {
        const list = await custody.payouts()
        return list.every((one) => one.held) && list
      })
      isBusy = false
      for (const { note } of held)
        expect(note).toMatch(/^spends an output of a block that was taken back: /)
      return { world, custody }
    }
    const payer = keysOf(9)

    it('is left, and payouts with its outputs are held', async () => {
      const { world, custody } = await strand()
      const { node, hot, events } = world
      expect(events.map(({ event }) => event)).toContain('payout.held')
      node.fund(hot, 10n * AVAX)
      await custody.release(['p0'])
      await custody.cancel(['p1'])
      await allPayouts(custody, 'paid', ['p0'])
      expect(await custody.payouts()).toMatchObject([{ status: 'paid' }, { status: 'canceled' }])
      expect(await balances(world, 1, 2)).toEqual([AVAX, 0n])
      expect(await custody.audit()).toMatchObject({ balanced: true })
    })

    it('is left, and payouts are paid if the chain accepts its transaction after all', async () => {
      let funding = new Uint8Array()
      const { world, custody } = await strand(async ({ client, hot }) => {
        const wallet = createWallet({ client, keys: payer })
        const draft = await wallet.prepare.transfer({ to: hot, amount: 60n * AVAX })
        funding = requireSigned(await wallet.sign(draft)).bytes.slice()
        return decodeTx(funding)
      })
      const { client, database } = world
      await custody.cancel(['p1'])
      const [attempt] = await database.query<{ bytes: Uint8Array }>('SELECT bytes FROM @.attempts')
      for (const tx of [funding, new Uint8Array(attempt!.bytes)]) {
        await client.avm.issueTx({ tx })
        await client.waitForTx(tx)
      }
      const list = await allPayouts(custody, 'paid')
      for (const { note, txID } of list) {
        expect(note).toBeUndefined()
        expect(txID).toEqual(idOf(new Uint8Array(attempt!.bytes)))
      }
      expect(await balances(world, 1, 2)).toEqual([AVAX, AVAX])
    })
  })

  it('that contains a sweep is left, and the sweep is taken back if its fee is too low', async () => {
    let isRaised = false
    let isBusy = true
    const world = await scene({ fees: { txFee: 2n * FEE } })
    const { node, database, open, work, hot } = world
    const server = instead(node.fetch, async ({ method }, ask) => {
      if (method === 'avm.issueTx' && isBusy) return { error: { code: -32000, message: 'busy' } }
      if (isRaised || !method.endsWith('getTxFee')) return undefined
      return JSON.parse(JSON.stringify(await ask()).replaceAll(`${2n * FEE}`, `${FEE}`))
    })
    const liar = liarBehind(server)
    node.fund(hot, 5n * AVAX)
    node.fund(alice, 10n * AVAX)
    const custody = await open({
      keys: keysOf(1, 21),
      hot: [hot],
      client: clientOf(world, [liar.fetch, server]),
      limits: { resendMs: 100 },
      sweeps: [{ type: 'collect', above: AVAX }],
    })
    await custody.watch([alice])
    work(custody)
    const attempts = () =>
      database.query<{ bytes: Uint8Array; kind: string; outcome: string | null }>(
        'SELECT bytes, kind, outcome FROM @.attempts ORDER BY seq',
      )
    const [sweep] = await until('sweep', async () => {
      const rows = await attempts()
      return rows.length > 0 && rows
    })
    const tx = decodeTx(new Uint8Array(sweep!.bytes))
    liar.block = { ...(await forgedBlock(world, hot)), txs: [tx] } as Block
    await until('believed', async () => (await attempts())[0]!.outcome === 'accepted')
    liar.block = undefined
    for (let i = 0; i < 3; i++) node.fund(receiver(60), AVAX)
    await until('left', async () => (await attempts())[0]!.outcome === null)
    isRaised = true
    isBusy = false
    await until('ended', async () => (await custody.status()).pendingTransactions === 0)
    expect(await attempts()).toMatchObject([
      { kind: 'payment', outcome: 'rejected' },
      { kind: 'cancellation', outcome: 'accepted' },
    ])
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('is not believed if more servers than one are required', async () => {
    const world = await scene()
    const { node, open, work, hot } = world
    node.fund(hot, 100n * AVAX)
    const liar = liarBehind(node.fetch)
    const client = clientOf(world, [liar.fetch, node.fetch, node.fetch])
    const custody = await open({ client, quorum: 2 })
    await custody.watch([alice])
    work(custody)
    await allApplied(custody)
    liar.block = await forgedBlock(world, alice)
    node.fund(alice, 3n * AVAX)
    await custody.requestPayouts(payoutsTo(1))
    await allPayouts(custody, 'paid')
    expect(await custody.deposits()).toMatchObject([{ amount: 3n * AVAX, kind: 'plain' }])
    await expect(open({ client, quorum: 4 }).then((one) => one.audit())).rejects.toMatchObject({
      code: 'ENC_INVALID',
    })
  })
})

/** A server that lists no UTXOs. */
function hiding(fetch: Fetch): Fetch {
  return instead(fetch, async ({ method }, ask) => {
    if (method !== 'avm.getUTXOs') return undefined
    const { result } = (await ask()) as { readonly result: object }
    return { result: { ...result, utxos: [], numFetched: '0' } }
  })
}

describe('an audit', () => {
  /** A system that has applied a deposit, and its audit with other servers. */
  async function audited(servers: (honest: Fetch) => readonly Fetch[], quorum?: number) {
    const world = await scene()
    const { node, open, work } = world
    const first = await open()
    await first.watch([alice], { fresh: true })
    const stop = work(first)
    await allApplied(first)
    const txID = node.fund(alice, 3n * AVAX)
    await until('deposit', async () => (await first.deposits()).length === 1)
    await stop()
    const custody = await open({ client: clientOf(world, servers(node.fetch)), quorum })
    return { txID, report: await custody.audit() }
  }

  it('believes two of three servers: one that hides UTXOs changes nothing', async () => {
    const { report } = await audited((honest) => [hiding(honest), honest, honest])
    expect(report).toMatchObject({ balanced: true, missing: [], extra: [], disputed: [] })
    expect(report.assets).toMatchObject([{ deposits: 3n * AVAX, node: 3n * AVAX }])
  })

  it('names UTXOs that servers disagree about, and is not balanced', async () => {
    const { txID, report } = await audited((honest) => [
      hiding(honest),
      outageOf('avm.getUTXOs').through(honest),
      honest,
    ])
    expect(report).toMatchObject({
      balanced: false,
      missing: [],
      extra: [],
      disputed: [
        {
          txID,
          outputIndex: 0,
          amount: 3n * AVAX,
          listedBy: ['server2.test'],
          missingFrom: ['server0.test'],
        },
      ],
      assets: [{ expected: 3n * AVAX, utxos: 3n * AVAX, node: 3n * AVAX, balanced: false }],
    })
  })

  it('compares all servers also with a quorum of 1', async () => {
    const { report } = await audited((honest) => [hiding(honest), honest], 1)
    // The transaction proves the UTXO that one of them hides.
    expect(report).toMatchObject({ balanced: true, disputed: [] })
  })
})

describe('one of three servers', () => {
  it('that reports a false height does not change the status', async () => {
    const world = await scene()
    const { node, open } = world
    for (let i = 0; i < 3; i++) node.fund(alice, AVAX)
    for (const height of ['0', '1000000000']) {
      const liar = instead(node.fetch, ({ method }) =>
        method === 'avm.getHeight' ? { result: { height } } : undefined,
      )
      const custody = await open({ client: clientOf(world, [liar, node.fetch, node.fetch]) })
      expect(await custody.status()).toMatchObject({ nodeHeight: 3n })
    }
    const away = outageOf('avm.getHeight').through(node.fetch)
    const alone = await open({ client: clientOf(world, [away, away, node.fetch]) })
    expect(await alone.status()).toMatchObject({ nodeHeight: undefined, lag: undefined })
  })

  it('that does not find transactions does not leave a refill without proofs', async () => {
    const world = await scene()
    const { node, open, work } = world
    const cold = textOf(keysOf(77).addresses[0]!)
    const unfinding = instead(node.fetch, ({ method }) =>
      method === 'avm.getTx' ? { error: { code: -32000, message: 'not found' } } : undefined,
    )
    const custody = await open({
      client: clientOf(world, [unfinding, node.fetch, node.fetch]),
      sweeps: [{ type: 'refill', below: 10n * AVAX, amount: 5n * AVAX, from: [cold] }],
    })
    node.fund(cold, 20n * AVAX)
    work(custody)
    const { request } = await until('a refill is requested', async () => {
      await sweepSynced(custody)
      return (await custody.requests())[0]
    })
    expect(parseRequest(request, { network: networks.local }).proofs).toHaveLength(1)
  })
})

describe('a walk', () => {
  it('leaves out a UTXO that differs from its transaction, and one that too few servers list', async () => {
    const world = await scene()
    const { node, open, work, events } = world
    const bob = textOf(keysOf(22).addresses[0]!)
    for (const address of [alice, bob]) node.fund(address, 5n * AVAX)
    // The blocks with these outputs are too far below the tip to be read.
    for (let i = 0; i < 12; i++) node.fund(receiver(i), AVAX)
    const more = (5n * AVAX).toString(16).padStart(16, '0')
    const liar = instead(node.fetch, async ({ method }, ask) => {
      if (method !== 'avm.getUTXOs') return undefined
      const { result } = (await ask()) as { result: { utxos: string[] } }
      const utxos = result.utxos.map((text) => {
        const bytes = checkedHex.decode(text)
        const changed = Buffer.from(bytes)
          .toString('hex')
          .replace(more, 'f'.repeat(8).padStart(16, '0'))
        return checkedHex.encode(new Uint8Array(Buffer.from(changed, 'hex')))
      })
      return { result: { ...result, utxos } }
    })
    for (const [address, quorum, servers] of [
      [alice, 1, [liar]],
      [bob, 2, [liar, node.fetch]],
    ] as const) {
      events.length = 0
      const custody = await open({ client: clientOf(world, servers), quorum })
      await custody.watch([address])
      const stop = work(custody)
      await until('walked', () => events.some(({ event }) => event === 'addresses.walked'))
      await stop()
      expect(events.map(({ event }) => event)).toContain('walk.disputed')
      expect(await custody.deposits()).toEqual([])
    }
  })

  it('ends although each of its requests takes longer than a block', async () => {
    const world = await scene()
    const { node, open, work, client } = world
    const owner = keysOf(21)
    node.fund(alice, 5n * AVAX)
    for (let i = 0; i < 12; i++) node.fund(receiver(i), AVAX)
    let isSpent = false
    const slow = instead(node.fetch, async ({ method }, ask) => {
      if (method !== 'avm.getUTXOs') return undefined
      const answer = (await ask()) as object
      if (!isSpent)
        await createWallet({ client, keys: owner }).transfer({ to: alice, amount: AVAX })
      isSpent = true
      node.fund(receiver(99), AVAX)
      return answer
    })
    const custody = await open({ client: clientOf(world, [slow]) })
    await custody.watch([alice])
    work(custody)
    const list = await until('deposits', async () => {
      const found = await custody.deposits()
      return found.some(({ existing }) => existing) && found
    })
    // What was created meanwhile has the height of its block.
    expect(list.filter(({ existing }) => existing)).toMatchObject([{ amount: 5n * AVAX }])
    await until('spent', async () => (await custody.audit()).balanced)
  })

  it('is read while blocks are applied', async () => {
    const world = await scene()
    const { node, open, work, client } = world
    const owner = keysOf(21)
    const bob = textOf(keysOf(22).addresses[0]!)
    node.fund(alice, 5n * AVAX)
    for (let i = 0; i < 12; i++) node.fund(receiver(i), AVAX)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let isWalking = false
    const slow = instead(node.fetch, async ({ method }, ask) => {
      if (method !== 'avm.getUTXOs') return undefined
      const answer = (await ask()) as object
      isWalking = true
      await released
      return answer
    })
    const custody = await open({ keys: undefined, client: clientOf(world, [slow]) })
    await custody.watch([alice])
    await custody.watch([bob], { fresh: true })
    work(custody)
    await until('walking', () => isWalking)
    // Spends what the walk has listed and not recorded yet.
    await createWallet({ client, keys: owner }).transfer({ to: bob, amount: AVAX })
    await until('deposit', async () => (await custody.deposits()).length === 2)
    release()
    const list = await until('walked', async () => {
      const found = await custody.deposits()
      return found.length === 3 && found
    })
    expect(list.at(-1)).toMatchObject({ amount: 5n * AVAX, existing: true })
    await until('spent', async () => (await custody.audit()).balanced)
  })

  it('that fails does not keep payouts waiting for a new leader', async () => {
    const world = await scene()
    const { node, open, work, hot } = world
    node.fund(hot, 5n * AVAX)
    let isFailing = false
    const server = instead(node.fetch, ({ method }) =>
      method === 'avm.getUTXOs' && isFailing
        ? { error: { code: -32000, message: 'busy' } }
        : undefined,
    )
    const custody = await open({ client: clientOf(world, [server]) })
    const stop = work(custody)
    await allApplied(custody)
    await stop()
    isFailing = true
    await custody.watch([alice])
    await custody.requestPayouts(payoutsTo(1))
    work(custody)
    await allPayouts(custody, 'paid')
  })
})

describe('a server that is behind', () => {
  it('lists no UTXOs of the last blocks, whose deposits are found in the blocks', async () => {
    const world = await scene()
    const { node, open, work } = world
    const behind = instead(node.fetch, async ({ method }, ask) => {
      if (method !== 'avm.getUTXOs') return undefined
      const { result } = (await ask()) as { result: object }
      return { result: { ...result, numFetched: '0', utxos: [] } }
    })
    const custody = await open({ client: clientOf(world, [behind]) })
    work(custody)
    node.fund(alice, 5n * AVAX)
    // Applied before the address is watched.
    const height = await world.client.avm.getHeight()
    await until('applied', async () => (await custody.status()).height === height)
    await custody.watch([alice])
    const [deposit] = await until('deposit', async () => {
      const list = await custody.deposits()
      return list.length > 0 && list
    })
    expect(deposit).toMatchObject({ amount: 5n * AVAX, height, existing: false })
  })

  it('does not know the transaction of a UTXO, which another server has', async () => {
    const world = await scene()
    const { node, open, work, events } = world
    node.fund(alice, 5n * AVAX)
    // The block is too far below the tip to be read again.
    for (let i = 0; i < 12; i++) node.fund(receiver(i), AVAX)
    const behind = instead(node.fetch, ({ method }) =>
      method === 'avm.getTx' ? { error: { code: -32000, message: 'not found' } } : undefined,
    )
    const custody = await open({ client: clientOf(world, [behind, node.fetch]) })
    await custody.watch([alice])
    work(custody)
    await until('walked', () => events.some(({ event }) => event === 'addresses.walked'))
    expect(await custody.deposits()).toMatchObject([{ amount: 5n * AVAX, existing: true }])
  })
})

describe('a higher fee of the network', () => {
  it('is noticed, and refused payouts are made with inputs of their attempts', async () => {
    const issued: Uint8Array[] = []
    let fee = 1_000_000n
    const world = await scene({
      through: (fetch) =>
        instead(fetch, ({ method, params }) => {
          if (method.endsWith('getTxFee'))
            return { result: { txFee: String(fee), createAssetTxFee: '10000000' } }
          if (method !== 'avm.issueTx') return undefined
          const bytes = checkedHex.decode(params.tx!)
          issued.push(bytes)
          const { unsignedTx } = decodeTx(bytes)
          const sum = (list: readonly bigint[]) => list.reduce((a, b) => a + b, 0n)
          const burned =
            sum(unsignedTx.inputs.map(({ input }) => input.amount)) -
            sum(unsignedTx.outputs.map(({ output }) => output.amount))
          return burned < fee
            ? { error: { code: -32000, message: 'insufficient funds' } }
            : undefined
        }),
    })
    const { node, hot, open, work } = world
    node.fund(hot, 100n * AVAX)
    const custody = await open({ limits: { resendMs: 100 } })
    work(custody)
    await allApplied(custody)
    fee = 2_000_000n
    await custody.requestPayouts(payoutsTo(1, 2))
    await allPayouts(custody, 'paid')
    const inputs = issued.map((bytes) =>
      decodeTx(bytes).unsignedTx.inputs.map(({ txID }) => txID[0]),
    )
    for (const list of inputs) expect(list).toContain(inputs[0]![0])
    const report = await custody.audit()
    expect(report).toMatchObject({ balanced: true })
    expect(report.assets[0]).toMatchObject({ fees: 2_000_000n, payouts: 2n * AVAX })
  })
})
