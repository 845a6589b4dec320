import { afterAll, beforeAll, describe, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { UTXOSet } from '../../src/core/coins/utxo-set.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import type { Draft } from '../../src/core/draft/draft.ts'
import { buildCreateAsset } from '../../src/core/draft/x/create-asset.ts'
import { buildExport } from '../../src/core/draft/x/export.ts'
import { buildImport } from '../../src/core/draft/x/import.ts'
import { buildTransfer } from '../../src/core/draft/x/transfer.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { signDraft } from '../../src/core/sign/sign.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import {
  createDataClient,
  createMetricsClient,
  createNodeClient,
  type DataClient,
  type Fetch,
  type MetricsClient,
  type NodeClient,
} from '../../src/node/index.ts'
import { fakeClock } from '../node/fake-clock.ts'

export const NOW = 1_700_000_000
export const API_KEY = 'key-of-an-account'
export const PEERS = [
  'NodeID-8PYXX47kqLDe2wD4oPbvRRchcnSzMA4J4',
  'NodeID-C14fr1n8EYNKyDfYixJ3rxSAVqTY3a8BP',
] as const
/** A subnet ID of the documented examples. */
export const SUBNET = '29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL'
const URL_OF_ALL = 'http://service.test'

/** The key of the local network's funds, published with the node. */
export const keys: KeyChain = new KeyChain([
  'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
])
export const address: string = formatAddress({
  chain: 'X',
  hrp: 'local',
  address: keys.addresses[0]!,
})

/** A request as a client sent it, and the answer. */
export type Exchange = {
  readonly verb: string
  /** Path and query. */
  readonly target: string
  readonly headers: Headers
  /** Parsed JSON; undefined for a GET. */
  readonly body: { readonly [member: string]: unknown } | undefined
  readonly status: number
  readonly answer: string
  readonly answerHeaders: Headers
}

/** A development node with a short history, clients of its three interfaces, and what they exchanged. */
export type World = {
  readonly node: DevNode
  readonly client: NodeClient
  readonly metrics: MetricsClient
  readonly data: DataClient
  /** The same with a key. */
  readonly keyed: DataClient
  /** IDs of accepted transactions of each kind. */
  readonly txs: { readonly [kind in 'transfer' | 'asset' | 'import' | 'export']: string }
  readonly exchanges: Exchange[]
  readonly last: () => Exchange
}

async function makeWorld(): Promise<World> {
  const node = await createDevNode({
    now: NOW,
    httpAPIs: { apiKeys: [API_KEY], limit: 100_000, anonymousLimit: 100_000 },
  })
  node.setPeers(PEERS.map((nodeID) => ({ nodeID, trackedSubnets: [SUBNET], benched: ['C'] })))
  node.setProposals({ 23: { supportWeight: 5n, supporters: [PEERS[0]], abstainWeight: 7n } })
  const exchanges: Exchange[] = []
  const fetch: Fetch = async (url, init) => {
    const response = await node.fetch(url, init)
    const { pathname, search } = new URL(url)
    exchanges.push({
      verb: init.method!,
      target: pathname + search,
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      status: response.status,
      answer: await response.clone().text(),
      answerHeaders: response.headers,
    })
    return response
  }
  const options = { url: URL_OF_ALL, fetch, clock: fakeClock() }
  const client = createNodeClient(options)
  node.exportFrom('P', { address, amount: 50_000_000n })
  return {
    node,
    client,
    metrics: createMetricsClient(options),
    data: createDataClient(options),
    keyed: createDataClient({ ...options, apiKey: API_KEY }),
    txs: {
      transfer: await accepted(client, (funds) =>
        buildTransfer({ ...funds, outputs: [{ to: address, amount: 1_000n }], memo: 'hello' }),
      ),
      asset: await accepted(client, (funds) =>
        buildCreateAsset({
          ...funds,
          name: 'Gold',
          symbol: 'GLD',
          denomination: 2,
          holders: [{ to: address, amount: 100n }],
        }),
      ),
      import: await accepted(client, (funds) =>
        buildImport({ ...funds, to: address, sourceChain: 'P' }),
      ),
      export: await accepted(client, (funds) =>
        buildExport({
          ...funds,
          destinationChain: 'P',
          outputs: [{ to: address.replace('X-', 'P-'), amount: 5_000n }],
        }),
      ),
    },
    exchanges,
    last: () => exchanges.at(-1)!,
  }
}

type Funds = Pick<Parameters<typeof buildTransfer>[0], 'context'> & {
  readonly funds: {
    readonly utxos: UTXOSet
    readonly owners: readonly Uint8Array[]
    readonly now: bigint
  }
}

/** Builds a transaction from everything that the key has, and has it accepted. */
async function accepted(client: NodeClient, build: (funds: Funds) => Draft): Promise<string> {
  const utxos = new UTXOSet()
  for await (const page of client.utxoPages({ addresses: keys.addresses })) utxos.add(page)
  const sourceChain = networks.local.chains.P!
  for await (const page of client.utxoPages({ addresses: keys.addresses, sourceChain }))
    utxos.add(page, { sourceChain })
  const funds = { utxos, owners: keys.addresses, now: BigInt(NOW) }
  const draft = build({ context: await client.context(), funds })
  const { bytes, txID } = requireSigned(signDraft(draft, keys))
  await client.issueTx(bytes)
  await client.waitForTx(txID)
  return formatID(txID)
}

/** One statement of the document and what shows that it holds. */
export type Row = readonly [statement: string, check: (world: World) => void | Promise<void>]

/** Tests for statements by the name of their section; all sections of a file share one world. */
export function requirement(sections: { readonly [section: string]: readonly Row[] }): void {
  let world: World
  beforeAll(async () => {
    world = await makeWorld()
  })
  afterAll(() => world.node.close())
  for (const [section, rows] of Object.entries(sections))
    describe(section, () => {
      for (const [statement, check] of rows) it(statement, () => check(world))
    })
}

/** All items of a list. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** What a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('expected a failure')
    },
    (error) => error,
  )
}
