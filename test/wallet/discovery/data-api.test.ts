import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { accountFromMnemonic } from '../../../src/core/crypto/hd/index.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { createDataClient, createNodeClient, type Fetch } from '../../../src/node/index.ts'
import {
  addressHistory,
  discoverAccount,
  indexedHistory,
  usedByDataAPI,
} from '../../../src/wallet/discovery/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'

const context = networks.local
const AVAX = 1_000_000_000n
const hd = accountFromMnemonic('test test test test test test test test test test test junk')
const at = (index: number) => ({ change: 0, index })
const addressAt = (index: number) => hd.watch.address(at(index))
const keysAt = (...indices: number[]) => new KeyChain(indices.map((i) => hd.privateKey(at(i))))

const clientsOf = (node: DevNode, dataFetch: Fetch = node.fetch) => ({
  client: createNodeClient({ url: 'http://node', fetch: node.fetch }),
  data: createDataClient({ url: 'http://node', fetch: dataFetch }),
})

/** Funds positions 0 to 99 with transactions of one block each, and spends everything of the first 25. */
async function usedNode(): Promise<DevNode> {
  const node = await createDevNode()
  for (const index of [0, 24, 44]) node.fund(hd.watch.address(at(index)), 2n * AVAX)
  const { client } = clientsOf(node)
  const wallet = createWallet({ client, keys: keysAt(0, 24) })
  await wallet.sweep({ to: addressAt(60) })
  return node
}

describe('arguments', () => {
  it('are checked', async () => {
    const client = createNodeClient({ url: 'http://node' })
    const data = { list: async function* () {} }
    const addresses = [addressAt(0)]
    const history = { client, addresses, fromHeight: 0n }
    const walks = [
      [indexedHistory({ data, context, addresses, client: {} as never }), 'client.avm'],
      [indexedHistory({ data, context, addresses: '' as never, client }), 'addresses'],
      [addressHistory({ ...history, client: { blocks() {} } as never }), 'client.avm'],
      [addressHistory({ ...history, addresses: '' as never }), 'addresses'],
      [addressHistory({ ...history, fromHeight: 2n ** 70n }), 'fromHeight'],
      [addressHistory({ ...history, toHeight: 2n ** 70n }), 'toHeight'],
    ] as const
    for (const [walk, path] of walks)
      await expect(walk.next()).rejects.toMatchObject({ name: 'ArgumentError', path })
    await expect(usedByDataAPI({ data, context })('' as never)).rejects.toMatchObject({
      path: 'addresses',
    })
    const shown = { ...context, hrp: 'local\n' }
    expect(() => usedByDataAPI({ data, context: shown })).toThrow(
      expect.objectContaining({ path: 'context.hrp' }),
    )
    await expect(discoverAccount(hd.watch, { client, context: shown })).rejects.toMatchObject({
      path: 'context.hrp',
    })
  })
})

describe('usedByDataAPI', () => {
  it('finds addresses behind a gap of spent ones, which UTXOs do not show', async () => {
    const node = await usedNode()
    const { client, data } = clientsOf(node)
    // 0 to 24 is 24 unused addresses; with a gap limit of 25 the UTXOs at 44 and 60 are out of reach.
    const options = { client, context, gapLimit: 25 }
    expect((await discoverAccount(hd.watch, options)).addresses).toEqual([])
    const wasUsed = usedByDataAPI({ data, context })
    const found = await discoverAccount(hd.watch, { ...options, wasUsed })
    expect(found.addresses.map(({ index, utxos }) => [index, utxos])).toEqual([
      [0, 0],
      [24, 0],
      [44, 1],
      [60, 1],
    ])
    expect([found.evidence, found.next.receive]).toEqual(['history', at(61)])
    await node.close()
  })

  it('asks for 64 addresses at a time and keeps their order', async () => {
    const node = await usedNode()
    const asked: number[] = []
    const counting: Fetch = async (url, init) => {
      asked.push(new URL(url).searchParams.get('addresses')!.split(',').length)
      return node.fetch(url, init)
    }
    const { data } = clientsOf(node, counting)
    const indices = Array.from({ length: 70 }, (_, i) => 69 - i)
    const used = await usedByDataAPI({ data, context })(indices.map(addressAt))
    expect(indices.filter((_, i) => used[i])).toEqual([60, 44, 24, 0])
    expect(asked).toEqual([64, 6])
    await node.close()
  })

  it('rejects replies that do not name the addresses', async () => {
    const answer =
      (body: unknown): Fetch =>
      async () =>
        Response.json(body)
    for (const body of [
      { addresses: [] },
      { addresses: [null] },
      { addresses: [{ address: 'local1x', blockchainIds: [] }] },
      { addresses: [{ address: 'local1x' }] },
    ]) {
      const data = createDataClient({ url: 'http://data', fetch: answer(body) })
      await expect(usedByDataAPI({ data, context })([addressAt(0)])).rejects.toMatchObject({
        code: 'INDEX_MISMATCH',
      })
    }
  })
})

