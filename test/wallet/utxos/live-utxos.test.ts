import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { createNodeClient, type FollowedBlock } from '../../../src/node/index.ts'
import { ChainView } from '../../../src/node/view/view.ts'
import { fixedAddresses } from '../../../src/wallet/accounts/own-addresses.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { LiveUTXOs } from '../../../src/wallet/utxos/live-utxos.ts'
import { runs } from '../../helpers/runs.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { type Call, intercepted, resultFor } from '../requests.ts'
import { addressOf, balanceOf, direct, fee, now, people, scene, utxosOf } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]

/** A set over a node; `serve` may send a request to another one. */
function liveOver(
  serve: (call: Call) => DevNode,
  searchFrom: () => bigint | undefined = () => undefined,
  url: string | readonly string[] = 'http://node.test',
) {
  const clock = virtualClock()
  const asked: string[] = []
  const client = createNodeClient({
    url,
    clock,
    fetch: async (server, init) =>
      intercepted(
        (to, request) => serving.fetch(to, request),
        (call, next) => {
          asked.push(call.method)
          serving = serve(call)
          return next()
        },
      )(server, init),
  })
  let serving: DevNode
  const blocks: FollowedBlock[] = []
  const hooks: { onBlock?: (height: bigint) => void } = {}
  const live = new LiveUTXOs({
    client,
    chain: new ChainView({ client, clock, quorum: 1 }),
    clock,
    own: fixedAddresses(me.addresses),
    onReset: () => {},
    onCaughtUp: async () => {},
    onSpend: () => {},
    searchFrom,
    onBlock: async (block) => {
      blocks.push(block)
      hooks.onBlock?.(block.block.height)
    },
  })
  return { live, blocks, asked, clock, client, hooks }
}

const names = (ids: readonly UTXOID[]) => ids.map(utxoKey).sort()
const known = (live: LiveUTXOs) => names(live.set.ofType('secp256k1fx.TransferOutput'))
const listed = async (node: DevNode) => names(await utxosOf(node, me))

async function copyOf(node: DevNode): Promise<DevNode> {
  const copy = await createDevNode({ now })
  copy.restore(node.snapshot())
  return copy
}

/** Spends some UTXO of `me` and creates another one, in one block. */
async function move(node: DevNode): Promise<void> {
  const clock = virtualClock()
  const wallet = createWallet({ client: direct(node), keys: me, clock })
  await wallet.transfer({ to: addressOf(you), amount: 1n })
}

