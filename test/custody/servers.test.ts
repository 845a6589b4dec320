import { describe, expect, it } from 'vitest'
import {
  type Block,
  blockID,
  decodeTx,
  encodeBlock,
  type SignedTx,
  type UTXOID,
} from '../../src/chain/index.ts'
import { HDAccount, seedFromMnemonic } from '../../src/crypto/hd.ts'
import type { CustodyOptions } from '../../src/custody/index.ts'
import { checkedHex, parseAddress } from '../../src/encoding/index.ts'
import { createNodeClient, type Fetch } from '../../src/rpc/index.ts'
import type { Signer } from '../../src/sign/index.ts'
import { requireSigned } from '../../src/sign/job.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { collect } from '../store/samples.ts'
import { AVAX, keysOf, receiver, type Scene, scene, textOf, until } from './setup.ts'

const alice = textOf(keysOf(21).addresses[0]!)

type Call = { readonly method: string; readonly params: { readonly [name: string]: string } }

/** Answers some requests itself; the node answers the others. */
const instead =
  (fetch: Fetch, answer: (call: Call, ask: () => Promise<unknown>) => unknown): Fetch =>
  async (url, init) => {
    const call = JSON.parse(String(init.body)) as Call & { id: unknown }
    const own = await answer(call, async () => (await fetch(url, init)).json())
    return own === undefined
      ? fetch(url, init)
      : Response.json({ jsonrpc: '2.0', id: call.id, ...own })
  }

/** A client of several servers, which are the same node seen through different fetch functions. */
function clientOf({ node }: Scene, servers: readonly Fetch[]) {
  const urls = servers.map((_, i) => `http://server${i}.test`)
  return createNodeClient({
    url: urls,
    retry: { retries: 0 },
    fetch: (url, init) =>
      servers[urls.findIndex((one) => String(url).startsWith(one))]?.(url, init) ??
      node.fetch(url, init),
  })
}

/** A block after `parent` that pays to an address out of nothing, or of a UTXO, without a signature. */
function forgedBlock(
  { node }: Scene,
  parent: { block: Block; blockID: Uint8Array },
  to: string,
  { txID, outputIndex }: UTXOID = { txID: new Uint8Array(32).fill(5), outputIndex: 0 },
) {
  const { networkID, chainID, assetID } = node.context
  const tx: SignedTx = {
    unsignedTx: {
      type: 'BaseTx',
      networkID,
      blockchainID: chainID,
      outputs: [
        {
          assetID,
          output: {
            type: 'secp256k1fx.TransferOutput',
            amount: 1_000_000n * AVAX,
            locktime: 0n,
            threshold: 1,
            addresses: [parseAddress(to).address],
          },
        },
      ],
      inputs: [
        {
          txID,
          outputIndex,
          assetID,
          input: {
            type: 'secp256k1fx.TransferInput',
            amount: 1_000_001n * AVAX,
            signatureIndices: [0],
          },
        },
      ],
      memo: new Uint8Array(),
    },
    credentials: [{ type: 'secp256k1fx.Credential', signatures: [new Uint8Array(65)] }],
  }
  return {
    ...parent.block,
    parentID: parent.blockID,
    height: parent.block.height + 1n,
    txs: [tx],
  } as Block
}

