import type { BlockReader, FollowedBlock } from '../../node/blocks/block-reader.ts'
import { type Clock, sleepFor } from '../../node/clock.ts'
import { ReplyError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import type { ChainView } from '../../node/view/view.ts'
import type { BlockProgress } from '../options.ts'

/** Maximum number of reads of a block that a server had before, and the pause between them. */
const MAX_TRIES = 5
const READ_RETRY_MS = 200

/** How blocks are read. */
export type ReadBlocksOptions = Pick<CallOptions, 'signal' | 'totalMs'> & {
  readonly chain: Pick<ChainView, 'emptyReads'>
  readonly clock: Clock
  /** Called when the blocks of a read were used. */
  readonly onProgress?: ((progress: BlockProgress) => void) | undefined
}

/**
 * Reads blocks up to a height that a server has shown, several at a time; the last ones may be above it.
 *
 * @throws ReplyError if no server has all these blocks
 */
export async function* readBlocks(
  reader: BlockReader,
  end: bigint,
  { chain, clock, signal, totalMs, onProgress }: ReadBlocksOptions,
): AsyncGenerator<readonly FollowedBlock[], void, undefined> {
  for (let empty = 0; reader.next <= end; ) {
    const blocks = await reader.read({ signal, timeoutMs: totalMs })
    empty = blocks.length === 0 ? empty + 1 : 0
    if (empty === MAX_TRIES * chain.emptyReads) throw missingBlock(reader.next, end)
    // A server behind the same URL had these blocks before, and this one may have them soon.
    if (empty > 0) await sleepFor(clock, READ_RETRY_MS, 'wallet', signal)
    yield blocks
    onProgress?.({ height: reader.next - 1n, end })
  }
}

function missingBlock(height: bigint, end: bigint): ReplyError {
  return new ReplyError(
    'REPLY_MISMATCH',
    'avm.getBlockByHeight',
    'result.block',
    `no server has block ${height}, although one had block ${end}`,
  )
}
