import { describe, expect, it } from 'vitest'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
} from '../../../src/node/index.ts'
import type { Call } from '../requests.ts'
import { addressOf, balanceOf, direct, produceBlocks } from '../setup.ts'
import { badServer } from './bad-servers.ts'
import {
  hostOf,
  POSITIONS,
  SERVERS,
  TOTAL,
  type TrustScene,
  trustScene,
  urls,
  you,
} from './setup.ts'

const to = addressOf(you)
const payment = { to, amount: 5n }

describe('the default of the quorum', () => {
  for (const [count, quorum] of [
    [1, 1],
    [2, 1],
    [3, 2],
  ] as const)
    it(`is ${quorum} with ${count} servers`, async () => {
      const first = badServer('shows every transaction as accepted and forwards none')
      const at = await trustScene({ first }, { url: urls.slice(0, count), blocks: 'manual' })
      const mine = at.wallet({ quorum: undefined, wait: { timeoutMs: 30_000 } })
      const paying = mine.transfer(payment, { key: 'a' })
      if (quorum === 2) await expect(paying).rejects.toMatchObject({ code: 'TX_PENDING' })
      else await paying
      // A quorum of 1 believes the first server.
      const status = quorum === 2 ? 'pending' : 'accepted'
      expect(await mine.payments(['a'])).toMatchObject([{ status }])
      produceBlocks(at.node)
    })

  it('makes a wallet of three servers see what the first leaves out', async () => {
    const { wallet } = await trustScene({ first: badServer('leaves out all UTXOs') })
    const [balance] = await wallet({ quorum: undefined }).balances()
    expect(balance?.spendable).toBe(TOTAL)
  })
})

describe('servers', () => {
  it('has one entry per server, in the order of the URLs, before the first request', async () => {
    const { wallet, requests } = await trustScene({})
    const entries = wallet().servers()
    expect(entries.map(({ server }) => server)).toEqual(SERVERS)
    for (const { lastAsked, setAside } of entries)
      expect([lastAsked, setAside]).toEqual([undefined, undefined])
    expect(requests).toEqual([])
  })

  it('has one entry if there is one server', async () => {
    const { wallet } = await trustScene({}, { url: urls.slice(0, 1) })
    const mine = wallet({ quorum: 1 })
    await mine.balances()
    expect(mine.servers()).toMatchObject([{ server: SERVERS[0], setAside: undefined }])
  })

  it('tells the heights of servers, and what they were last asked for', async () => {
    const { node, wallet, requests } = await trustScene({})
    const mine = wallet()
    await mine.transfer(payment)
    const height = await direct(node).avm.getHeight({})
    const asked = mine.servers().filter(({ lastAsked }) => lastAsked !== undefined)
    expect(asked.length).toBeGreaterThanOrEqual(2)
    const heights = asked.map((entry) => entry.height).filter((known) => known !== undefined)
    expect(heights.length).toBeGreaterThanOrEqual(2)
    // The payment is in the last block.
    for (const known of heights) expect([height - 1n, height]).toContain(known)
    for (const { server, lastAsked } of asked) {
      const own = requests.filter(({ host }) => server.startsWith(`${host}:`))
      expect(own.map(({ method }) => method)).toContain(lastAsked!.method)
      expect(lastAsked!.at).toBeDefined()
    }
  })

  it('sets no honest server aside', async () => {
    const { wallet } = await trustScene({})
    const mine = wallet()
    await mine.transfer(payment)
    await mine.sweep({ to })
    for (const { setAside } of mine.servers()) expect(setAside).toBeUndefined()
  })

  for (const behavior of ['serves three forged blocks', 'serves another chain'])
    for (const position of POSITIONS)
      it(`tells why a server is set aside: the ${position} ${behavior}`, async () => {
        const { node, wallet, requests } = await trustScene({ [position]: badServer(behavior) })
        const forgedFrom =
          behavior === 'serves another chain' ? 1n : 1n + (await direct(node).avm.getHeight({}))
        const mine = wallet()
        await mine.balances()
        // From now on the network has another block at the height of a forged one.
        await mine.transfer(payment)
        await mine.transfer(payment)
        const { bad, others } = entriesOf(mine, position)
        for (const { setAside } of others) expect(setAside).toBeUndefined()
        const isForged = ({ host, method, params }: Call) =>
          host === hostOf(position) &&
          method === 'avm.getBlockByHeight' &&
          BigInt(params.height as string) >= forgedFrom
        // Two honest servers may be enough.
        if (!requests.some(isForged)) return
        expect(bad.setAside?.reason).toEqual(expect.stringMatching(/\w/))
        expect(bad.setAside?.until).toBeDefined()
      })

  for (const position of POSITIONS)
    it(`does not set a server aside that has no old blocks: the ${position}`, async () => {
      const at = await trustScene({ [position]: badServer('has no old blocks') })
      const mine = at.wallet()
      await mine.balances()
      await mine.transfer(payment)
      at.clock.advance(120_000)
      await mine.sweep({ to })
      for (const { setAside } of mine.servers()) expect(setAside).toBeUndefined()
    })

  it('is a copy', async () => {
    const { wallet } = await trustScene({})
    const mine = wallet()
    const before = mine.servers()
    await mine.balances()
    for (const { lastAsked } of before) expect(lastAsked).toBeUndefined()
  })
})