describe('a server that invents a block', () => {
  for (const isStubborn of [false, true])
    it(`is left, and its deposits become void${isStubborn ? ', although it repeats the block' : ''}`, async () => {
      const world = await scene()
      const { node, open, work, hot, events } = world
      node.fund(hot, 100n * AVAX)
      let forged: Block | undefined
      let isLying = true
      const liar = instead(node.fetch, ({ method, params }) =>
        method === 'avm.getBlockByHeight' &&
        forged !== undefined &&
        (isLying || isStubborn) &&
        params.height === String(forged.height)
          ? { result: { block: checkedHex.encode(encodeBlock(forged)), encoding: 'hex' } }
          : undefined,
      )
      const client = clientOf(world, [liar, node.fetch])
      const custody = await open({ client })
      await custody.watch([alice], { fresh: true })
      work(custody)
      await until('synced', async () => (await custody.status()).syncedSecondsAgo !== undefined)
      const parent = (await client.blockReader({ from: 1n }).read()).at(-1)!
      forged = forgedBlock(world, parent, alice)
      await until('believed', async () => (await custody.deposits()).length === 1)
      isLying = false
      // The chain goes on without it.
      for (const n of [1n, 2n, 3n]) node.fund(alice, n * AVAX)
      const list = await until(
        'real deposits',
        async () => {
          const found = await custody.deposits()
          return found.length === 4 && found
        },
        60,
      )
      expect(list.map(({ cursor }) => cursor)).toEqual([1n, 2n, 3n, 4n])
      expect(list[0]).toMatchObject({ kind: 'void' })
      expect(list.slice(1).map(({ kind, amount }) => [kind, amount])).toEqual(
        [1n, 2n, 3n].map((n) => ['plain', n * AVAX]),
      )
      expect(events.map(({ event }) => event)).toContain('chain.reverted')
      await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
      await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
      expect(blockID(forged)).not.toEqual(parent.blockID)
      if (!isStubborn) expect(await custody.audit()).toMatchObject({ balanced: true })
    }, 120_000)

  for (const [name, change] of [
    ['has an impossible time', { time: 2n ** 64n - 1n, txs: [] }],
    ['spends without a signature', {}],
  ] as const)
    it(`that ${name} does not keep the blocks of others from being applied`, async () => {
      const world = await scene()
      const { node, open, work, hot, keys, events } = world
      node.fund(hot, 100n * AVAX)
      let forged: Block | undefined
      const liar = instead(node.fetch, ({ method, params }) =>
        method === 'avm.getBlockByHeight' && params.height === String(forged?.height)
          ? { result: { block: checkedHex.encode(encodeBlock(forged!)), encoding: 'hex' } }
          : undefined,
      )
      const client = clientOf(world, [liar, node.fetch, node.fetch])
      const custody = await open({ client })
      work(custody)
      await until('synced', async () => (await custody.status()).syncedSecondsAgo !== undefined)
      const parent = (await client.blockReader({ from: 1n }).read()).at(-1)!
      const [page] = await collect(client.utxoPages({ addresses: keys.addresses }))
      forged = { ...forgedBlock(world, parent, hot, page!.utxos[0]), ...change } as Block
      await until('refused', () => events.some(({ event }) => event === 'follower.failed'))
      for (let i = 0; i < 3; i++) node.fund(receiver(60), AVAX)
      await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
      await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
      const failures = events.filter(({ event }) => event === 'follower.failed')
      expect(failures[0]!.facts).toEqual({ code: 'BLOCK_FORGED' })
      expect(events.map(({ event }) => event)).not.toContain('leader.lost')
    })

  describe('that funds the hot wallet', () => {
    /** Payouts are claimed with an output of a false block, which is left then. */
    async function strand(sign?: (world: Scene) => Promise<SignedTx>) {
      const world = await scene()
      const { node, open, work, hot } = world
      node.fund(hot, AVAX / 2n)
      node.fund(payer.addresses[0]!, 100n * AVAX)
      let forged: Block | undefined
      let isLying = true
      // Nodes would remember that they have refused the transaction.
      let isBusy = true
      const server = instead(node.fetch, ({ method }) =>
        method === 'avm.issueTx' && isBusy
          ? { error: { code: -32000, message: 'busy' } }
          : undefined,
      )
      const liar = instead(server, ({ method, params }) =>
        method === 'avm.getBlockByHeight' && isLying && params.height === String(forged?.height)
          ? { result: { block: checkedHex.encode(encodeBlock(forged!)), encoding: 'hex' } }
          : undefined,
      )
      const client = clientOf(world, [liar, server])
      const options = { client, limits: { resendMs: 100, spareUTXOs: 0 } }
      const custody = await open(options)
      const stop = work(custody)
      const hasFree = (amount: bigint) => async () =>
        (await custody.status()).reserves.some(({ free }) => free >= amount)
      await until('funds', hasFree(AVAX / 2n))
      const parent = (await client.blockReader({ from: 1n }).read()).at(-1)!
      forged = forgedBlock(world, parent, hot)
      if (sign !== undefined) forged = { ...forged, txs: [await sign(world)] } as Block
      await until('believed', hasFree(50n * AVAX))
      await custody.requestPayouts(
        [1, 2].map((n) => ({ key: `p${n}`, to: receiver(n), amount: AVAX })),
      )
      await until('pending', async () =>
        (await custody.payouts()).every(({ status }) => status === 'pending'),
      )
      await stop()
      isLying = false
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
      const paid = async (n: number) =>
        (await world.client.avm.getBalance({ address: receiver(n), assetID: 'AVAX' })).balance
      return { ...world, custody, paid }
    }
    const payer = keysOf(9)

    it('is left, and payouts with its outputs are held', async () => {
      const { node, hot, custody, paid, events } = await strand()
      expect(events.map(({ event }) => event)).toContain('payout.held')
      node.fund(hot, 10n * AVAX)
      await custody.release(['p1'])
      await custody.cancel(['p2'])
      await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
      expect(await custody.payouts()).toMatchObject([{ status: 'paid' }, { status: 'canceled' }])
      expect([await paid(1), await paid(2)]).toEqual([AVAX, 0n])
      expect(await custody.audit()).toMatchObject({ balanced: true })
    }, 120_000)

    it('is left, and payouts are not called unpaid if the chain accepts its transaction after all', async () => {
      let funding = new Uint8Array()
      const { client, custody, paid, database } = await strand(async ({ client, hot }) => {
        const wallet = createWallet({ client, keys: payer })
        const draft = await wallet.prepare.transfer({ to: hot, amount: 60n * AVAX })
        funding = requireSigned(await wallet.sign(draft)).bytes.slice()
        return decodeTx(funding)
      })
      await custody.cancel(['p2'])
      const [attempt] = await database.query<{ bytes: Uint8Array }>('SELECT bytes FROM @.attempts')
      for (const tx of [funding, new Uint8Array(attempt!.bytes)]) {
        await client.avm.issueTx({ tx })
        await client.waitForTx(tx)
      }
      const list = await until('noticed', async () => {
        const all = await custody.payouts()
        return all.every(({ note }) => note?.startsWith('may have been paid by ')) && all
      })
      expect(list).toMatchObject([{ held: true }, { held: true }])
      expect([await paid(1), await paid(2)]).toEqual([AVAX, AVAX])
    }, 120_000)
  })

  it('is not believed if a quorum is wanted', async () => {
    const world = await scene()
    const { node, open, work, hot } = world
    node.fund(hot, 100n * AVAX)
    let forged: Block | undefined
    const liar = instead(node.fetch, ({ method, params }) =>
      method === 'avm.getBlockByHeight' && params.height === String(forged?.height)
        ? { result: { block: checkedHex.encode(encodeBlock(forged!)), encoding: 'hex' } }
        : undefined,
    )
    const client = clientOf(world, [liar, node.fetch, node.fetch])
    const custody = await open({ client, quorum: 2 })
    await custody.watch([alice])
    work(custody)
    await until('synced', async () => (await custody.status()).syncedSecondsAgo !== undefined)
    forged = forgedBlock(world, (await client.blockReader({ from: 1n }).read()).at(-1)!, alice)
    node.fund(alice, 3n * AVAX)
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    await until('paid', async () => (await custody.payouts())[0]!.status === 'paid', 60)
    expect(await custody.deposits()).toMatchObject([{ amount: 3n * AVAX, kind: 'plain' }])
    await expect(open({ client, quorum: 4 }).then((one) => one.audit())).rejects.toMatchObject({
      code: 'BAD_ARGUMENT',
    })
  }, 120_000)
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
  }, 120_000)

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
    await until('synced', async () => (await custody.status()).syncedSecondsAgo !== undefined)
    await stop()
    isFailing = true
    await custody.watch([alice])
    await custody.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
    work(custody)
    await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
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
    await until('synced', async () => (await custody.status()).syncedSecondsAgo !== undefined)
    fee = 2_000_000n
    await custody.requestPayouts(
      [1, 2].map((n) => ({ key: `p${n}`, to: receiver(n), amount: AVAX })),
    )
    await until(
      'paid',
      async () => {
        const list = await custody.payouts()
        return list.every(({ status }) => status === 'paid')
      },
      60,
    )
    const inputs = issued.map((bytes) =>
      decodeTx(bytes).unsignedTx.inputs.map(({ txID }) => txID[0]),
    )
    for (const list of inputs) expect(list).toContain(inputs[0]![0])
    const report = await custody.audit()
    expect(report).toMatchObject({ balanced: true })
    expect(report.assets[0]).toMatchObject({ fees: 2_000_000n, payouts: 2n * AVAX })
  }, 120_000)
})

