import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import {
  type BlockReader,
  createNodeClient,
  type FollowedBlock,
  type NodeClient,
} from '../../../src/node/index.ts'
import { fakeClock } from '../fake-clock.ts'
import {
  type BlockServer,
  blockServers,
  checked,
  makeChain,
  type StoredBlock,
  sha256,
} from './block-servers.ts'

const chain = makeChain(100)
const other = makeChain(200, { salt: 1 })

function serve(servers: { readonly [host: string]: BlockServer }) {
  const served = blockServers(servers)
  const clock = fakeClock()
  const client = createNodeClient({ url: served.url, fetch: served.fetch, clock })
  return { ...served, client, clock }
}

/** Reads until a read returns nothing. */
async function readAll(reader: BlockReader): Promise<FollowedBlock[]> {
  const all: FollowedBlock[] = []
  for (;;) {
    const blocks = await reader.read()
    if (blocks.length === 0) return all
    all.push(...blocks)
  }
}

const ids = (blocks: readonly FollowedBlock[]) => blocks.map(({ blockID }) => blockID)
const idsOf = (blocks: readonly StoredBlock[]) => blocks.map(({ id }) => id)

describe('blockReader', () => {
  it('reads every block from a height, once and in order', async () => {
    const { client, asked } = serve({ a: { chain } })
    const reader = client.blockReader({ from: 7n })
    expect([reader.next, reader.parentID]).toEqual([7n, undefined])
    const blocks = await readAll(reader)
    expect(ids(blocks)).toEqual(idsOf(chain.slice(7)))
    expect(blocks.map(({ block }) => block.height)).toEqual(
      chain.slice(7).map((_, i) => BigInt(7 + i)),
    )
    expect([reader.next, reader.parentID]).toEqual([100n, chain[99]!.id])
    expect(asked.filter((line) => Number(line.slice(2)) < 100).length).toBe(93)
  })

  it('requests one block at first, and up to 16 in parallel while blocks keep coming', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    const { client, asked, most } = serve({ a: { chain } })
    const reader = client.blockReader({ from: 0n })
    const sizes: number[] = []
    for (let i = 0; i < 7; i++) sizes.push((await reader.read()).length)
    expect(sizes).toEqual([1, 1, 2, 4, 8, 16, 16])
    expect([asked.length, most()]).toEqual([48, 16])
    // For example a warning about too many listeners on a signal.
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  it('sends one request per read at the tip, also after a block that came alone', async () => {
    const server: BlockServer = { chain, tip: 9 }
    const { client, asked } = serve({ a: server })
    const reader = client.blockReader({ from: 10n, parentID: chain[9]!.id })
    expect(await reader.read()).toEqual([])
    server.tip = 10
    expect(ids(await reader.read())).toEqual([chain[10]!.id])
    expect(await reader.read()).toEqual([])
    expect(asked).toEqual(['a 10', 'a 10', 'a 11'])
  })

  it('returns and requests at most `limit` blocks', async () => {
    const { client, asked } = serve({ a: { chain } })
    const reader = client.blockReader({ from: 0n })
    for (let i = 0; i < 10; i++)
      expect((await reader.read({ limit: 3 })).length).toBeLessThanOrEqual(3)
    expect(asked.length).toBe(Number(reader.next))
    await expect(reader.read({ limit: 0 })).rejects.toMatchObject({ code: 'ENC_INVALID' })
    await expect(reader.read({ limit: 1.5 })).rejects.toMatchObject({ code: 'ENC_INVALID' })
  })

  it('rejects an invalid start or parent', () => {
    const { client } = serve({ a: { chain } })
    const start = (from: unknown, parentID?: unknown) => () =>
      client.blockReader({ from, parentID } as never)
    for (const from of [-1n, 2n ** 64n, 5.5, -1, '5'])
      expect(start(from)).toThrow(expect.objectContaining({ code: 'ENC_INVALID' }))
    expect(start(undefined)).toThrow(expect.objectContaining({ code: 'MISSING_OPTION' }))
    expect(start(0n, new Uint8Array(31))).toThrow(
      expect.objectContaining({ code: 'ENC_WRONG_LENGTH' }),
    )
  })

  it('serializes calls', async () => {
    const { client, asked } = serve({ a: { chain } })
    const reader = client.blockReader({ from: 0n })
    const reads = await Promise.all(Array.from({ length: 8 }, () => reader.read()))
    expect(ids(reads.flat())).toEqual(idsOf(chain.slice(0, Number(reader.next))))
    expect(new Set(asked).size).toBe(asked.length)
  })

  it('reads the blocks of development nodes at different heights', async () => {
    const first = await createDevNode({ blocks: 'manual', now: 1_700_000_000 })
    const second = await createDevNode({ blocks: 'manual', now: 1_700_000_000 })
    const node = createNodeClient({ url: 'http://first', fetch: first.fetch })
    const blocks: Uint8Array[] = []
    for (let i = 1; i <= 12; i++) {
      first.fund(new Uint8Array(20).fill(i), BigInt(i))
      const reply = await first.fetch('http://first/ext/bc/X', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'avm.getBlockByHeight',
          params: { height: String(i), encoding: 'hex' },
        }),
      })
      blocks.push(checkedHex.decode((await reply.json()).result.block))
    }
    expect(await node.avm.getHeight()).toBe(12n)
    const client = createNodeClient({
      url: ['http://second', 'http://first'],
      fetch: (url, init) =>
        (new URL(url).hostname === 'first' ? first : second).fetch(url, init as never),
    })
    const reader = client.blockReader({ from: 1n })
    // The first server asked is at height 0.
    expect(await reader.read()).toEqual([])
    expect(ids(await readAll(reader))).toEqual(blocks.map(sha256))
    await first.close()
    await second.close()
  })
})

