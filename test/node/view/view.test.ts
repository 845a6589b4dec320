import { describe, expect, it } from 'vitest'
import type { NetworkContext } from '../../../src/core/chain/networks.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { txID as idOf } from '../../../src/core/chain/x/ids.ts'
import { encodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import type { CallOptions, NodeClient } from '../../../src/node/index.ts'
import { utxosIn } from '../../../src/node/view/utxo-votes.ts'
import { ChainView, defaultQuorum, type ListOptions } from '../../../src/node/view/view.ts'
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.ts'
import {
  clientOf,
  failure,
  fakeClient,
  listServer,
  lists,
  notFound,
  ordersOf,
  silence,
  utxoOf,
} from './fake-servers.ts'

function viewOf(servers: readonly NodeClient[], quorum = 2, clock: VirtualClock = virtualClock()) {
  const chain = new ChainView({ client: clientOf(servers), clock, quorum })
  const listed = async (options: Partial<ListOptions> = {}, call: CallOptions = {}) => {
    const list = { addresses: [new Uint8Array(20)], sources: [{}], withHeight: true, ...options }
    const { set, disputed, height } = await chain.utxos(list, call)
    return {
      ids: utxosIn(set, {}).map(({ txID }) => txID[0]),
      amounts: utxosIn(set, {}).map(({ output }) => ('amount' in output ? output.amount : 0n)),
      disputed: disputed.map(({ utxo }) => utxo.txID[0]),
      height,
    }
  }
  const setAside = () => chain.report().flatMap((one, i) => (one.setAside ? [i] : []))
  return { chain, clock, listed, setAside }
}

const REAL = [1, 2, 3].map((id) => utxoOf(id))
const HEIGHT = 1_000_000n

/** Calls a method with a virtual clock that servers share with the view. */
type Liar = (clock: VirtualClock) => NodeClient

const LIARS: { readonly [name: string]: Liar } = {
  'lists nothing': () => lists([], HEIGHT),
  'leaves out one': () => lists(REAL.slice(1), HEIGHT),
  'adds one': () => lists([...REAL, utxoOf(9)], HEIGHT),
  'changes an amount': () => lists([utxoOf(1, 77n), ...REAL.slice(1)], HEIGHT),
  'is at height 0': () => lists(REAL, 0n),
  'is at height 0 and lists nothing': () => lists([], 0n),
  'is far too high': () => lists(REAL, 2n ** 62n),
  'is far too high and lists nothing': () => lists([], 2n ** 62n),
  'is far behind': () => lists([utxoOf(8), ...REAL], HEIGHT - 1_000n),
  fails: () =>
    listServer({
      height: () => {
        throw failure()
      },
      async *pages() {},
    }),
  'hangs before its height': () =>
    listServer({ height: (call) => silence(call), async *pages() {} }),
  'hangs before its first page': () =>
    listServer({
      height: () => HEIGHT,
      async *pages(call) {
        await silence(call)
        yield []
      },
    }),
  'has pages without end': (clock) =>
    listServer({
      height: () => HEIGHT,
      async *pages(call) {
        for (let i = 0; ; i = (i + 1) % 250) {
          await clock.sleep(50, call.signal)
          yield [utxoOf(i)]
        }
      },
    }),
  'has a first page and then hangs': (clock) =>
    listServer({
      height: () => HEIGHT,
      async *pages(call) {
        yield REAL.slice(1)
        await clock.sleep(10_000_000, call.signal)
      },
    }),
}

describe('ChainView.utxos', () => {
  for (const [name, liar] of Object.entries(LIARS))
    for (const [n, k] of [
      [3, 2],
      [4, 2],
      [5, 3],
    ] as const)
      for (const fromAll of [false, true])
        it(`${fromAll ? 'from all' : 'from some'} are those of honest servers with quorum ${k} if ${k - 1} of ${n}: ${name}`, async () => {
          const roles = Array.from({ length: n }, (_, i) => i < k - 1)
          const orders = n < 5 ? ordersOf(roles) : [roles, [...roles].reverse()]
          for (const order of orders) {
            const clock = virtualClock()
            const servers = order.map((isLiar) => (isLiar ? liar(clock) : lists(REAL, HEIGHT)))
            const { ids, amounts, disputed, height } = await viewOf(servers, k, clock).listed({
              fromAll,
            })
            expect([ids, amounts, disputed]).toEqual([[1, 2, 3], [1n, 1n, 1n], []])
            // Blocks from there on are read, so it must not be far below.
            expect(height).toBeGreaterThanOrEqual(HEIGHT - 128n)
            expect(height).toBeLessThanOrEqual(HEIGHT)
            expect(clock.slept()).toBeLessThan(60_000)
          }
        })

  it('begin at the lowest height of the lists', async () => {
    const servers = [lists(REAL, HEIGHT), lists(REAL, HEIGHT - 5n), lists(REAL, HEIGHT)]
    expect((await viewOf(servers).listed()).height).toBe(HEIGHT - 5n)
  })

  it('do not use lists that are far behind', async () => {
    for (const order of ordersOf([HEIGHT, HEIGHT, HEIGHT - 65n])) {
      const servers = order.map((height) => lists(height === HEIGHT ? REAL : [], height))
      expect(await viewOf(servers).listed()).toMatchObject({ ids: [1, 2, 3], disputed: [] })
    }
  })

  it('use lists that are behind if there are no others', async () => {
    const servers = [lists(REAL, HEIGHT), lists(REAL, HEIGHT - 500n)]
    expect(await viewOf(servers).listed()).toMatchObject({
      ids: [1, 2, 3],
      height: HEIGHT - 500n,
    })
  })

  it('are disputed if honest servers differ, also if the third hangs', async () => {
    const clock = virtualClock()
    const servers = [
      lists([...REAL, utxoOf(4)], HEIGHT + 1n),
      lists(REAL, HEIGHT),
      LIARS['has a first page and then hangs']!(clock),
    ]
    for (const fromAll of [false, true]) {
      const { disputed, height } = await viewOf(servers, 2, clock).listed({ fromAll })
      expect([disputed, height]).toEqual([[4], HEIGHT])
    }
    expect(clock.slept()).toBeLessThan(60_000)
  })

  it('wait for an honest list that takes minutes, although a liar is fast', async () => {
    for (const order of ordersOf([0, 1, 2])) {
      const clock = virtualClock()
      const slow = (ms: number) =>
        listServer({
          height: () => HEIGHT,
          async *pages(call) {
            await clock.sleep(ms, call.signal)
            yield REAL
          },
        })
      const all = [lists([], HEIGHT), slow(120_000), slow(200_000)]
      const servers = order.map((i) => all[i]!)
      expect(await viewOf(servers, 2, clock).listed()).toMatchObject({
        ids: [1, 2, 3],
        disputed: [],
      })
    }
  })

  it('wait for a slow server if the heights of others are far apart', async () => {
    for (const order of ordersOf([0, 1, 2])) {
      const clock = virtualClock()
      const slow = listServer({
        height: () => HEIGHT,
        async *pages(call) {
          await clock.sleep(20_000, call.signal)
          yield REAL
        },
      })
      const all = [lists(REAL, 0n), lists(REAL, HEIGHT), slow]
      const { height } = await viewOf(
        order.map((i) => all[i]!),
        2,
        clock,
      ).listed()
      expect(height).toBe(HEIGHT)
    }
  })

  it('wait longer each time for a slow server that decides a dispute', async () => {
    for (const order of ordersOf([0, 1, 2])) {
      const clock = virtualClock()
      const slow = listServer({
        height: () => HEIGHT,
        async *pages(call) {
          await clock.sleep(18_000, call.signal)
          yield REAL
        },
      })
      const all = [lists([], HEIGHT), lists(REAL, HEIGHT), slow]
      const at = viewOf(
        order.map((i) => all[i]!),
        2,
        clock,
      )
      const found: number[] = []
      for (let i = 0; i < 4; i++) found.push((await at.listed()).ids.length)
      expect(found.slice(2)).toEqual([3, 3])
    }
  })

  it('do not wait longer for a server that hangs if the others agree', async () => {
    const clock = virtualClock()
    const hangs = LIARS['hangs before its first page']!(clock)
    const at = viewOf([hangs, lists(REAL, HEIGHT), lists(REAL, HEIGHT)], 2, clock)
    for (let i = 1; i < 5; i++) {
      await at.listed({ fromAll: true })
      expect(clock.slept()).toBe(5_000 * i)
    }
  })

  it('take one list with one server', async () => {
    let requests = 0
    const one = lists(REAL, HEIGHT)
    const counted = fakeClient({
      ...one,
      utxoPages: (call: Parameters<NodeClient['utxoPages']>[0]) => {
        requests++
        return one.utxoPages(call)
      },
    })
    expect((await viewOf([counted], 1).listed({ fromAll: true })).ids).toEqual([1, 2, 3])
    expect(requests).toBe(1)
  })

  it('take as many lists as the quorum if these are equal', async () => {
    const asked: number[] = []
    const servers = [0, 1, 2, 3, 4].map((i) =>
      listServer({
        height: () => HEIGHT,
        async *pages() {
          asked.push(i)
          yield REAL
        },
      }),
    )
    await viewOf(servers, 3).listed()
    expect(asked).toEqual([0, 1, 2])
  })

  it('from all take the lists of all servers, at the same time', async () => {
    const clock = virtualClock()
    const asked: (readonly [server: number, ms: number])[] = []
    const servers = [REAL, REAL, [...REAL, utxoOf(4)], [...REAL, utxoOf(4)]].map((utxos, i) =>
      listServer({
        height: () => HEIGHT,
        async *pages(call) {
          asked.push([i, clock.slept()])
          await clock.sleep(100, call.signal)
          yield utxos
        },
      }),
    )
    expect((await viewOf(servers, 2, clock).listed({ fromAll: true })).ids).toEqual([1, 2, 3, 4])
    expect(asked).toEqual([0, 1, 2, 3].map((i) => [i, 0]))
  })

  it('are an error if too few servers answer', async () => {
    const fails = LIARS.fails!(virtualClock())
    await expect(viewOf([fails, lists(REAL), fails]).listed()).rejects.toMatchObject({
      code: 'NO_QUORUM',
      agreeing: 1,
      retryable: true,
      cause: expect.objectContaining({ code: 'RPC_ERROR' }),
    })
  })

  it('end when the caller aborts', async () => {
    const hangs = LIARS['hangs before its first page']!(virtualClock())
    const caller = new AbortController()
    const listing = viewOf([hangs, hangs]).listed({}, { signal: caller.signal })
    setImmediate(() => caller.abort('enough'))
    await expect(listing).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
  })

  it('with quorum 1 from all need a transaction as proof for what some servers do not list', async () => {
    const { disputed, ids } = await viewOf([lists(REAL), lists(REAL.slice(1))], 1).listed({
      fromAll: true,
    })
    expect([ids, disputed]).toEqual([[2, 3], [1]])
  })
})

/** A transaction without inputs and outputs. */
const tx: SignedTx = {
  unsignedTx: {
    type: 'BaseTx',
    networkID: 1,
    blockchainID: new Uint8Array(32),
    outputs: [],
    inputs: [],
    memo: new Uint8Array(),
  },
  credentials: [],
}
const txID = idOf(encodeTx(tx))

type Answer<T> = (call: CallOptions, clock: VirtualClock) => Promise<T> | T

function getTxServers(answers: readonly Answer<SignedTx | undefined>[]) {
  const clock = virtualClock()
  const asked: number[] = []
  const servers = answers.map((answer, i) =>
    fakeClient({
      avm: {
        getTx: async (_: object, call: CallOptions) => {
          asked.push(i)
          const found = await answer(call, clock)
          if (found === undefined) throw notFound('avm.getTx')
          return found
        },
      },
    }),
  )
  return { ...viewOf(servers, 2, clock), asked }
}

const HAS: Answer<SignedTx | undefined> = () => tx
const HAS_NOT: Answer<SignedTx | undefined> = () => undefined
const FAILS: Answer<never> = () => {
  throw failure()
}
const HANGS: Answer<never> = (call) => silence(call)
const delayed =
  <T>(ms: number, value: T): Answer<T> =>
  async ({ signal }, clock) => {
    await clock.sleep(ms, signal)
    return value
  }

describe('ChainView.isAccepted', () => {
  for (const [name, answers, expected] of [
    ['all have it', [HAS, HAS, HAS], true],
    ['the first hides it', [HAS_NOT, HAS, HAS], true],
    ['the first hides it late', [delayed(999, undefined), HAS, HAS], true],
    [
      'the first hides it late and the third is not fast',
      [delayed(999, undefined), HAS, delayed(500, tx)],
      true,
    ],
    ['the first hangs', [HANGS, HAS, HAS], true],
    ['the first fails', [FAILS, HAS, HAS], true],
    ['only one has it', [HAS, HAS_NOT, HAS_NOT], false],
    ['one has it and the others hang or fail', [HAS, HANGS, FAILS], false],
    ['one has it, one is behind and one hangs', [HAS, HAS_NOT, HANGS], false],
    ['all fail', [FAILS, FAILS, FAILS], false],
  ] as const)
    it(`is ${expected} in any order if ${name}`, async () => {
      for (const order of ordersOf<Answer<SignedTx | undefined>>(answers)) {
        const { chain, clock } = getTxServers(order)
        const hanging = order.includes(HANGS) && order.includes(FAILS)
        // Nobody else answers, so the limit of the request ends it.
        const limits = hanging ? { signal: AbortSignal.timeout(20) } : {}
        const accepted = chain.isAccepted(txID, limits)
        if (hanging) await expect(accepted).rejects.toMatchObject({ code: 'ABORTED' })
        else expect(await accepted).toBe(expected)
        expect(clock.slept()).toBeLessThan(5_000)
      }
    })

  it('counts a slow server in the end, although a fast one hides it every time', async () => {
    const { chain } = getTxServers([HAS_NOT, HAS, delayed(6_000, tx)])
    const results: boolean[] = []
    for (let i = 0; i < 5; i++) results.push(await chain.isAccepted(txID, {}))
    expect(results).toContain(true)
  })

  it('does not wait longer after a decision', async () => {
    const { chain, clock } = getTxServers([HAS_NOT, HAS_NOT, HANGS])
    for (let i = 0; i < 5; i++) await chain.isAccepted(txID, {})
    expect(clock.slept()).toBe(0)
  })
})

describe('ChainView.findTx', () => {
  for (const [name, answers] of [
    ['only the last has it', [HAS_NOT, HAS_NOT, HAS]],
    ['the others hang', [HANGS, HANGS, HAS]],
    ['the others fail', [FAILS, FAILS, HAS]],
    ['the others deny it late', [delayed(999, undefined), delayed(999, undefined), HAS]],
  ] as const)
    it(`finds a transaction if ${name}`, async () => {
      for (const order of ordersOf<Answer<SignedTx | undefined>>(answers))
        expect(await getTxServers(order).chain.findTx(txID, {})).toBe(tx)
    })

  it('asks one server if it has it', async () => {
    const { chain, asked } = getTxServers([HAS, HAS, HAS])
    await chain.findTx(txID, {})
    expect(asked).toEqual([0])
  })

  it('is undefined if nobody has it, also if one hangs', async () => {
    for (const answers of [
      [HAS_NOT, HAS_NOT, HAS_NOT],
      [HAS_NOT, HANGS, HAS_NOT],
      [FAILS, HAS_NOT, FAILS],
    ])
      expect(await getTxServers(answers).chain.findTx(txID, {})).toBeUndefined()
  })

  it('throws if nobody answers', async () => {
    const { chain } = getTxServers([FAILS, FAILS, FAILS])
    await expect(chain.findTx(txID, {})).rejects.toMatchObject({ code: 'RPC_ERROR' })
  })
})

describe('ChainView.height', () => {
  for (const [heights, quorum, expected] of [
    [[5n, 5n, 5n], 2, 5n],
    [[2n ** 62n, 5n, 4n], 2, 5n],
    [[0n, 5n, 4n], 2, 4n],
    [[0n, 0n, 5n, 6n, 7n], 3, 5n],
  ] as const)
    it(`of servers at ${heights.join(', ')} with quorum ${quorum} is ${expected}`, async () => {
      for (const order of ordersOf<bigint>(heights).slice(0, 24))
        expect(
          await viewOf(
            order.map((height) => lists([], height)),
            quorum,
          ).chain.height({}),
        ).toBe(expected)
    })
})

describe('ChainView.nodeTime', () => {
  const NOW = 1_700_000_000_000
  for (const [name, times, quorum, expected] of [
    ['is that of a single server', [NOW], 1, NOW],
    ['is unknown if too few servers have told it', [NOW, undefined, undefined], 2, undefined],
    ['is not that of a server in 1970', [0, NOW, NOW + 9], 2, NOW],
    ['is not that of a server in 2100', [NOW, NOW + 9, 4_102_444_800_000], 2, NOW + 9],
    ['is not that of two servers in 1970', [0, 0, NOW, NOW, NOW + 9], 3, NOW],
  ] as const)
    it(name, () => {
      for (const order of ordersOf<number | undefined>(times).slice(0, 24)) {
        const servers = order.map((time) => fakeClient({ nodeTime: () => time }))
        expect(viewOf(servers, quorum).chain.nodeTime()).toBe(expected)
      }
    })
})

describe('ChainView.context', () => {
  const context = networks.fuji
  const other = { ...context, txFee: context.txFee + 1n }

  function contextServers(says: readonly ((refresh: boolean) => NetworkContext)[]) {
    const refreshes: boolean[] = []
    const servers = says.map((say) =>
      fakeClient({
        context: async ({ refresh }: { readonly refresh: boolean }) => {
          refreshes.push(refresh)
          return say(refresh)
        },
      }),
    )
    return { ...viewOf(servers), refreshes }
  }

  for (const [name, lie] of [
    ['another fee', other],
    ['another asset', { ...context, assetID: new Uint8Array(32) }],
    ['another chain', { ...context, chainID: new Uint8Array(32) }],
    ['another network', { ...context, networkID: 77 }],
    ['another prefix', { ...context, hrp: 'x' }],
    ['another fee for assets', { ...context, createAssetTxFee: 1n }],
    ['another C-Chain', { ...context, chains: { ...context.chains, C: new Uint8Array(32) } }],
    ['no C-Chain', { ...context, chains: {} }],
  ] as const)
    it(`is that of honest servers if one reports ${name}`, async () => {
      for (const order of ordersOf([lie, context, context])) {
        const at = contextServers(order.map((one) => () => one))
        expect(await at.chain.context({}, false)).toBe(context)
        for (const server of at.setAside()) expect(order[server]).toBe(lie)
      }
    })

  it('is read again if servers disagree only about what they have cached', async () => {
    const changed = (refresh: boolean) => (refresh ? context : other)
    const at = contextServers([() => context, changed, () => ({ ...context, txFee: 9n })])
    expect(await at.chain.context({}, false)).toBe(context)
    expect(at.refreshes.slice(3)).not.toContain(false)
  })

  it('is an error if servers disagree', async () => {
    const at = contextServers([() => context, () => other, () => ({ ...context, txFee: 9n })])
    await expect(at.chain.context({}, false)).rejects.toMatchObject({ code: 'NO_QUORUM' })
    expect(at.refreshes).toHaveLength(6)
  })
})

describe('defaultQuorum', () => {
  for (const [servers, quorum] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [5, 2],
  ] as const)
    it(`is ${quorum} with ${servers} servers`, () => expect(defaultQuorum(servers)).toBe(quorum))
})

describe('ChainView.blockReader', () => {
  it('is that of the client with quorum 1', () => {
    const reader = {}
    const server = fakeClient({ blockReader: () => reader })
    const { chain } = viewOf([server, server], 1)
    expect(chain.blockReader({ from: 1n })).toBe(reader)
    expect([chain.emptyReads, viewOf([server, server]).chain.emptyReads]).toEqual([2, 1])
  })
})