describe('indexedHistory', () => {
  const collect = async (node: DevNode, dataFetch?: Fetch) => {
    const entries = []
    const addresses = [0, 24, 44, 60].map(addressAt)
    const { client, data } = clientsOf(node, dataFetch)
    for await (const entry of indexedHistory({ client, data, context, addresses }))
      entries.push(entry)
    return entries
  }

  it('finds what the blocks contain', async () => {
    const node = await usedNode()
    const addresses = [0, 24, 44, 60].map(addressAt)
    const { client } = clientsOf(node)
    const toHeight = await client.avm.getHeight({})
    const expected = []
    for await (const entry of addressHistory({ client, addresses, fromHeight: 0n, toHeight }))
      expected.push(entry)
    const found = await collect(node)
    expect(found.length).toBeGreaterThan(3)
    expect(found.reverse()).toEqual(expected)
    await node.close()
  })

  it('trusts the API for nothing but IDs and heights', async () => {
    const node = await usedNode()
    /** The API with changed entries. */
    const lying =
      (
        change: (tx: { txHash: string; blockHeight?: number; timestamp: number }) => object,
      ): Fetch =>
      async (url, init) => {
        const body = (await (await node.fetch(url, init)).json()) as { transactions: [] }
        return Response.json({ ...body, transactions: body.transactions.map(change) })
      }
    const code = { code: 'INDEX_MISMATCH' }
    const other = formatID(new Uint8Array(32).fill(7))
    await expect(
      collect(
        node,
        lying((tx) => ({ ...tx, txHash: other })),
      ),
    ).rejects.toMatchObject(code)
    await expect(
      collect(
        node,
        lying((tx) => ({ ...tx, blockHeight: 0 })),
      ),
    ).rejects.toMatchObject(code)
    for (const bad of [
      { txHash: 'x' },
      { blockHeight: -1 },
      { blockHeight: '1e3' },
      { timestamp: null },
    ])
      await expect(
        collect(
          node,
          lying((tx) => ({ ...tx, ...bad })),
        ),
      ).rejects.toMatchObject(code)
    const honest = await collect(node)
    // A false time is replaced by that of the block.
    expect(
      await collect(
        node,
        lying((tx) => ({ ...tx, timestamp: 5 })),
      ),
    ).toEqual(honest)
    await expect(
      collect(
        node,
        lying(({ blockHeight: _height, ...tx }) => tx),
      ),
    ).rejects.toMatchObject(code)
    // From before the first block, without a height, a transaction is looked up by its ID.
    const older = await collect(
      node,
      lying(({ blockHeight: _height, ...tx }) => ({ ...tx, timestamp: 5 })),
    )
    expect(older.map(({ txID }) => hex.encode(txID))).toEqual(
      honest.map(({ txID }) => hex.encode(txID)),
    )
    expect(older[0]).toMatchObject({ height: undefined, time: 5n })
    await node.close()
  })

  it('fails for another network', async () => {
    const node = await usedNode()
    const { client, data } = clientsOf(node)
    const read = indexedHistory({ client, data, context: networks.fuji, addresses: [addressAt(0)] })
    await expect(read.next()).rejects.toMatchObject({ code: 'HTTP_STATUS' })
    await node.close()
  })
})

describe('addressHistory', () => {
  const read = async (options: Parameters<typeof addressHistory>[0]) => {
    const spent: number[] = []
    for await (const entry of addressHistory(options)) spent.push(entry.spent.length)
    return spent
  }

  it('fails if it is aborted before the last height, and otherwise just ends', async () => {
    const node = await usedNode()
    const { client } = clientsOf(node)
    const addresses = [addressAt(0), addressAt(24)]
    for (const [toHeight, expected] of [
      [4n, 'ABORTED'],
      [undefined, 'ended'],
    ] as const) {
      const controller = new AbortController()
      const onProgress = (height: bigint) => height === 2n && controller.abort()
      const ended = await read({
        ...{ client, addresses, fromHeight: 1n, toHeight, onProgress },
        signal: controller.signal,
      }).then(
        () => 'ended',
        (error) => error.code,
      )
      expect(ended).toBe(expected)
    }
    await node.close()
  })

  it('fails if the node cannot return the parent of a transaction', async () => {
    const node = await usedNode()
    const flaky: Fetch = async (url, init) => {
      const { method, id } = JSON.parse(String(init.body)) as { method: string; id: number }
      if (method !== 'avm.getTx') return node.fetch(url, init)
      const error = { code: -32000, message: 'database closed' }
      return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }))
    }
    const options = { addresses: [addressAt(0), addressAt(60)], fromHeight: 4n, toHeight: 4n }
    const { client } = clientsOf(node)
    expect(await read({ client, ...options })).toEqual([1])
    const failing = createNodeClient({ url: 'http://node', fetch: flaky })
    await expect(read({ client: failing, ...options })).rejects.toMatchObject({ code: 'RPC_ERROR' })
    await node.close()
  })
})