describe('blockReader with servers that differ', () => {
  it('starts with another server after one that is behind', async () => {
    const { client, asked } = serve({ a: { chain, tip: 3 }, b: { chain, tip: 5 } })
    const reader = client.blockReader({ from: 5n, parentID: chain[4]!.id })
    expect(await reader.read()).toEqual([])
    expect(ids(await reader.read())).toEqual([chain[5]!.id])
    expect(await reader.read()).toEqual([])
    // Which server other calls prefer is not changed by it.
    await client.avm.getBlockByHeight({ height: 1 })
    expect(await reader.read()).toEqual([])
    expect(asked).toEqual(['a 5', 'b 5', 'b 6', 'a 1', 'a 6'])
  })

  it('reads through a balancer that sends each request to another node', async () => {
    // Every second request reaches a node that has nothing beyond height 3.
    const server: BlockServer = {
      chain,
      behave: (height, count) =>
        count % 2 === 1 && height > 3
          ? Response.json({
              jsonrpc: '2.0',
              id: null,
              error: { code: -32000, message: `couldn't get block at height ${height}: not found` },
            })
          : undefined,
    }
    const { client } = serve({ a: server })
    const reader = client.blockReader({ from: 0n })
    const blocks: FollowedBlock[] = []
    for (let i = 0; i < 500 && reader.next < 100n; i++) blocks.push(...(await reader.read()))
    expect(ids(blocks)).toEqual(idsOf(chain))
  })

  it('skips a failing server, and tries it last for a while', async () => {
    const { client, asked, clock } = serve({
      a: { chain, behave: (_, count) => (count === 0 ? 'lost' : undefined) },
      b: { chain, tip: 5 },
    })
    const reader = client.blockReader({ from: 5n })
    expect(ids(await reader.read())).toEqual([chain[5]!.id])
    expect(await reader.read()).toEqual([])
    expect(await reader.read()).toEqual([])
    expect(asked).toEqual(['a 5', 'b 5', 'b 6', 'b 6'])
    clock.advance(1_000)
    expect(ids(await reader.read())).toEqual([chain[6]!.id])
    expect(asked.at(-1)).toBe('a 6')
  })

  it('tries it last for twice as long after each further failure, for a minute at most', async () => {
    const { client, asked, clock } = serve({
      a: { chain, behave: () => 'lost' },
      b: { chain, tip: 5 },
    })
    const reader = client.blockReader({ from: 5n })
    const isAsked = async () => {
      const before = asked.length
      for (let reads = 0; reads < 2; reads++) await reader.read()
      return asked.slice(before).some((line) => line.startsWith('a'))
    }
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(await isAsked()).toBe(true)
      clock.advance(1_000 * seconds - 1)
      expect(await isAsked()).toBe(false)
      clock.advance(1)
    }
  })

  it('tries it last for no longer if the clock is set back', async () => {
    const { client, asked, clock } = serve({
      a: { chain, behave: (_, count) => (count === 0 ? 'lost' : undefined) },
      b: { chain, tip: 5 },
    })
    const reader = client.blockReader({ from: 5n })
    expect(ids(await reader.read())).toEqual([chain[5]!.id])
    clock.advance(-3_600_000)
    expect(await reader.read()).toEqual([])
    clock.advance(1_000)
    expect(ids(await reader.read())).toEqual([chain[6]!.id])
    expect(asked.at(-1)).toBe('a 6')
  })

  it.each([
    ['a block', 99],
    ['that it has no further block', 5],
  ])('forgets the failures of a server that answers with %s', async (_, tip) => {
    let isLost = true
    const { client, asked, clock } = serve({
      a: { chain, tip, behave: () => (isLost ? 'lost' : undefined) },
      b: { chain, tip: 5 },
    })
    const reader = client.blockReader({ from: 5n })
    /** Reads until this server is asked; returns which one was asked first in the last read. */
    const readFrom = async (host: string) => {
      for (let reads = 0; reads < 3; reads++) {
        const before = asked.length
        await reader.read()
        const hosts = asked.slice(before).map((line) => line[0])
        if (hosts.includes(host)) return hosts[0]
      }
      throw new Error(`${host} is not asked`)
    }
    expect(await readFrom('a')).toBe('a')
    clock.advance(1_000)
    isLost = false
    expect(await readFrom('a')).toBe('a')
    isLost = true
    expect(await readFrom('a')).toBe('a')
    // After two failures in a row it would be tried last for two seconds.
    clock.advance(1_000)
    isLost = false
    expect(await readFrom('a')).toBe('a')
  })

  it('counts parallel failures once', async () => {
    const first: BlockServer = { chain }
    const second: BlockServer = { chain }
    const { client, asked, clock } = serve({ a: first, b: second })
    const reader = client.blockReader({ from: 0n })
    for (let i = 0; i < 5; i++) await reader.read()
    first.behave = () => 'lost'
    expect((await reader.read()).length).toBe(16)
    second.tip = 31
    delete first.behave
    clock.advance(1_000)
    expect(await reader.read()).toEqual([])
    expect(ids(await reader.read())).toEqual([chain[32]!.id])
    expect(asked.slice(-2).map((line) => line[0])).toEqual(['b', 'a'])
  })

  it('throws when every server fails, and continues from there', async () => {
    const { client } = serve({
      a: { chain, behave: (_, count) => (count < 1 ? 'lost' : undefined) },
      b: { chain, behave: (_, count) => (count < 1 ? new Response('', { status: 502 }) : 'lost') },
    })
    const reader = client.blockReader({ from: 5n })
    await expect(reader.read()).rejects.toMatchObject({ code: 'HTTP_UNREACHABLE', retryable: true })
    expect(reader.next).toBe(5n)
    expect(ids(await reader.read())).toEqual([chain[5]!.id])
  })

  it('returns the blocks before a failure, and throws it only when it comes first', async () => {
    const { client } = serve({ a: { chain, behave: (h) => (h === 6 ? 'lost' : undefined) } })
    const reader = client.blockReader({ from: 0n })
    const sizes: number[] = []
    for (let i = 0; i < 4; i++) sizes.push((await reader.read()).length)
    expect(sizes).toEqual([1, 1, 2, 2])
    await expect(reader.read()).rejects.toMatchObject({ code: 'HTTP_UNREACHABLE' })
    expect(reader.next).toBe(6n)
  })
})

