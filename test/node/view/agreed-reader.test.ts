import { setImmediate as nextTurn } from 'node:timers/promises'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { FollowedBlock } from '../../../src/node/blocks/block-reader.ts'
import type { CallOptions, NodeClient } from '../../../src/node/index.ts'
import { AgreedReader } from '../../../src/node/view/agreed-reader.ts'
import { Panel } from '../../../src/node/view/panel.ts'
import { ServerLog } from '../../../src/node/view/server-log.ts'
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.ts'
import { honestMajority } from './assignments.ts'
import {
  type BlockSource,
  blockServer,
  blocksFrom,
  blocksOf,
  branchOf,
  failure,
  ordersOf,
  silence,
} from './fake-servers.ts'

const LENGTH = 40
const chain = blocksOf(LENGTH)
const tip = BigInt(LENGTH - 1)
const from = 10n
const parentID = chain[9]!.blockID

function readerOf(sources: readonly BlockSource[], quorum = 2, start: object = { parentID }) {
  const clock = virtualClock()
  /** Server and height of each request. */
  const asked: (readonly [server: number, height: bigint])[] = []
  const servers: NodeClient[] = sources.map((source, i) => {
    const counted: BlockSource = async (height, call) => {
      asked.push([i, height])
      await clock.sleep(1, call.signal)
      return source(height, call)
    }
    return blockServer(counted, clock)
  })
  const log = new ServerLog(servers.length, clock)
  const reader = new AgreedReader(new Panel(servers, quorum, log, clock), { from, ...start })
  const setAside = () =>
    log
      .report(servers.map((_, i) => ({ server: `${i}`, lastAsked: undefined, height: undefined })))
      .flatMap(({ setAside }, i) => (setAside ? [i] : []))
  return { reader, clock, log, asked, setAside }
}

/** Reads until there is no further block. */
async function readAll({ reader }: { reader: AgreedReader }): Promise<FollowedBlock[]> {
  const all: FollowedBlock[] = []
  for (;;) {
    const blocks = await reader.read()
    if (blocks.length === 0) return all
    all.push(...blocks)
  }
}

const honest = blocksFrom(chain)
const behind = (to: number) => blocksFrom(chain.slice(0, to + 1))
const hangs: BlockSource = (_, call) => silence(call)

/** Servers that do not say the truth; each keeps its own state. */
const LIARS: { readonly [name: string]: (clock?: VirtualClock) => BlockSource } = {
  'serves a forged branch': () => blocksFrom(branchOf(chain, 20, 100)),
  'serves a forged next block': () => blocksFrom(branchOf(chain, 9, 100)),
  'serves another chain': () => blocksFrom(blocksOf(LENGTH, 1)),
  'serves blocks without end after the last one': () =>
    blocksFrom(branchOf(chain, LENGTH - 1, 500)),
  'contradicts itself': () => {
    let count = 0
    const branch = branchOf(chain, 12, 100)
    return (height) => (count++ % 2 === 0 ? chain : branch)[Number(height)]
  },
  'has only single blocks': () => {
    let count = 0
    return (height) => (count++ % 2 === 0 ? chain[Number(height)] : undefined)
  },
  'has no block': () => () => undefined,
  'is behind': () => behind(15),
  fails: () => () => {
    throw failure()
  },
  hangs: () => hangs,
  'hangs every other time': () => {
    let count = 0
    return (height, call) => (count++ % 2 === 0 ? chain[Number(height)] : silence(call))
  },
}