function entriesOf(wallet: ReturnType<TrustScene['wallet']>, position: (typeof POSITIONS)[number]) {
  const entries = wallet.servers()
  const index = POSITIONS.indexOf(position)
  return { bad: entries[index]!, others: entries.filter((_, i) => i !== index) }
}

describe('one server under two names', () => {
  const clients = { createNodeClient, createPChainClient, createCChainClient }
  for (const [name, create] of Object.entries(clients)) {
    for (const [first, second] of [
      ['http://a.test:9650', 'http://A.Test:9650'],
      ['http://a.test:9650', 'HTTP://a.test:9650'],
      ['http://a.test:9650', 'http://a.test.:9650'],
      ['http://a.test', 'http://a.test.'],
      ['http://a.test:9650', 'http://a.test:9650/'],
      ['http://a.test:9650/path', 'http://a.test:9650/path/'],
      ['http://a.test', 'http://a.test:80'],
      ['https://a.test', 'https://a.test:443'],
      ['https://a.test/', 'https://A.TEST.:443'],
      ['http://a.test:9650', 'https://a.test:9650'],
      ['http://a.test:443', 'https://a.test'],
      ['http://a.test:9650', 'http://me:secret@a.test:9650'],
      ['http://a.test:9650/path', 'http://a.test:9650/p%61th'],
      ['http://a.test:9650/path', 'http://a.test:9650/%50ath'],
      ['http://a.test:9650/a/b', 'http://a.test:9650//a//b//'],
      ['http://a.test:9650/path', 'http://a.test:9650/x/../path/.'],
      ['http://a.test:9650?key=ab', 'http://a.test:9650/?key=%61b'],
      ['http://a.test:9650', 'http://a.test:09650/?#part'],
      ['http://a.test:9650', 'http://%61.test:9650'],
      ['http://127.0.0.1:9650', 'http://127.1:9650'],
      ['http://127.0.0.1:9650', 'http://2130706433.:9650'],
      ['http://127.0.0.1:9650', 'http://[::ffff:127.0.0.1]:9650'],
      ['http://[::1]:9650', 'http://[0:0:0:0:0:0:0:1]:9650'],
      ['http://bücher.test', 'http://xn--bcher-kva.test'],
    ] as const)
      it(`is refused by ${name}: ${first} and ${second}`, () => {
        for (const url of [
          [first, second],
          [second, 'http://b.test', first],
        ])
          expect(() => create({ url })).toThrow(
            expect.objectContaining({ name: 'ArgumentError', code: 'ENC_INVALID' }),
          )
      })

    it(`is not what ${name} sees in different ports`, () => {
      create({
        url: [
          'http://a.test:9650',
          'http://a.test:9652',
          'http://a.test',
          'https://a.test',
          'http://b.test',
          'http://127.0.0.1',
          'http://[::1]',
          'http://[::ffff:127.0.0.2]',
        ],
      })
    })

    it(`is not what ${name} sees in different paths and queries`, () => {
      create({
        url: ['http://a.test/a', 'http://a.test/b', 'http://a.test/a/b', 'http://a.test/a?b'],
      })
    })
  }
})

describe('the requests of a wallet', () => {
  const reads = ({ requests }: TrustScene) =>
    requests.filter(({ method }) => method !== 'avm.issueTx').length

  /** Reads of the first payment of a wallet, of a later one, and of one after a pause. */
  async function readsOfPayments(count: number, quorum: number) {
    const others = ['http://d.test:9650', 'http://e.test:9650']
    const at = await trustScene({}, { url: [...urls, ...others].slice(0, count) })
    const mine = at.wallet({ quorum })
    await mine.transfer(payment)
    const first = reads(at)
    await mine.transfer(payment)
    const later = reads(at) - first
    at.clock.advance(10_000)
    await mine.transfer(payment)
    expect(await balanceOf(at.node, you)).toBe(15n)
    return { first, later, muchLater: reads(at) - first - later }
  }

  for (const [count, quorum] of [
    [2, 2],
    [3, 2],
    [3, 3],
    [4, 2],
    [5, 2],
    [5, 3],
  ] as const)
    it(`for a payment with quorum ${quorum} of ${count} are at most ${quorum + 1} times those with one server`, async () => {
      const one = await readsOfPayments(1, 1)
      const several = await readsOfPayments(count, quorum)
      expect(several.first).toBeLessThanOrEqual((quorum + 1) * one.first)
      expect(several.later).toBeLessThanOrEqual((quorum + 1) * one.later)
      expect(several.muchLater).toBeLessThanOrEqual((quorum + 1) * one.muchLater)
    })

  it('are no more with one server than without agreement', async () => {
    const at = await trustScene({}, { url: urls.slice(0, 1) })
    const mine = at.wallet({ quorum: 1 })
    const calls: readonly (readonly [string, number, () => Promise<unknown>])[] = [
      ['balances', 24, () => mine.balances()],
      ['transfer', 3, () => mine.transfer(payment)],
      ['second transfer', 3, () => mine.transfer(payment)],
      ['utxos', 1, () => mine.utxos()],
      ['import', 12, () => mine.import({ sourceChain: 'P' })],
      ['consolidate', 10, () => mine.consolidate()],
      ['sweep', 10, () => mine.sweep({ to })],
    ]
    // A call may end before the last request for blocks that it has started, which the next one then shares.
    let limit = 0
    for (const [name, most, call] of calls) {
      await call()
      limit += most
      expect(at.requests.length, name).toBeLessThanOrEqual(limit)
    }
  })
})
