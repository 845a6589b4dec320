import { parseAddress } from '../../core/base/encoding/address.ts'
import { MAX_WINDOW } from '../../node/blocks/block-reader.ts'
import { type FollowCalls, followBlocks } from '../../node/blocks/blocks.ts'
import { type NodeClient, systemClock } from '../../node/index.ts'
import { retryPolicy } from '../../node/transport/retry.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import type { ChainView } from '../../node/view/view.ts'
import type { Invocation } from '../invocation.ts'

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