describe('blockReader with wrong servers', () => {
  it('reports a block whose parent is not the last block that was read', async () => {
    const server: BlockServer = { chain }
    const { client } = serve({ a: server })
    const reader = client.blockReader({ from: 0n })
    await reader.read()
    // The development node was reset, and has a longer chain by now.
    server.chain = other
    const refused = {
      name: 'BlockError',
      code: 'BLOCK_PARENT_MISMATCH',
      height: 1n,
      expected: chain[0]!.id,
      found: other[0]!.id,
      retryable: false,
    }
    await expect(reader.read()).rejects.toMatchObject(refused)
    await expect(reader.read()).rejects.toMatchObject(refused)
    server.chain = chain
    expect(ids(await reader.read())).toEqual([chain[1]!.id])
  })

  it('reports another network at the first block if the parent is given', async () => {
    const { client } = serve({ a: { chain: other } })
    const reader = client.blockReader({ from: 50n, parentID: chain[49]!.id })
    await expect(reader.read()).rejects.toMatchObject({
      code: 'BLOCK_PARENT_MISMATCH',
      height: 50n,
    })
  })

  it('detects a chain that changes in the middle of a batch', async () => {
    const mixed = [...chain.slice(0, 20), ...other.slice(20)]
    const { client } = serve({ a: { chain: mixed } })
    const reader = client.blockReader({ from: 0n })
    const blocks: FollowedBlock[] = []
    while (reader.next < 20n) blocks.push(...(await reader.read()))
    expect(ids(blocks)).toEqual(idsOf(chain.slice(0, 20)))
    await expect(reader.read()).rejects.toMatchObject({
      code: 'BLOCK_PARENT_MISMATCH',
      height: 20n,
      expected: chain[19]!.id,
      found: other[19]!.id,
    })
  })

  it('takes the next block from any server that has it', async () => {
    const { client, asked } = serve({ a: { chain: other }, b: { chain }, c: { chain } })
    const reader = client.blockReader({ from: 50n, parentID: chain[49]!.id })
    expect(ids(await reader.read())).toEqual([chain[50]!.id])
    expect(ids(await reader.read())).toEqual([chain[51]!.id])
    expect(asked).toEqual(['a 50', 'b 50', 'b 51'])
  })

  it('asks every server after a mismatch, also beyond one that is behind', async () => {
    const { client, asked } = serve({ a: { chain: other }, b: { chain, tip: 9 }, c: { chain } })
    const reader = client.blockReader({ from: 50n, parentID: chain[49]!.id })
    expect(ids(await reader.read())).toEqual([chain[50]!.id])
    expect(asked).toEqual(['a 50', 'b 50', 'c 50'])
  })

  it('waits for a server that is behind when another one belongs to another network', async () => {
    const behind: BlockServer = { chain, tip: 49 }
    const { client } = serve({ a: { chain: other }, b: behind })
    const reader = client.blockReader({ from: 50n, parentID: chain[49]!.id })
    expect(await reader.read()).toEqual([])
    behind.tip = 50
    expect(ids(await reader.read())).toEqual([chain[50]!.id])
  })

  it('throws a temporary failure rather than a mismatch that another server may resolve', async () => {
    const good: BlockServer = { chain, behave: (_, count) => (count === 0 ? 'lost' : undefined) }
    const { client } = serve({ a: { chain: other }, b: good })
    const reader = client.blockReader({ from: 50n, parentID: chain[49]!.id })
    await expect(reader.read()).rejects.toMatchObject({ code: 'HTTP_UNREACHABLE' })
    expect(ids(await reader.read())).toEqual([chain[50]!.id])
    const useless = serve({ a: { chain: other }, b: { chain, behave: () => ({ block: '' }) } })
    await expect(
      useless.client.blockReader({ from: 50n, parentID: chain[49]!.id }).read(),
    ).rejects.toMatchObject({ code: 'BLOCK_PARENT_MISMATCH' })
  })

  it('rejects a block of another height, a damaged one and invalid bytes', async () => {
    const { bytes } = chain[5]!
    const damaged = checked(bytes).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    const cut = bytes.slice(0, -1)
    for (const [block, code] of [
      [checked(chain[6]!.bytes), 'REPLY_MISMATCH'],
      [damaged, 'REPLY_SHAPE'],
      [checked(cut), 'REPLY_SHAPE'],
      ['', 'REPLY_SHAPE'],
      [checked(new Uint8Array(262_145)), 'REPLY_SHAPE'],
    ] as const) {
      const { client } = serve({
        a: { chain, behave: (_, count) => (count === 0 ? { block } : undefined) },
      })
      const reader = client.blockReader({ from: 5n })
      await expect(reader.read()).rejects.toMatchObject({ name: 'ReplyError', code })
      expect(ids(await reader.read())).toEqual([chain[5]!.id])
    }
  })

  it('reads hex without a checksum if a server answers with it', async () => {
    const { bytes, id } = chain[5]!
    const block = `0x${Buffer.from(bytes).toString('hex')}`
    const result = { block, encoding: 'hexnc' }
    const { client } = serve({ a: { chain, behave: () => Response.json({ id: null, result }) } })
    expect(ids(await client.blockReader({ from: 5n }).read())).toEqual([id])
  })
})

