import { describe, expect, it } from 'vitest'
import { encodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import type { CallOptions, ServerRequest } from '../../../src/node/index.ts'
import { OtherView } from '../../../src/node/view/other-view.ts'
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.ts'
import { failure, ordersOf, silence, utxoOf } from './fake-servers.ts'

type Server = {
  readonly servers: () => readonly Server[]
  readonly lastRequests: () => readonly ServerRequest[]
  readonly isAccepted: (txID: Uint8Array, call?: CallOptions) => Promise<boolean>
  readonly pages: (call: CallOptions) => AsyncIterable<{ readonly utxos: readonly UTXO[] }>
}

type Role = {
  readonly accepted?: (call: CallOptions, clock: VirtualClock) => Promise<boolean> | boolean
  readonly pages?: (call: CallOptions, clock: VirtualClock) => AsyncIterable<readonly UTXO[]>
}

function viewOf(roles: readonly Role[], quorum = 2, nameOf = (i: number) => `s${i}`) {
  const clock = virtualClock()
  const asked: number[] = []
  const servers: Server[] = roles.map(({ accepted, pages }, i) => ({
    servers: () => servers,
    lastRequests: () =>
      roles.map((_, i) => ({ server: nameOf(i), lastAsked: undefined, height: undefined })),
    isAccepted: async (_, call = {}) => {
      asked.push(i)
      return accepted!(call, clock)
    },
    async *pages(call) {
      asked.push(i)
      for await (const utxos of pages!(call, clock)) yield { utxos }
    },
  }))
  const view = new OtherView(servers[0]!, quorum, clock)
  const listed = async (call: CallOptions = {}) => {
    const { utxos, disputed } = await view.utxos(
      (server, limits) => server.pages(limits),
      encodeUTXO,
      call,
    )
    return {
      ids: utxos.map(({ txID }) => txID[0]).sort(),
      amounts: utxos.map(({ output }) => ('amount' in output ? output.amount : 0n)),
      disputed: disputed.map(({ utxo, listedBy, missingFrom }) => [
        utxo.txID[0],
        listedBy,
        missingFrom,
      ]),
    }
  }
  return { view, clock, asked, listed }
}

const REAL = [1, 2, 3].map((id) => utxoOf(id))
const lists = (...pages: readonly (readonly UTXO[])[]): Role => ({
  async *pages() {
    yield* pages
  },
})

const LIARS: { readonly [name: string]: Role } = {
  'lists nothing': lists([]),
  'leaves out one': lists(REAL.slice(1)),
  'adds one': lists([...REAL, utxoOf(9)]),
  'adds one twice on a page': lists([...REAL, utxoOf(9), utxoOf(9)]),
  'adds one on several pages': lists(REAL, [utxoOf(9)], [utxoOf(9)], [utxoOf(9)]),
  'changes an amount': lists([utxoOf(1, 77n), ...REAL.slice(1)]),
  'adds another amount': lists([utxoOf(1, 77n), ...REAL, utxoOf(1, 77n)]),
  fails: {
    // biome-ignore lint/correctness/useYield: fails before the first page
    async *pages() {
      throw failure()
    },
  },
  hangs: {
    async *pages(call) {
      await silence(call)
      yield []
    },
  },
  'lists nothing just before others would be asked': {
    async *pages({ signal }, clock) {
      await clock.sleep(4_999, signal)
      yield []
    },
  },
  'has pages without end': {
    async *pages({ signal }, clock) {
      for (let i = 0; ; i = (i + 1) % 250) {
        await clock.sleep(50, signal)
        yield [utxoOf(i)]
      }
    },
  },
}

describe('OtherView.utxos', () => {
  for (const [name, liar] of Object.entries(LIARS))
    for (const [n, k] of [
      [3, 2],
      [4, 2],
      [5, 3],
    ] as const)
      it(`are those of honest servers with quorum ${k} if ${k - 1} of ${n}: ${name}`, async () => {
        const roles = Array.from({ length: n }, (_, i) => (i < k - 1 ? liar : lists(REAL)))
        const orders = n < 5 ? ordersOf(roles) : [roles, [...roles].reverse()]
        for (const order of orders) {
          const at = viewOf(order, k)
          expect(await at.listed()).toEqual({
            ids: [1, 2, 3],
            amounts: [1n, 1n, 1n],
            disputed: [],
          })
          expect(at.clock.slept()).toBeLessThan(30_000)
        }
      })

  it('name servers that disagree', async () => {
    const at = viewOf([LIARS.fails!, lists([...REAL, utxoOf(4)]), lists(REAL)])
    expect((await at.listed()).disputed).toEqual([[4, ['s1'], ['s2']]])
  })

  it('are disputed if honest servers differ, also if the third hangs', async () => {
    for (const order of ordersOf([LIARS.hangs!, lists([...REAL, utxoOf(4)]), lists(REAL)]))
      expect((await viewOf(order).listed()).disputed).toMatchObject([[4, {}, {}]])
  })

  it('are counted by server, although servers with other paths have the name of the host', async () => {
    for (const order of ordersOf([lists([]), lists(REAL), lists(REAL)])) {
      const at = viewOf(order, 2, () => 'gateway.test')
      expect(await at.listed()).toMatchObject({ ids: [1, 2, 3], disputed: [] })
    }
    const differing = viewOf([lists([]), lists(REAL)], 2, () => 'gateway.test')
    const names = ['gateway.test']
    expect((await differing.listed()).disputed).toEqual([1, 2, 3].map((id) => [id, names, names]))
  })

  it('wait longer each time for a slow server that decides a dispute', async () => {
    const slow: Role = {
      async *pages({ signal }, clock) {
        await clock.sleep(18_000, signal)
        yield REAL
      },
    }
    for (const order of ordersOf([lists([]), lists(REAL), slow])) {
      const at = viewOf(order)
      const found: number[] = []
      for (let i = 0; i < 4; i++) found.push((await at.listed()).ids.length)
      expect(found.slice(2)).toEqual([3, 3])
    }
  })

  it('are asked of as many servers as the quorum', async () => {
    const at = viewOf([lists(REAL), lists(REAL), lists(REAL), lists(REAL)])
    await at.listed()
    expect(at.asked).toEqual([0, 1])
  })

  it('are those of the client with quorum 1', async () => {
    const at = viewOf([lists(REAL), LIARS.fails!], 1)
    expect(await at.listed()).toMatchObject({ ids: [1, 2, 3], disputed: [] })
    expect(at.asked).toEqual([0])
  })

  it('are an error if too few servers answer', async () => {
    const at = viewOf([LIARS.fails!, lists(REAL), LIARS.fails!])
    await expect(at.listed()).rejects.toMatchObject({ code: 'NO_QUORUM', agreeing: 1 })
  })
})

describe('OtherView.isAccepted', () => {
  const says = (value: boolean, ms = 0): Role => ({
    accepted: async ({ signal }, clock) => {
      if (ms > 0) await clock.sleep(ms, signal)
      return value
    },
  })
  const [YES, NO] = [says(true), says(false)]
  const HANGS: Role = { accepted: silence }
  const FAILS: Role = {
    accepted: () => {
      throw failure()
    },
  }
  for (const [name, roles, expected] of [
    ['all say so', [YES, YES, YES], true],
    ['one denies it', [NO, YES, YES], true],
    ['one denies it late', [says(false, 999), YES, says(true, 500)], true],
    ['one hangs', [HANGS, YES, YES], true],
    ['one fails', [FAILS, YES, YES], true],
    ['only one says so', [YES, NO, NO], false],
    ['one says so and one hangs', [YES, NO, HANGS], false],
    ['nobody answers', [FAILS, FAILS, FAILS], false],
  ] as const)
    it(`is ${expected} in any order if ${name}`, async () => {
      for (const order of ordersOf<Role>(roles)) {
        const at = viewOf(order)
        expect(await at.view.isAccepted(new Uint8Array(32), {})).toBe(expected)
        expect(at.clock.slept()).toBeLessThan(5_000)
      }
    })

  it('counts a slow server in the end, although a fast one denies it every time', async () => {
    const { view } = viewOf([NO, YES, says(true, 6_000)])
    const results: boolean[] = []
    for (let i = 0; i < 5; i++) results.push(await view.isAccepted(new Uint8Array(32), {}))
    expect(results).toContain(true)
  })

  it('is asked of the client with quorum 1', async () => {
    const at = viewOf([YES, NO], 1)
    expect(await at.view.isAccepted(new Uint8Array(32), {})).toBe(true)
    expect(at.asked).toEqual([0])
  })
})

describe('OtherView.askAll', () => {
  it('asks the client with quorum 1, and all servers otherwise', async () => {
    const ask = async (server: Server) => server.isAccepted(new Uint8Array(32))
    const role: Role = { accepted: () => true }
    expect(await viewOf([role, role, role], 1).view.askAll('m', ask, {})).toEqual([true])
    expect(await viewOf([role, role, role]).view.askAll('m', ask, {})).toHaveLength(3)
    expect((await viewOf([role, role], 1).view.askEvery('m', ask, {})).answers).toHaveLength(2)
  })
})

describe('OtherView.find', () => {
  const has: Role = { accepted: () => true }
  const hasNot: Role = { accepted: () => false }
  const fails: Role = {
    accepted: () => {
      throw failure()
    },
  }
  const ask = async (server: Server, call: CallOptions) =>
    (await server.isAccepted(new Uint8Array(32), call)) || undefined

  it('is what any server returns', async () => {
    for (const others of [
      [hasNot, hasNot],
      [fails, fails],
      [hasNot, { accepted: silence }],
    ])
      for (const order of ordersOf<Role>([has, ...others]))
        expect(await viewOf(order).view.find('m', ask, {})).toBe(true)
  })

  it('asks one server if it has it', async () => {
    const at = viewOf([has, has, has])
    await at.view.find('m', ask, {})
    expect(at.asked).toEqual([0])
  })

  it('is undefined if no server returns anything', async () => {
    for (const roles of [
      [hasNot, hasNot, fails],
      [hasNot, hasNot, { accepted: silence }],
    ])
      expect(await viewOf(roles).view.find('m', ask, {})).toBeUndefined()
  })

  it('fails if no server answers', async () => {
    const { view } = viewOf([fails, fails, fails])
    await expect(view.find('m', ask, {})).rejects.toMatchObject({ code: 'RPC_ERROR' })
  })
})

describe('OtherView.tooFew', () => {
  const cause = failure()

  it('is the failure itself with quorum 1', () => {
    expect(viewOf([{}], 1).view.tooFew('m', 0, [cause])).toBe(cause)
  })

  it('is an error that can be retried with a larger quorum', () => {
    expect(viewOf([{}, {}, {}]).view.tooFew('m', 1, [cause])).toMatchObject({
      code: 'NO_QUORUM',
      agreeing: 1,
      retryable: true,
      cause,
    })
  })
})