describe('LiveUTXOs', () => {
  it('walks once, then follows blocks', async () => {
    const node = await createDevNode({ now })
    node.fund(addressOf(me), 9n * fee)
    const { live, asked } = liveOver(() => node)
    expect(live.nextHeight).toBeUndefined()
    await live.sync()
    expect(known(live)).toEqual(await listed(node))
    for (let i = 0; i < 5; i++) {
      await move(node)
      node.fund(addressOf(me), 9n * fee)
      await live.sync()
      expect(known(live)).toEqual(await listed(node))
    }
    expect(asked.filter((method) => method === 'avm.getUTXOs')).toHaveLength(1)
    expect(live.nextHeight).toBe((await direct(node).avm.getHeight({})) + 1n)
    expect(live.set.size()).toBe((await listed(node)).length)
  })

  for (const lag of [1, 3, 7])
    it(`is complete if the walk was answered by a server that was ${lag} blocks behind`, async () => {
      const node = await createDevNode({ now })
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 9n * fee)
      const behind = await copyOf(node)
      // Within the lag UTXOs are created, and spent: old ones and new ones.
      for (let i = 0; i < lag; i++) await move(node)
      const { live } = liveOver(({ method }) => (method === 'avm.getUTXOs' ? behind : node))
      await live.sync()
      expect(known(live)).toEqual(await listed(node))
    })

  it.each([
    ['after a minute', 61_000],
    ['after the clock was set back', -61_000],
  ])('is corrected %s if the walk was answered by a server that was far behind', async (_, ms) => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 9n * fee)
    const behind = await copyOf(node)
    await move(node)
    // More blocks than are read again after the walk.
    for (let i = 0; i < 12; i++) node.fund(addressOf(you), 1n)
    let isLagging = true
    const { live, asked, clock } = liveOver(({ method }) =>
      method === 'avm.getUTXOs' && isLagging ? behind : node,
    )
    await live.sync()
    expect(known(live)).toEqual(await listed(behind))
    isLagging = false
    clock.advance(ms)
    await live.sync()
    expect(known(live)).toEqual(await listed(node))
    // The second walk was one page, and differed; the third one replaced the set.
    const walks = () => asked.filter((method) => method === 'avm.getUTXOs').length
    expect(walks()).toBe(3)
    clock.advance(30_000)
    await live.sync()
    expect(walks()).toBe(3)
  })

  it('is compared with another walk once a minute', async () => {
    const node = await createDevNode({ now })
    node.fund(addressOf(me), 9n * fee)
    const { live, asked, clock } = liveOver(() => node)
    const walksAfter = async (ms: number) => {
      clock.advance(ms)
      await live.sync()
      return asked.filter((method) => method === 'avm.getUTXOs').length
    }
    expect(await walksAfter(0)).toBe(1)
    expect(await walksAfter(60_001)).toBe(2)
    expect(await walksAfter(30_000)).toBe(2)
    expect(await walksAfter(30_001)).toBe(3)
  })

  it('is complete if the walk was answered by a server that was ahead', async () => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 9n * fee)
    const behind = await copyOf(node)
    for (let i = 0; i < 4; i++) await move(node)
    let hasCaughtUp = false
    const { live } = liveOver(({ method }) =>
      method === 'avm.getUTXOs' || hasCaughtUp ? node : behind,
    )
    await live.sync()
    hasCaughtUp = true
    await live.sync()
    expect(known(live)).toEqual(await listed(node))
  })

  test.prop(
    [
      fc.array(fc.constantFrom('move', 'fund'), { minLength: 1, maxLength: 9 }),
      fc.nat(8),
      fc.nat(8),
      fc.nat(8),
    ],
    runs(12),
  )('ends up the same whichever servers answered', async (steps, heightAt, walkAt, blocksAt) => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 9n * fee)
    const states = [await copyOf(node)]
    for (const step of steps.slice(0, 7)) {
      if (step === 'move') await move(node)
      else node.fund(addressOf(me), 9n * fee)
      states.push(await copyOf(node))
    }
    const at = (index: number) => states[Math.min(index, states.length - 1)]!
    let isOver = false
    const { live } = liveOver(({ method }) => {
      if (isOver) return node
      if (method === 'avm.getHeight') return at(heightAt)
      return method === 'avm.getUTXOs' ? at(walkAt) : at(blocksAt)
    })
    await live.sync()
    isOver = true
    await live.sync()
    expect(known(live)).toEqual(await listed(node))
    await Promise.all(states.map((state) => state.close()))
  })

  it('starts at the height from which a pending attempt may be decided', async () => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 30; i++) node.fund(addressOf(me), 1n)
    const late = liveOver(() => node)
    await late.live.sync()
    expect(late.blocks[0]!.block.height).toBe(23n)
    const early = liveOver(
      () => node,
      () => 5n,
    )
    await early.live.sync()
    expect(early.blocks[0]!.block.height).toBe(5n)
    expect(known(early.live)).toEqual(known(late.live))
  })

  it('reads blocks again after rewind, with the same result', async () => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 9n * fee)
    for (let i = 0; i < 3; i++) await move(node)
    const { live, blocks } = liveOver(() => node)
    await live.sync()
    const before = known(live)
    const seen = blocks.length
    live.rewind(2n)
    await live.sync()
    expect(blocks[seen]!.block.height).toBe(2n)
    expect(known(live)).toEqual(before)
    live.rewind(1_000n)
    await live.sync()
    expect(blocks).toHaveLength(seen + 5)
  })

  it('starts at the height of an attempt that becomes known during the walk', async () => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 30; i++) node.fund(addressOf(me), 1n)
    let searchFrom: bigint | undefined
    const { live, blocks } = liveOver(
      ({ method }) => {
        if (method === 'avm.getBlockByHeight') searchFrom = 5n
        return node
      },
      () => searchFrom,
    )
    await live.sync()
    expect(blocks[0]!.block.height).toBe(5n)
  })

  it('requests the first block again from a server that is behind', async () => {
    const behind = await createDevNode({ now })
    const node = await copyOf(behind)
    for (let i = 0; i < 12; i++) node.fund(addressOf(me), 9n * fee)
    const { live, clock } = liveOver(({ method }) =>
      method === 'avm.getBlockByHeight' && clock.now() < caughtUpAt ? behind : node,
    )
    const caughtUpAt = clock.now() + 500
    await live.sync()
    expect(known(live)).toEqual(await listed(node))
    expect(clock.now()).toBeGreaterThanOrEqual(caughtUpAt)
  })

  it('asks every server for the next block, because they may be at different heights', async () => {
    const node = await createDevNode({ now })
    node.fund(addressOf(me), 9n * fee)
    const behind = await copyOf(node)
    const { live } = liveOver(({ host }) => (host === 'ahead.test' ? node : behind), undefined, [
      'http://behind.test',
      'http://ahead.test',
    ])
    await live.sync()
    // Readings begin with different servers.
    for (let i = 0; i < 3; i++) {
      node.fund(addressOf(me), 9n * fee)
      await live.sync()
      expect(known(live)).toEqual(await listed(node))
    }
  })

  it('reads from every server again when it walks again, after one alone was read', async () => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 9n * fee)
    const behind = await copyOf(node)
    const urls = ['http://ahead.test', 'http://behind.test']
    const serve = ({ host }: Call) => (host === 'ahead.test' ? node : behind)
    const { live, hooks } = liveOver(serve, undefined, urls)
    const controller = new AbortController()
    // No call waits any longer for the blocks of the first server: there may be no end of them.
    hooks.onBlock = () => controller.abort()
    await expect(live.sync({ signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    })
    await move(node)
    await live.sync()
    expect(known(live)).not.toEqual(await listed(node))
    live.walkAgain()
    await live.sync()
    expect(known(live)).toEqual(await listed(node))
  })

  it('begins again with a walk if the height before the walk was that of another chain', async () => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 9n * fee)
    const behind = await copyOf(node)
    for (let i = 0; i < 4; i++) await move(node)
    const foreign = await createDevNode({ now })
    for (let i = 0; i < 12; i++) foreign.fund(addressOf(you), 1n)
    let isFirst = true
    const { live, clock } = liveOver(({ method }) => {
      if (isFirst && method === 'avm.getHeight') return foreign
      return isFirst && method === 'avm.getUTXOs' ? behind : node
    })
    await live.sync()
    isFirst = false
    // The walk lacks block 4, and blocks were read from 5 on.
    expect(known(live)).not.toEqual(await listed(node))
    await clock.sleep(16_000)
    await live.sync()
    expect(known(live)).toEqual(await listed(node))
  })

  it('begins again with a walk if the blocks read after rewind are of another chain', async () => {
    const old = await createDevNode({ now })
    for (let i = 0; i < 3; i++) old.fund(addressOf(me), 9n * fee)
    const fresh = await createDevNode({ now })
    for (let i = 0; i < 5; i++) fresh.fund(addressOf(me), 2n * fee)
    let node = old
    const { live } = liveOver(() => node)
    await live.sync()
    node = fresh
    live.rewind(3n)
    await live.sync()
    expect(known(live)).toEqual(await listed(fresh))
  })

  it('has applied no more than the blocks of a lower chain that are read after rewind', async () => {
    const low = await createDevNode({ now })
    for (let i = 0; i < 3; i++) low.fund(addressOf(me), 9n * fee)
    const high = await copyOf(low)
    for (let i = 0; i < 2; i++) high.fund(addressOf(you), 1n)
    let node = high
    const { live } = liveOver(() => node)
    await live.sync()
    expect(live.nextHeight).toBe(6n)
    node = low
    live.rewind(2n)
    expect(live.nextHeight).toBe(2n)
    await live.sync()
    expect(live.nextHeight).toBe(4n)
  })

  it('has applied no more than these if a block makes it rewind, whatever was read with that one', async () => {
    const low = await createDevNode({ now })
    for (let i = 0; i < 3; i++) low.fund(addressOf(me), 9n * fee)
    const high = await copyOf(low)
    for (let i = 0; i < 20; i++) high.fund(addressOf(you), 1n)
    let node = low
    const { live, blocks, hooks } = liveOver(() => node)
    await live.sync()
    node = high
    hooks.onBlock = (height) => {
      if (height < 12n) return
      node = low
      live.rewind(4n)
    }
    await live.sync()
    expect(blocks.at(-1)!.block.height).toBe(12n)
    expect(live.nextHeight).toBe(4n)
  })

  it('begins again with a walk after the node was reset', async () => {
    const old = await createDevNode({ now })
    for (let i = 0; i < 3; i++) old.fund(addressOf(me), 9n * fee)
    const fresh = await createDevNode({ now })
    for (let i = 0; i < 9; i++) fresh.fund(addressOf(me), 2n * fee)
    let node = old
    const { live } = liveOver(() => node)
    await live.sync()
    node = fresh
    await live.sync()
    expect(known(live)).toEqual(await listed(fresh))
  })

  it('uses the height of another server if the first one reports too large a height', async () => {
    const { node, wallet } = await scene({
      url: ['http://a.test', 'http://b.test'],
      intercept: (call, next) =>
        call.host === 'a.test' && call.method === 'avm.getHeight'
          ? resultFor(call, { height: '1000000000' })
          : next(),
    })
    node.fund(addressOf(me), 9n * fee)
    await wallet().transfer({ to: addressOf(you), amount: 5n })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('stays as it is when servers fail, and continues later', async () => {
    const node = await createDevNode({ now })
    node.fund(addressOf(me), 9n * fee)
    let isDown = false
    const { live } = liveOver((call) => {
      if (isDown && call.method === 'avm.getBlockByHeight') throw new TypeError('fetch failed')
      return node
    })
    await live.sync()
    const before = known(live)
    await move(node)
    isDown = true
    await expect(live.sync()).rejects.toMatchObject({ code: 'HTTP_UNREACHABLE' })
    expect(known(live)).toEqual(before)
    isDown = false
    await live.sync()
    expect(known(live)).toEqual(await listed(node))
  })

  it('shares one poll between calls that come while another one runs', async () => {
    const node = await createDevNode({ now })
    node.fund(addressOf(me), 9n * fee)
    const { live, asked } = liveOver(() => node)
    await live.sync()
    asked.length = 0
    await Promise.all(Array.from({ length: 20 }, () => live.sync()))
    expect(asked).toHaveLength(2)
    await live.sync({}, 1_000)
    expect(asked).toHaveLength(2)
  })
})