describe('blockReader that requests more than it returns', () => {
  const ONE = { limit: 1, ahead: 16 }

  /** Reads one by one up to a height. */
  async function readTo(reader: BlockReader, height: bigint): Promise<FollowedBlock[]> {
    const blocks: FollowedBlock[] = []
    while (reader.next < height) {
      const read = await reader.read(ONE)
      expect(read.length).toBe(1)
      blocks.push(...read)
    }
    return blocks
  }

  it('keeps the others for the next reads, and requests each once', async () => {
    const { client, asked, most } = serve({ a: { chain } })
    const reader = client.blockReader({ from: 0n })
    const blocks = await readTo(reader, 40n)
    expect(ids(blocks)).toEqual(idsOf(chain.slice(0, 40)))
    expect([asked.length, new Set(asked).size, most()]).toEqual([48, 48, 16])
    expect([reader.next, reader.parentID]).toEqual([40n, chain[39]!.id])
    // The rest at once.
    expect(ids(await reader.read())).toEqual(idsOf(chain.slice(40, 48)))
    expect(asked.length).toBe(48)
    await expect(reader.read({ ahead: 0 })).rejects.toMatchObject({ code: 'ENC_INVALID' })
    await expect(reader.read({ ahead: 17.5 })).rejects.toMatchObject({ code: 'ENC_INVALID' })
  })

  it.each([
    ['of another chain', checked(other[20]!.bytes)],
    ['at another height', checked(chain[21]!.bytes)],
    ['that is damaged', checked(chain[20]!.bytes).replace(/.$/, 'x')],
  ])('requests a block %s from another server', async (_, block) => {
    const { client, asked } = serve({
      a: { chain, behave: (height) => (height === 20 ? { block } : undefined) },
      b: { chain },
    })
    const reader = client.blockReader({ from: 0n })
    expect(ids(await readTo(reader, 40n))).toEqual(idsOf(chain.slice(0, 40)))
    expect(asked.filter((line) => line.endsWith(' 20'))).toEqual(['a 20', 'a 20', 'b 20'])
  })

  it('fails at such a block if no other server has the right one', async () => {
    const mixed = [...chain.slice(0, 20), ...other.slice(20)]
    const { client } = serve({ a: { chain: mixed } })
    const reader = client.blockReader({ from: 0n })
    expect(ids(await readTo(reader, 20n))).toEqual(idsOf(chain.slice(0, 20)))
    for (let i = 0; i < 2; i++)
      await expect(reader.read(ONE)).rejects.toMatchObject({
        code: 'BLOCK_PARENT_MISMATCH',
        height: 20n,
      })
    expect([reader.next, reader.parentID]).toEqual([20n, chain[19]!.id])
  })

  it('does not lose a block when a read is aborted', async () => {
    const { client } = serve({ a: { chain } })
    const reader = client.blockReader({ from: 0n })
    const blocks = await readTo(reader, 20n)
    for (let i = 0; i < 3; i++) {
      const controller = new AbortController()
      const read = reader.read({ ...ONE, signal: controller.signal })
      controller.abort()
      await expect(read).rejects.toMatchObject({ name: 'AbortError' })
      blocks.push(...(await reader.read(ONE)))
    }
    expect(ids(blocks)).toEqual(idsOf(chain.slice(0, 23)))
  })
})