describe('signers', () => {
  it('outside of the process sign by address or all at once; one that fails stops nothing', async () => {
    const { node, hot, keys, open, work, events } = await scene()
    for (let i = 0; i < 3; i++) node.fund(hot, 100n * AVAX)
    const calls = { one: 0, all: 0 }
    const one: Signer = {
      addresses: keys.addresses,
      sign: async ({ address, hash, extraEntropy }) => {
        if (calls.one++ === 0) throw new TypeError('fetch failed')
        return keys.sign(address, hash, extraEntropy)
      },
    }
    const all: Signer = {
      addresses: keys.addresses,
      sign: () => {
        throw new Error('not used')
      },
      signAll: async ({ signers, hash, extraEntropy }) => {
        calls.all++
        return signers.map(({ address }) => keys.sign(address, hash, extraEntropy))
      },
    }
    const options: Partial<CustodyOptions> = { keys: undefined, limits: { maxBatch: 2 } }
    for (const [i, signer] of [one, all].entries()) {
      const custody = await open({ ...options, signers: [signer] })
      const stop = work(custody)
      const requests = [1, 2, 3].map((n) => ({
        key: `p${i} ${n}`,
        to: receiver(10 * i + n),
        amount: AVAX,
      }))
      await custody.requestPayouts(requests)
      await until('paid', async () => {
        const list = await custody.payouts({ keys: requests.map(({ key }) => key) })
        return list.every(({ status }) => status === 'paid')
      })
      await stop()
      expect(await custody.audit()).toMatchObject({ balanced: true })
    }
    expect(calls.one).toBeGreaterThan(2)
    expect(calls.all).toBeGreaterThan(1)
    expect(events.map(({ event }) => event)).toContain('worker.failed')
  }, 120_000)

  it.each([
    ['', keysOf(1)],
    [', without other keys', undefined],
  ])(
    'of an account sweep the addresses of its watched xpub%s',
    async (_, keys) => {
      const words =
        'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
      const account = new HDAccount(seedFromMnemonic(words))
      const { node, hot, open, work } = await scene()
      const custody = await open({
        keys,
        hot: [hot],
        accounts: [account],
        sweeps: [{ type: 'collect', above: AVAX }],
      })
      await custody.watchXpub(account.watch.extendedPublicKey, { gap: 5 })
      for (const index of [0, 3, 4])
        node.fund(account.watch.address({ change: 0, index }), 2n * AVAX)
      work(custody)
      const reserve = await until('swept', async () => {
        const { reserves } = await custody.status()
        return reserves.find(({ wallet, free }) => wallet === 'hot' && free > 5n * AVAX)
      })
      expect(reserve).toMatchObject({ free: 6n * AVAX - 1_000_000n })
      expect(await custody.audit()).toMatchObject({ balanced: true })
    },
    120_000,
  )
})