describe('after the clock was set back', () => {
  for (const maxAgeMs of [0, 2_000])
    it(`sync reads blocks, with a maximum age of ${maxAgeMs} ms`, async () => {
      const node = await createDevNode({ now })
      node.fund(addressOf(me), 9n * fee)
      const { live, clock } = liveOver(() => node)
      await live.sync()
      clock.advance(-3_600_000)
      await move(node)
      await live.sync({}, maxAgeMs)
      expect(known(live)).toEqual(await listed(node))
    })

  it('the last block is compared with that of the servers', async () => {
    const old = await createDevNode({ now })
    for (let i = 0; i < 9; i++) old.fund(addressOf(me), 9n * fee)
    const fresh = await createDevNode({ now })
    for (let i = 0; i < 5; i++) fresh.fund(addressOf(me), 2n * fee)
    let node = old
    const { live, clock } = liveOver(() => node)
    await live.sync()
    node = fresh
    clock.advance(-3_600_000)
    await live.sync()
    expect(known(live)).toEqual(await listed(fresh))
  })
})

describe('compare', () => {
  it('lists nothing if the set is what the node lists', async () => {
    const node = await createDevNode({ now })
    node.fund(addressOf(me), 9n * fee)
    const { live } = liveOver(() => node)
    await live.sync()
    await move(node)
    expect(await live.compare({})).toEqual({ missing: [], extra: [] })
  })

  it('lists what only one of them has', async () => {
    const node = await createDevNode({ now })
    node.fund(addressOf(me), 9n * fee)
    // More blocks than are read again after the walk.
    for (let i = 0; i < 12; i++) node.fund(addressOf(you), 1n)
    const empty = await createDevNode({ now })
    let lists = empty
    const { live } = liveOver(({ method }) => (method === 'avm.getUTXOs' ? lists : node))
    await live.sync()
    lists = node
    const { missing, extra } = await live.compare({})
    expect([names(missing), extra]).toEqual([await listed(node), []])
    const other = liveOver(({ method }) => (method === 'avm.getUTXOs' ? lists : node))
    await other.live.sync()
    lists = empty
    const differences = await other.live.compare({})
    expect([differences.missing, names(differences.extra)]).toEqual([[], await listed(node)])
  })
})

