import { describe, expect, it } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { direct } from '../wallet/setup.ts'
import { fundedNode, SERVERS, severalServers, URLS } from './several-servers.ts'
import { cli, devNode } from './shell.ts'

type Compared = {
  readonly quorum: number
  readonly agreeing: number
  readonly height?: string
  readonly blockID?: string
  readonly servers: readonly {
    readonly server: string
    readonly height?: string
    readonly blockID?: string
    readonly agreed?: boolean
    readonly state: string
    readonly reason?: string
  }[]
}

const HEIGHT = '3'

/** Exit code and result with servers that do something wrong, by position. */
async function compared(
  bad: Parameters<typeof severalServers>[1],
  ...more: string[]
): Promise<Compared & { readonly code: number; readonly text: string }> {
  const around = await severalServers(await fundedNode(), bad)
  const argv = ['node', 'servers', '--timeout', '2', ...more]
  const { code, json, err } = await cli([...argv, '--json'], around)
  expect(err).toBe('')
  const text = await cli(argv, around)
  expect(text.code).toBe(code)
  return { code, ...json<Compared>(), text: text.out }
}

describe('node servers', () => {
  it('shows height and last block of all servers, which agree', async () => {
    const node = await fundedNode()
    const [last] = await direct(node)
      .blockReader({ from: BigInt(HEIGHT) })
      .read()
    const blockID = formatID(last!.blockID)
    const { code, json } = await cli(['node', 'servers', '--json'], await severalServers(node))
    const agreeing = { height: HEIGHT, blockID, agreed: true, state: 'used' }
    expect([code, json()]).toEqual([
      0,
      {
        quorum: 2,
        agreeing: 3,
        height: HEIGHT,
        blockID,
        servers: SERVERS.map((server) => ({ server, ...agreeing })),
      },
    ])
    const { out } = await cli(['node', 'servers'], await severalServers(node))
    expect(out).toMatch(/^server +height +last block/)
    expect(out).toMatch(/^b\.test:9650 +3 +agreed$/m)
    expect(out).toMatch(/\n\n3 of 3 servers agree at height 3, 2 required\n$/)
  })

  it('works with one server', async () => {
    const node = await devNode()
    const { code, json } = await cli(['node', 'servers', '--json'], { node })
    expect([code, json()]).toMatchObject([0, { quorum: 1, agreeing: 1, height: '0' }])
  })

  it.each([
    ['refuses connections', 'unreachable', undefined, undefined, /^b\S+ +unknown +unreachable: ./m],
    ['never answers', 'unreachable', undefined, undefined, /^b\S+ +unknown +unreachable: ./m],
    ['stays at an old block', 'behind', '0', true, /^b\S+ +0 +agreed +3 blocks behind$/m],
    ['reports height 0', 'behind', '0', true, /^b\S+ +0 +agreed +3 blocks behind$/m],
    [
      'has no blocks',
      'noBlock',
      '3',
      undefined,
      /^b\S+ +3 +unknown +returns no block at height 3$/m,
    ],
    [
      'serves another chain',
      'otherBlock',
      '6',
      false,
      /^b\S+ +6 +not agreed +shows another block/m,
    ],
    [
      'reports a height far too high',
      'noBlock',
      '1000000000',
      undefined,
      /^b\S+ +1000000000 +unknown/m,
    ],
  ] as const)(
    'does not count a server that %s',
    async (wrong, state, height, agreed, line) => {
      const found = await compared([undefined, [wrong]])
      expect(found).toMatchObject({ code: 0, agreeing: 2, height: HEIGHT, quorum: 2 })
      expect(found.servers.map((one) => one.state)).toEqual(['used', state, 'used'])
      const { reason } = found.servers[1]!
      expect(found.servers[1]).toMatchObject({ server: SERVERS[1], reason: expect.any(String) })
      expect([found.servers[1]!.height, found.servers[1]!.agreed]).toEqual([height, agreed])
      expect(reason).not.toBe('')
      expect(found.text).toMatch(line)
    },
    30_000,
  )

  it('fails if fewer servers agree than the quorum requires', async () => {
    const [lone, strict] = await Promise.all([
      compared([['refuses connections'], ['serves another chain']]),
      compared([['serves another chain']], '--quorum', '3'),
    ])
    expect(lone).toMatchObject({ code: 1, agreeing: 0, quorum: 2 })
    expect(lone.servers.map(({ state }) => state)).toEqual([
      'unreachable',
      'otherBlock',
      'otherBlock',
    ])
    expect(strict).toMatchObject({ code: 1, quorum: 3, agreeing: 0 })
    expect(strict.text).toMatch(/\n\n0 of 3 servers agree at height 3, 3 required\n$/)
    const none = await compared(URLS.map(() => ['refuses connections']))
    expect(none).toMatchObject({ code: 1, agreeing: 0 })
    expect(none.height).toBe(undefined)
  }, 30_000)
})