describe('blockReader and time', () => {
  const read = (client: NodeClient) => client.blockReader({ from: 5n })

  it('gives up on an unresponsive server when the time is over', async () => {
    const { client } = serve({ a: { chain, behave: () => 'silent' } })
    const reader = read(client)
    const start = process.hrtime.bigint()
    await expect(reader.read({ timeoutMs: 30 })).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
    // Far below the minute for which reads are otherwise retried.
    expect(process.hrtime.bigint() - start).toBeLessThan(10_000_000_000n)
    expect(reader.next).toBe(5n)
  })

  it('leaves time for the other servers', async () => {
    const { client, asked } = serve({ a: { chain, behave: () => 'silent' }, b: { chain } })
    const reader = read(client)
    expect(ids(await reader.read({ timeoutMs: 6_000 }))).toEqual([chain[5]!.id])
    expect(asked).toEqual(['a 5', 'b 5'])
  })

  it('ends when the signal is aborted while catching up, without a gap or repetition afterwards', async () => {
    const controller = new AbortController()
    const { client } = serve({
      a: {
        chain,
        behave: (height) => {
          if (height !== 20 || controller.signal.aborted) return undefined
          controller.abort(new Error('stop'))
          return 'silent'
        },
      },
    })
    const reader = client.blockReader({ from: 0n })
    const blocks: FollowedBlock[] = []
    const { signal } = controller
    const until = async () => {
      for (;;) blocks.push(...(await reader.read({ signal })))
    }
    await expect(until()).rejects.toMatchObject({ code: 'ABORTED' })
    // The last read asked for 16 blocks, of which four came before the signal.
    expect([blocks.length, reader.next]).toEqual([16, 16n])
    await expect(reader.read({ signal })).rejects.toMatchObject({ code: 'ABORTED' })
    blocks.push(...(await readAll(reader)))
    expect(ids(blocks)).toEqual(idsOf(chain))
  })

  it('ends a queued call by its own signal and time, and keeps the order of the others', async () => {
    let answer = () => {}
    const held = new Promise<undefined>((resolve) => {
      answer = () => resolve(undefined)
    })
    const { client, asked } = serve({
      a: { chain, behave: (_, count) => (count === 0 ? held : undefined) },
    })
    const reader = read(client)
    const controller = new AbortController()
    const first = reader.read()
    const aborted = reader.read({ signal: controller.signal })
    const late = reader.read({ timeoutMs: 10 })
    const last = reader.read()
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
    await expect(late).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
    expect(asked).toEqual(['a 5'])
    answer()
    expect(ids(await first)).toEqual([chain[5]!.id])
    expect(ids(await last)).toEqual([chain[6]!.id])
    expect(asked).toEqual(['a 5', 'a 6'])
  })
})