describe('reservations', () => {
  const reserved = { code: 'UTXO_RESERVED' }

  async function filled(count = 3) {
    const node = await createDevNode({ now })
    for (let i = 0; i < count; i++) node.fund(addressOf(me), 9n * fee)
    const { live } = liveOver(() => node)
    await live.sync()
    const ids = live.set.ofType('secp256k1fx.TransferOutput')
    const isReserved = () => ids.map((id) => live.set.isReserved(id, 0n))
    return { node, live, ids, isReserved }
  }

  it('are all or none, and one holder at a time', async () => {
    const { live, ids, isReserved } = await filled()
    const [one, other] = [{}, {}]
    live.reservations.reserve(ids.slice(0, 1), one)
    expect(() => live.reservations.reserve(ids, other)).toThrow(expect.objectContaining(reserved))
    expect(isReserved()).toEqual([true, false, false])
    live.reservations.reserve(ids, one)
    expect(isReserved()).toEqual([true, true, true])
    live.reservations.release(ids, other)
    expect(isReserved()).toEqual([true, true, true])
    live.reservations.release(ids, one)
    expect(isReserved()).toEqual([false, false, false])
    expect(live.reservations.isEmpty).toBe(true)
  })

  it('are refused for UTXOs that are spent', async () => {
    const { node, live, ids } = await filled(1)
    await move(node)
    await live.sync()
    expect(() => live.reservations.reserve(ids, {})).toThrow(expect.objectContaining(reserved))
  })

  it('of a draft become those of its claim', async () => {
    const { live, ids, isReserved } = await filled()
    const draft = {}
    live.reservations.reserve(ids, draft)
    live.reservations.claim(ids)
    live.reservations.releaseAll(draft)
    expect(isReserved()).toEqual([true, true, true])
    live.reservations.unclaim([ids[0]!, ids[2]!])
    expect(isReserved()).toEqual([false, true, false])
    live.reservations.unclaim(ids)
    expect(isReserved()).toEqual([false, false, false])
  })

  it('of a claim are kept by a draft that replaces it and is given up', async () => {
    const { live, ids, isReserved } = await filled()
    const draft = {}
    live.reservations.claim(ids.slice(0, 1))
    expect(() => live.reservations.reserve(ids, draft)).toThrow(expect.objectContaining(reserved))
    live.reservations.reserve(ids, draft, ids.slice(0, 1))
    expect(isReserved()).toEqual([true, true, true])
    live.reservations.releaseAll(draft)
    expect(isReserved()).toEqual([true, false, false])
  })

  it('are suspended while a draft is made that replaces their holder', async () => {
    const { live, ids, isReserved } = await filled()
    live.reservations.claim(ids.slice(0, 2))
    expect(live.reservations.withReleased(ids, isReserved)).toEqual([false, false, false])
    expect(isReserved()).toEqual([true, true, false])
    const failing = () => {
      throw new Error('no')
    }
    expect(() => live.reservations.withReleased(ids, failing)).toThrow('no')
    expect(isReserved()).toEqual([true, true, false])
  })

  it('are gone if they are released during a new walk', async () => {
    const node = await createDevNode({ now })
    for (let i = 0; i < 9; i++) node.fund(addressOf(me), 9n * fee)
    const holder = {}
    let isWalking = false
    const { live } = liveOver(({ method }) => {
      // The first block is asked for after the walk.
      if (isWalking && method === 'avm.getBlockByHeight') live.reservations.release(ids, holder)
      return node
    })
    await live.sync()
    const ids = live.set.ofType('secp256k1fx.TransferOutput')
    live.reservations.reserve(ids, holder)
    isWalking = true
    live.walkAgain()
    await live.sync()
    expect(ids.some((id) => live.set.isReserved(id, 0n))).toBe(false)
  })

  it('hold for UTXOs that become known later, and survive a new walk', async () => {
    const node = await createDevNode({ now })
    node.fund(addressOf(me), 9n * fee)
    const { live } = liveOver(() => node)
    const ids = await utxosOf(node, me)
    live.reservations.claim(ids)
    await live.sync()
    expect(live.set.isReserved(ids[0]!, 0n)).toBe(true)
    const { set: fresh } = await live.walk({}, {})
    expect(fresh.isReserved(ids[0]!, 0n)).toBe(true)
  })

  it('wake those who wait for a change', async () => {
    const { live, ids } = await filled()
    const holder = {}
    live.reservations.reserve(ids, holder)
    let isWoken = false
    const waiting = live.changed().then(() => {
      isWoken = true
    })
    live.reservations.release([], holder)
    await Promise.resolve()
    expect(isWoken).toBe(false)
    live.reservations.release(ids, holder)
    await waiting
    const stop = new AbortController()
    const aborted = live.changed(stop.signal)
    stop.abort()
    await aborted
  })
})
