import { parseAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { type Block, encodeBlock } from '../../src/core/chain/x/block.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import type { SignedTx } from '../../src/core/chain/x/tx.ts'
import {
  createNodeClient,
  type Fetch,
  type FollowedBlock,
  type NodeClient,
} from '../../src/node/index.ts'
import { AVAX, type Scene } from './setup.ts'

type Call = { readonly method: string; readonly params: { readonly [name: string]: string } }

/** Wraps a fetch function: `answer` may return the result of a request; otherwise the node answers. */
export const instead =
  (fetch: Fetch, answer: (call: Call, ask: () => Promise<unknown>) => unknown): Fetch =>
  async (url, init) => {
    const call = JSON.parse(String(init.body)) as Call & { id: unknown }
    const own = await answer(call, async () => (await fetch(url, init)).json())
    return own === undefined
      ? fetch(url, init)
      : Response.json({ jsonrpc: '2.0', id: call.id, ...own })
  }

/** A server that does not answer a method while `isAway` is set. */
type Outage = { isAway: boolean; readonly through: (fetch: Fetch) => Fetch }

/** An outage that has begun. */
export function outageOf(method: string): Outage {
  const outage: Outage = {
    isAway: true,
    through: (fetch) => async (url, init) =>
      outage.isAway && String(init.body).includes(method)
        ? new Response('no', { status: 503 })
        : fetch(url, init),
  }
  return outage
}

/** A server that shows a block of its own at its height, while `block` is set. */
type Liar = { block: Block | undefined; readonly fetch: Fetch }

/** A server that is honest until its `block` is set. */
export function liarBehind(fetch: Fetch): Liar {
  const liar: Liar = {
    block: undefined,
    fetch: instead(fetch, ({ method, params }) =>
      method === 'avm.getBlockByHeight' && params.height === String(liar.block?.height)
        ? { result: { block: checkedHex.encode(encodeBlock(liar.block!)), encoding: 'hex' } }
        : undefined,
    ),
  }
  return liar
}

/** A client of several servers, which are the same node seen through different fetch functions. */
export function clientOf({ node }: Scene, servers: readonly Fetch[]): NodeClient {
  const urls = servers.map((_, i) => `http://server${i}.test`)
  return createNodeClient({
    url: urls,
    retry: { retries: 0 },
    fetch: (url, init) =>
      servers[urls.findIndex((one) => String(url).startsWith(one))]?.(url, init) ??
      node.fetch(url, init),
  })
}

/** The last block of the node. */
async function lastBlock({ client }: Scene): Promise<FollowedBlock> {
  const [last] = await client.blockReader({ from: await client.avm.getHeight() }).read()
  return last!
}

/** A block after the last one that pays to an address without a signature, from a UTXO or one that does not exist. */
export async function forgedBlock(
  world: Scene,
  to: string,
  { txID, outputIndex }: UTXOID = { txID: new Uint8Array(32).fill(5), outputIndex: 0 },
): Promise<Block> {
  const { networkID, chainID, assetID } = world.node.context
  const tx: SignedTx = {
    unsignedTx: {
      type: 'BaseTx',
      networkID,
      blockchainID: chainID,
      outputs: [
        {
          assetID,
          output: {
            type: 'secp256k1fx.TransferOutput',
            amount: 1_000_000n * AVAX,
            locktime: 0n,
            threshold: 1,
            addresses: [parseAddress(to).address],
          },
        },
      ],
      inputs: [
        {
          txID,
          outputIndex,
          assetID,
          input: {
            type: 'secp256k1fx.TransferInput',
            amount: 1_000_001n * AVAX,
            signatureIndices: [0],
          },
        },
      ],
      memo: new Uint8Array(),
    },
    credentials: [{ type: 'secp256k1fx.Credential', signatures: [new Uint8Array(65)] }],
  }
  const { block, blockID } = await lastBlock(world)
  return { ...block, parentID: blockID, height: block.height + 1n, txs: [tx] } as Block
}
