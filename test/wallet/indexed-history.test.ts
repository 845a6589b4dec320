import { describe, expect, it } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { createDataClient, createNodeClient, type Fetch } from '../../src/node/index.ts'
import { createWallet, type WalletHistoryEntry } from '../../src/wallet/index.ts'
import { addressOf, fee, now, people, type Scene, scene } from './setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]

type Listed = { readonly txHash: string; readonly blockHeight?: number; readonly timestamp: number }

/** The data API of a node that changes the list of transactions. */
function lying(node: DevNode, change: (list: readonly Listed[]) => readonly object[]) {
  const fetch: Fetch = async (url, init) => {
    const body = (await (await node.fetch(url, init)).json()) as { transactions: Listed[] }
    return Response.json({ ...body, transactions: change(body.transactions) })
  }
  return createDataClient({ url: 'http://data', fetch })
}

/** A chain with deposits, payments and transactions of others; two transactions are in one block. */
async function chain(): Promise<Scene> {
  const here = await scene()
  for (const keys of [me, you])
    for (let i = 0; i < 3; i++) here.node.fund(addressOf(keys), 20n * fee)
  here.node.setTime(now + 60)
  await here.wallet().transfer({ to: addressOf(you), amount: 5n, memo: 'rent' }, { key: 'a' })
  await here.wallet({ keys: you }).transfer({ to: addressOf(me), amount: 7n })
  await here.wallet({ keys: you }).transfer({ to: addressOf(third), amount: 9n })
  return here
}

const historyOf = (here: Scene, data: ReturnType<typeof lying>) => here.wallet().history({ data })
const idsOf = (entries: readonly WalletHistoryEntry[]) => entries.map(({ txID }) => formatID(txID))
const mismatch = { code: 'INDEX_MISMATCH' }

describe('history from the data API', () => {
  it('is that of the blocks, and its pages join', async () => {
    const here = await chain()
    const data = lying(here.node, (list) => list)
    const truth = await here.wallet().history({ fromHeight: 0n })
    expect(await historyOf(here, data)).toEqual(truth)
    expect(truth).toHaveLength(5)
    const first = await here.wallet().history({ data, limit: 2 })
    const rest = await here.wallet().history({ data, after: first.at(-1)!.cursor })
    expect([...first, ...rest]).toEqual(truth)
    const { height } = truth[1]!
    const range = { fromHeight: height!, toHeight: truth[2]!.height! }
    expect(await here.wallet().history({ data, ...range })).toEqual(truth.slice(1, 3))
    expect(await here.wallet().history(range)).toEqual(truth.slice(1, 3))
    await expect(
      here.wallet().history({ data: lying(here.node, () => []), after: first[0]!.cursor }),
    ).rejects.toMatchObject({ code: 'ENC_INVALID', path: 'after' })
  })

  it('has no entry that the API invents, changes or copies', async () => {
    const here = await chain()
    const truth = await here.wallet().history({ fromHeight: 0n })
    const invented = formatID(new Uint8Array(32).fill(7))
    for (const change of [
      (tx: Listed) => ({ ...tx, txHash: invented }),
      (tx: Listed) => ({ ...tx, blockHeight: tx.blockHeight! + 1 }),
      (tx: Listed) => ({ ...tx, blockHeight: 1_000_000 }),
      ({ blockHeight: _height, ...tx }: Listed) => tx,
    ])
      await expect(
        historyOf(
          here,
          lying(here.node, (list) => list.map(change)),
        ),
      ).rejects.toMatchObject(mismatch)
    // A transaction of others does not become ours, and none is listed twice.
    const foreign = (await here.wallet({ keys: third }).history({ fromHeight: 0n }))[0]!
    const listed = {
      txHash: formatID(foreign.txID),
      blockHeight: Number(foreign.height),
      timestamp: 0,
    }
    const padded = lying(here.node, (list) => [listed, ...list, ...list])
    expect(await historyOf(here, padded)).toEqual(truth)
  })

  it('is in the order of the blocks, with their times, whatever the API says', async () => {
    const here = await chain()
    const truth = await here.wallet().history({ fromHeight: 0n })
    const mixed = lying(here.node, (list) =>
      [...list.filter((_, i) => i % 2 === 0), ...list.filter((_, i) => i % 2 === 1)].map((tx) => ({
        ...tx,
        timestamp: 12,
      })),
    )
    expect(await historyOf(here, mixed)).toEqual(truth)
  })

  it('is in the order of a block that has several', async () => {
    const here = await scene({ blocks: 'manual' })
    for (const keys of [me, you]) here.node.fund(addressOf(keys), 20n * fee)
    const wait = { timeoutMs: 1 }
    for (const keys of [me, you]) {
      const paying = here.wallet({ keys }).transfer({ to: addressOf(me), amount: 5n }, { wait })
      await paying.catch(() => {})
    }
    here.node.produceBlock()
    const truth = await here.wallet().history({ fromHeight: 0n })
    expect(new Set(truth.slice(-2).map(({ height }) => height)).size).toBe(1)
    for (const order of [1, -1])
      expect(
        idsOf(
          await historyOf(
            here,
            lying(here.node, (list) => (order === 1 ? list : list.toReversed())),
          ),
        ),
      ).toEqual(idsOf(truth))
  })

  it('misses what the API omits, and only that', async () => {
    const here = await chain()
    const truth = await here.wallet().history({ fromHeight: 0n })
    for (let i = 0; i < truth.length; i++) {
      const hidden = formatID(truth[i]!.txID)
      const data = lying(here.node, (list) => list.filter(({ txHash }) => txHash !== hidden))
      expect(await historyOf(here, data)).toEqual(truth.toSpliced(i, 1))
    }
  })

  it('is verified by as many servers as the quorum', async () => {
    const here = await chain()
    const truth = await here.wallet().history({ fromHeight: 0n })
    const own = addressOf(me)
    // One of three servers, with a chain of its own, confirms what the data API invents.
    const other = await scene()
    for (let i = 0; i < 12; i++) other.node.fund(own, fee)
    const invented = await other.wallet().history({ fromHeight: 0n })
    const client = createNodeClient({
      url: ['http://a.test', 'http://b.test', 'http://c.test'],
      fetch: (url, init) => (url.includes('b.test') ? other.node : here.node).fetch(url, init),
      clock: here.clock,
    })
    const wallet = createWallet({ client, keys: me, clock: here.clock })
    expect(await wallet.history({ data: lying(here.node, (list) => list) })).toEqual(truth)
    const { txID, height } = invented.at(-1)!
    const entry = { txHash: formatID(txID), blockHeight: Number(height), timestamp: 0 }
    await expect(
      wallet.history({ data: lying(here.node, (list) => [entry, ...list]) }),
    ).rejects.toMatchObject(mismatch)
  })
})
