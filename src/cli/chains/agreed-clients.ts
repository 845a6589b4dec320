import { parseAddress } from '../../core/base/encoding/address.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { unlockedOutput } from '../../core/chain/p/transferables.ts'
import { toOtherChain } from '../../core/draft/arguments.ts'
import { MAX_WINDOW } from '../../node/blocks/block-reader.ts'
import { type FollowCalls, followBlocks } from '../../node/blocks/blocks.ts'
import { type NodeClient, systemClock } from '../../node/index.ts'
import { retryPolicy } from '../../node/transport/retry.ts'
import type { OtherUTXOs } from '../../node/view/other-view.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import type { ChainView } from '../../node/view/view.ts'
import type { DiscoveryClient } from '../../wallet/discovery/index.ts'
import type { Invocation } from '../invocation.ts'
import type { pAndCViews } from './clients.ts'
import { listOnC, listOnP } from './listing.ts'

/**
 * Searches the UTXOs that servers agree on. Disputed ones count, too: an address must not be missed because of one
 * server.
 */
export async function searchClient(
  client: NodeClient,
  context: NetworkContext,
  invocation: Invocation,
): Promise<DiscoveryClient> {
  const chain = await invocation.viewOf(client)
  if (chain.quorum === 1) return client
  return {
    async *utxoPages({ addresses, sourceChain: named, signal }) {
      const source =
        named === undefined ? {} : { sourceChain: toOtherChain(named, context).chainID }
      const owners = addresses.map((text) => parseAddress(text).address)
      const list = { addresses: owners, sources: [source], withHeight: true }
      const { set, disputed } = await chain.utxos(list, { signal })
      yield { utxos: [...utxosIn(set, source), ...disputed.map(({ utxo }) => utxo)] }
    },
  }
}

/** Searches the UTXOs of the P-Chain, or those that were exported to the C-Chain, which has no others. */
export function otherSearchClient(
  chain: 'P' | 'C',
  views: Awaited<ReturnType<typeof pAndCViews>>,
): DiscoveryClient {
  return {
    async *utxoPages({ addresses, sourceChain, signal }) {
      if (chain === 'C' && sourceChain !== undefined) {
        const found = await listOnC(views.C, { owners: addresses, sourceChain }, signal)
        yield { utxos: withDisputed(found) }
      }
      if (chain === 'P') {
        const found = await listOnP(views.P, { owners: addresses, sourceChain }, signal)
        const outputs = withDisputed(found).map(({ output }) => unlockedOutput(output))
        yield { utxos: outputs.map((output) => ({ output })) }
      }
    },
  }
}

function withDisputed<U>({ utxos, disputed }: OtherUTXOs<U>): U[] {
  return [...utxos, ...disputed.map(({ utxo }) => utxo)]
}

/** A client whose blocks are those that servers agree on. */
export async function agreedBlocksClient(
  invocation: Invocation,
): Promise<Pick<NodeClient, 'blocks' | 'avm'>> {
  const client = await invocation.client()
  const chain = await invocation.view()
  if (chain.quorum === 1) return client
  const calls: FollowCalls = {
    reader: (from, parentID) => windowed(chain, from, parentID),
    async *utxoPages({ addresses, signal }) {
      const owners = Array.from(addresses, (address) =>
        typeof address === 'string' ? parseAddress(address).address : address,
      )
      const { set } = await chain.utxos({ addresses: owners, sources: [{}] }, { signal })
      yield { utxos: utxosIn(set, {}), opaque: [] }
    },
    clock: systemClock,
    retry: retryPolicy(),
  }
  return { avm: client.avm, blocks: (follow) => followBlocks(calls, follow) }
}

/** Returns agreed blocks one by one, but reads several at once. */
function windowed(
  chain: ChainView,
  from: bigint | number,
  parentID: Uint8Array | undefined,
): ReturnType<FollowCalls['reader']> {
  const reader = chain.blockReader({ from, parentID })
  let blocks: Awaited<ReturnType<typeof reader.read>> = []
  return {
    get next() {
      return reader.next - BigInt(blocks.length)
    },
    readNext: async ({ signal, timeoutMs }) => {
      if (blocks.length === 0) blocks = await reader.read({ signal, timeoutMs, limit: MAX_WINDOW })
      const [first, ...others] = blocks
      blocks = others
      return first === undefined ? [] : [first]
    },
  }
}
