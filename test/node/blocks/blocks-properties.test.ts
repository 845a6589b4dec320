import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { createNodeClient } from '../../../src/node/index.ts'
import { fakeClock } from '../fake-clock.ts'
import { type Behavior, type BlockServer, blockServers, makeChain } from './block-servers.ts'

const LENGTH = 40
const chain = makeChain(LENGTH)
const other = makeChain(2 * LENGTH, { salt: 1 })

/** How a server treats one of its first requests; after these it is reliable. */
const fault = fc.constantFrom(
  'none',
  'none',
  'lost',
  'status',
  'not JSON',
  'behind',
  'unavailable',
  'silent',
)

const anyServer = fc.record({
  /** Height of its last block at first. */
  tip: fc.integer({ min: 0, max: LENGTH - 1 }),
  /** Number of requests after which it has one block more. */
  pace: fc.integer({ min: 1, max: 8 }),
  faults: fc.array(fault, { maxLength: 40 }),
})

type AnyServer = { tip: number; pace: number; faults: readonly string[] }

function serverOf({ tip, pace, faults }: AnyServer): BlockServer {
  const server: BlockServer = {
    chain,
    tip,
    behave: (height, count): Behavior => {
      server.tip = Math.min(LENGTH - 1, tip + Math.floor(count / pace))
      switch (faults[count]) {
        case 'lost':
          return 'lost'
        case 'silent':
          // At most once, because each silence takes real time.
          return count === 0 ? 'silent' : undefined
        case 'status':
          return new Response('<html>', { status: 502 })
        case 'not JSON':
          return new Response('{"jsonrpc":"2.0","resu')
        case 'unavailable':
          return new Response('', { status: 429, headers: { 'retry-after': '2' } })
        case 'behind':
          return Response.json({
            jsonrpc: '2.0',
            id: null,
            error: { code: -32000, message: `couldn't get block at height ${height}: not found` },
          })
        default:
          return undefined
      }
    },
  }
  return server
}

describe('blocks', () => {
  test.prop([
    fc.array(anyServer, { minLength: 1, maxLength: 3 }),
    fc.boolean(),
    fc.integer({ min: 1, max: LENGTH - 1 }),
    fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 5 }),
  ])(
    'yields exactly the blocks of the chain, each once, whatever servers do and however often it is stopped',
    async (servers, withOther, from, stops) => {
      const served = blockServers({
        // A server of another network, which is asked first.
        ...(withOther ? { other: { chain: other } } : {}),
        ...Object.fromEntries(servers.map((server, i) => [`s${i}`, serverOf(server)])),
      })
      const client = createNodeClient({
        url: served.url,
        fetch: served.fetch,
        clock: fakeClock(),
        timeoutMs: 30,
      })
      const seen: Uint8Array[] = []
      const next = () => from + seen.length
      for (const stop of [...stops, LENGTH]) {
        const controller = new AbortController()
        const { signal } = controller
        const parentID = chain[next() - 1]!.id
        let count = 0
        for await (const { blockID } of client.blocks({ from: next(), parentID, signal })) {
          seen.push(blockID)
          if (next() === LENGTH) break
          // Aborts while the next block is read.
          if (++count > stop) setImmediate(() => controller.abort())
        }
        if (next() === LENGTH) break
      }
      expect(seen).toEqual(chain.slice(from).map(({ id }) => id))
    },
  )
})
