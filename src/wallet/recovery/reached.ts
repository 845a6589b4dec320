import type { CallOptions } from '../../node/http.ts'
import type { ChainView } from '../../node/view/view.ts'
import { max } from '../utxos/chain-position.ts'
import type { LiveUTXOs } from '../utxos/live-utxos.ts'

/**
 * Applies all blocks, and returns the height up to which there are some. It may be higher than the last one that was
 * applied: blocks end for now if a server denies that there are more, and another one is slow.
 */
export async function reachedHeight(
  {
    live,
    chain,
  }: {
    readonly live: Pick<LiveUTXOs, 'sync' | 'nextHeight'>
    readonly chain: Pick<ChainView, 'quorum' | 'height'>
  },
  call: CallOptions,
): Promise<bigint> {
  await live.sync(call)
  const applied = (live.nextHeight ?? 1n) - 1n
  return chain.quorum === 1 ? applied : max(applied, await chain.height(call))
}