describe('AgreedReader', () => {
  for (const [name, liar] of Object.entries(LIARS))
    for (const [n, k] of [
      [3, 2],
      [4, 2],
      [5, 2],
      [5, 3],
    ] as const)
      it(`reads the chain with quorum ${k} if ${k - 1} of ${n} servers: ${name}`, async () => {
        const roles = Array.from({ length: n }, (_, i) => i < k - 1)
        const orders = n < 5 ? ordersOf(roles) : [roles, [...roles].reverse()]
        for (const order of orders) {
          const at = readerOf(
            order.map((isLiar) => (isLiar ? liar() : honest)),
            k,
          )
          expect(await readAll(at)).toEqual(chain.slice(Number(from)))
          expect(at.reader.next).toBe(tip + 1n)
          expect(at.reader.parentID).toEqual(chain.at(-1)!.blockID)
          for (const server of at.setAside()) expect(order[server]).toBe(true)
          expect(at.clock.slept()).toBeLessThan(30_000)
        }
      })

  const liarNames = fc.array(fc.constantFrom(...Object.keys(LIARS)))
  const tips = fc.array(fc.integer({ min: 9, max: LENGTH - 1 }))
  test.prop([honestMajority(2), liarNames, tips], { numRuns: 40 })(
    'reads as much of the chain as the quorum of honest servers has, and nothing else',
    async ({ isLiar, quorum }, names, given) => {
      const heights = isLiar.map((_, i) => given[i] ?? LENGTH - 1)
      const sources = isLiar.map((liar, i) =>
        liar ? LIARS[names[i] ?? 'serves a forged branch']!() : behind(heights[i]!),
      )
      const read = await readAll(readerOf(sources, quorum))
      const sorted = heights.filter((_, i) => !isLiar[i]).sort((a, b) => b - a)
      expect(read).toEqual(chain.slice(10, 10 + read.length))
      expect(read.length).toBeGreaterThanOrEqual(sorted[quorum - 1]! - 9)
      expect(read.length).toBeLessThanOrEqual(sorted[0]! - 9)
    },
  )

  it('asks for each block as often as the quorum requires', async () => {
    const at = readerOf([honest, honest, honest, honest, honest], 2)
    await readAll(at)
    const counts = chain
      .slice(10)
      .map(({ block }) => at.asked.filter(([, height]) => height === block.height).length)
    expect(new Set(counts)).toEqual(new Set([2]))
  })

  it('finds further blocks of others if the preferred servers are behind, and then prefers those', async () => {
    for (const order of ordersOf([behind(15), behind(12), honest, honest])) {
      const at = readerOf(order)
      expect(await readAll(at)).toEqual(chain.slice(10))
      expect(
        at.log
          .order()
          .slice(0, 2)
          .map((i) => order[i]),
      ).toEqual([honest, honest])
      expect(at.setAside()).toEqual([])
    }
  })

  it('asks all servers for a block after the last one, and again after a while', async () => {
    const at = readerOf([honest, honest, honest, honest, honest])
    await readAll(at)
    const counts: number[] = []
    for (const ms of [0, 4_000, 4_000, 0]) {
      at.clock.advance(ms)
      const before = at.asked.length
      expect(await at.reader.read()).toEqual([])
      counts.push(at.asked.length - before)
    }
    expect(counts).toEqual([2, 2, 5, 2])
  })

  it('waits for a slow honest server if a liar disputes the next block', async () => {
    let isSlow = false
    const slow: BlockSource = async (height, call) => {
      if (isSlow) await at.clock.sleep(6_000, call.signal)
      return honest(height, call)
    }
    const at = readerOf([LIARS['serves a forged next block']!(), honest, slow])
    isSlow = true
    expect((await at.reader.read())[0]).toEqual(chain[10])
  })

  it('waits for a slow honest server in the end, although others are behind', async () => {
    const slow: BlockSource = async (height, call) => {
      await at.clock.sleep(6_000, call.signal)
      return honest(height, call)
    }
    const at = readerOf([behind(9), honest, slow])
    const reads: number[] = []
    for (let i = 0; i < 5; i++) reads.push((await at.reader.read()).length)
    expect(reads.slice(0, 3)).toEqual([0, 0, 0])
    expect(reads).toContain(1)
  })

  it('learns how slow an honest server is, although another denies that there are blocks', async () => {
    let last = from
    const slow: BlockSource = async (height, call) => {
      await at.clock.sleep(9_000, call.signal)
      return height <= last ? honest(height, call) : undefined
    }
    const fast: BlockSource = (height, call) => (height <= last ? honest(height, call) : undefined)
    const at = readerOf([behind(9), fast, slow])
    const times: number[] = []
    for (let blocks = 0; blocks < 4; last++) {
      const before = at.clock.slept()
      let read: readonly FollowedBlock[] = []
      for (let reads = 0; read.length === 0 && reads < 10; reads++) read = await at.reader.read()
      expect(read).not.toHaveLength(0)
      times.push(Math.round((at.clock.slept() - before) / 1_000))
      // There is none yet.
      expect(await at.reader.read()).toEqual([])
      blocks += read.length
    }
    // 1 + 2 + 4 + 8 seconds in vain for the first one.
    expect(times).toEqual([24, 9, 9, 9])
  })

  it('does not wait long for a server that hangs while another is behind', async () => {
    for (const order of ordersOf([behind(9), honest, hangs])) {
      const at = readerOf(order)
      expect(await at.reader.read()).toEqual([])
      expect(at.clock.slept()).toBeLessThan(2_500)
    }
  })

  it('begins without a parent with what enough servers show', async () => {
    const at = readerOf([LIARS['serves another chain']!(), honest, honest], 2, {})
    expect(await readAll(at)).toEqual(chain.slice(10))
  })

  it('asks servers for at most as many blocks as the limit', async () => {
    const at = readerOf([honest, honest])
    for (let i = 0; i < 5; i++) expect(await at.reader.read({ limit: 1 })).toHaveLength(1)
  })

  it('keeps what servers show until others show it, too', async () => {
    let last = 9
    const at = readerOf([honest, (height) => (height > last ? undefined : chain[Number(height)])])
    expect(await at.reader.read()).toEqual([])
    const before = at.asked.filter(([server]) => server === 0).length
    last = 10
    expect(await at.reader.read()).toEqual([chain[10]])
    expect(at.asked.filter(([server]) => server === 0)).toHaveLength(before)
  })

  it('asks for no block again that a server has shown ahead of others', async () => {
    let last = 25
    const at = readerOf([honest, (height) => (height > last ? undefined : chain[Number(height)])])
    expect(await readAll(at)).toHaveLength(16)
    last = LENGTH
    expect(await readAll(at)).toHaveLength(LENGTH - 26)
    const heights = at.asked.flatMap(([server, height]) => (server === 0 ? [height] : []))
    const known = heights.filter((height) => height <= tip)
    expect(known).toHaveLength(new Set(known).size)
  })

  it('uses a server again that had forged blocks', async () => {
    let isForged = true
    let isDown = false
    const branch = branchOf(chain, 15, 100)
    const at = readerOf([
      (height) => (isForged ? branch : chain)[Number(height)],
      honest,
      (height) => {
        if (isDown) throw failure()
        return chain[Number(height)]
      },
    ])
    while (!at.setAside().includes(0)) await at.reader.read()
    isForged = false
    isDown = true
    expect((await readAll(at)).at(-1)).toEqual(chain.at(-1))
  })

  describe('asks a server again whose block is disputed', () => {
    /** `source` shows a foreign block after the last one of the chain until the chain has grown. */
    const growing = () => {
      let isLonger = false
      const wrong = branchOf(chain, 9, 1)
      const source: BlockSource = (height) => (isLonger ? chain : wrong)[Number(height)]
      const honest: BlockSource = (height) =>
        (isLonger ? chain : chain.slice(0, 10))[Number(height)]
      const grow = () => {
        isLonger = true
      }
      return { source, honest, grow }
    }
    const forged = blocksFrom(branchOf(chain, 9, 100, 0x66))
    const others: { readonly [name: string]: BlockSource } = {
      'shows another one': forged,
      'has none': behind(9),
      fails: LIARS.fails!(),
      hangs,
      'serves another chain': blocksFrom(blocksOf(LENGTH, 1)),
    }
    for (const [name, liar] of Object.entries(others))
      it(`in the same read, if a third server ${name}`, async () => {
        for (const order of ordersOf(['once wrong', 'honest', 'liar'] as const)) {
          const { source, honest, grow } = growing()
          const servers = { 'once wrong': source, honest, liar }
          const at = readerOf(order.map((role) => servers[role]))
          await at.reader.read().catch(() => {})
          grow()
          // Before, not all servers need to be asked.
          at.clock.advance(5_000)
          expect(await readAll(at)).toEqual(chain.slice(10))
          expect(at.clock.slept()).toBeLessThan(10_000)
        }
        // A request to the server that hangs would end after 10 s of real time.
      }, 8_000)

    it('only if the others do not decide', async () => {
      const { honest, grow } = growing()
      const at = readerOf([honest, forged, honest])
      expect(await at.reader.read()).toEqual([])
      grow()
      const before = at.asked.length
      expect(await at.reader.read({ limit: 1 })).toEqual([chain[10]])
      expect(at.asked.slice(before).map(([server]) => server)).toEqual([0, 2])
    })

    it('and does not count blocks that contradict blocks agreed without it', async () => {
      let shown: BlockSource[] = [
        blocksFrom(branchOf(chain, 9, 3)),
        behind(9),
        behind(9),
        behind(9),
      ]
      const at = readerOf(
        [0, 1, 2, 3].map(
          (i) =>
            (...request) =>
              shown[i]!(...request),
        ),
      )
      expect(await at.reader.read()).toEqual([])
      at.log.demote(0)
      at.log.demote(3)
      at.clock.advance(5_000)
      shown = [honest, behind(10), behind(10), behind(9)]
      expect(await at.reader.read()).toEqual([chain[10]])
      shown = [honest, honest, LIARS.fails!(), blocksFrom(blocksOf(LENGTH, 1))]
      expect(await readAll(at)).toEqual(chain.slice(11))
    })

    it('after every read, as long as the others do not decide', async () => {
      const at = readerOf([honest, forged, behind(9)])
      for (let i = 1; i <= 3; i++) {
        expect(await at.reader.read()).toEqual([])
        expect(at.asked.filter(([server]) => server === 0)).toHaveLength(i)
      }
    })
  })

  /** What a server that will be honest shows before, and a liar for ever; another one for each server. */
  const PASTS: { readonly [name: string]: (server: number) => BlockSource } = {
    honest: () => honest,
    'a branch from the start': (server) => blocksFrom(branchOf(chain, 9, 20, 0x10 + server)),
    'a branch from a later block': (server) => blocksFrom(branchOf(chain, 14, 20, 0x10 + server)),
    'another chain': (server) => blocksFrom(blocksOf(LENGTH, 1 + server)),
    'one foreign block': (server) => blocksFrom(branchOf(chain, 10, 1, 0x10 + server)),
    'no block': () => () => undefined,
    'a shorter chain': () => behind(12),
    failures: () => LIARS.fails!(),
    'different blocks each time': (server) => {
      let count = 0
      return (height) => branchOf(chain, 9 + (count++ % 4), 20, 0x10 + server)[Number(height)]
    },
  }
  const roles = fc.array(fc.constantFrom(...Object.keys(PASTS)), { minLength: 8, maxLength: 8 })
  const pasts = fc.array(roles, { maxLength: 5 })
  const start = fc.constantFrom({ parentID }, {})
  test.prop([honestMajority(2), pasts, roles, start], { numRuns: 500 })(
    'goes on as soon as the quorum is honest, whatever servers have shown before',
    async ({ isLiar, quorum }, pasts, lies, start) => {
      let shown = [honest]
      const sources = isLiar.map(
        (_, i): BlockSource =>
          (...request) =>
            shown[i]!(...request),
      )
      const at = readerOf(sources, quorum, start)
      const read: FollowedBlock[] = []
      for (const names of pasts) {
        shown = names.map((name, i) => PASTS[name]!(i))
        read.push(...(await at.reader.read().catch(() => [])))
      }
      shown = isLiar.map((liar, i) => (liar ? PASTS[lies[i]!]!(i) : honest))
      at.clock.advance(5_000)
      expect([...read, ...(await readAll(at))]).toEqual(chain.slice(10))
    },
  )

  it('throws a BlockError once servers that had shown another chain show the right one', async () => {
    const other = blocksOf(LENGTH, 1)
    let shown = other.slice(0, 15)
    const source: BlockSource = (height) => shown[Number(height)]
    const at = readerOf([source, source, source], 2, { parentID: other[9]!.blockID })
    await readAll(at)
    shown = chain
    // The readers of single servers refuse the first block, and are replaced.
    await at.reader.read().catch(() => {})
    await expect(at.reader.read()).rejects.toMatchObject({ code: 'BLOCK_PARENT_MISMATCH' })
  })

  it('tells which block a server contradicts', async () => {
    const at = readerOf([LIARS['serves a forged next block']!(), honest, honest])
    await at.reader.read()
    expect(at.setAside()).toEqual([0])
  })

  describe('throws', () => {
    it('a BlockError if enough servers do not follow the last block', async () => {
      const other = blocksFrom(blocksOf(LENGTH, 1))
      const at = readerOf([other, other, honest])
      await expect(at.reader.read()).rejects.toMatchObject({
        code: 'BLOCK_PARENT_MISMATCH',
        height: 10n,
        expected: parentID,
      })
      expect(at.reader.next).toBe(10n)
    })

    it('no BlockError if fewer do and the others have no further block', async () => {
      const none = behind(9)
      for (const order of ordersOf([blocksFrom(blocksOf(LENGTH, 1)), none, none]))
        expect(await readerOf(order).reader.read()).toEqual([])
    })

    it('a QuorumError if servers show different blocks', async () => {
      const at = readerOf([honest, LIARS['serves a forged next block']!()])
      await expect(at.reader.read()).rejects.toMatchObject({ code: 'NO_QUORUM', agreeing: 1 })
    })

    it('a QuorumError with the cause if too few answer', async () => {
      const at = readerOf([honest, LIARS.fails!(), LIARS.fails!()])
      await expect(at.reader.read()).rejects.toMatchObject({
        code: 'NO_QUORUM',
        retryable: true,
        cause: expect.objectContaining({ code: 'RPC_ERROR' }),
      })
    })

    it('no QuorumError while a slow server is left beside one of another chain', async () => {
      for (const order of ordersOf([0, 1, 2])) {
        const slow: BlockSource = async (_, call) => {
          await at.clock.sleep(9_000, call.signal)
          return undefined
        }
        const all = [blocksFrom(blocksOf(LENGTH, 1)), behind(9), slow]
        const at = readerOf(order.map((i) => all[i]!))
        expect(await at.reader.read()).toEqual([])
      }
    })

    it('nothing if servers that are behind or fail may decide later', async () => {
      const forged = LIARS['serves a forged next block']!()
      expect(await readerOf([honest, forged, behind(9)]).reader.read()).toEqual([])
      expect(await readerOf([honest, forged, LIARS.fails!()]).reader.read()).toEqual([])
    })

    it('an AbortError when the caller aborts, and continues afterwards', async () => {
      let isHanging = true
      const maybe: BlockSource = (height, call: CallOptions) =>
        isHanging ? silence(call) : chain[Number(height)]
      const at = readerOf([maybe, maybe, maybe])
      const caller = new AbortController()
      const reading = at.reader.read({ signal: caller.signal })
      await nextTurn()
      caller.abort('enough')
      await expect(reading).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
      isHanging = false
      expect(await readAll(at)).toEqual(chain.slice(10))
    })
  })
})
