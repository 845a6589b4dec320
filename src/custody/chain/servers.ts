import { equalBytes } from '../../core/base/bytes/compare.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { BlockReader, FollowedBlock } from '../../node/blocks/block-reader.ts'
import type { NodeClient } from '../../node/node.ts'

const READ_TIMEOUT_MS = 10_000

/** The IDs of blocks from a height on, one list per server. */
export type ShownBlocks = readonly (readonly Uint8Array[])[]

/** Range of blocks to request. */
export type ShownRange = {
  readonly from: bigint
  /** Required parent of the first block. */
  readonly parentID?: Uint8Array | undefined
  readonly count: number
}

/** What each server shows in a range; shorter or empty if a server fails or has fewer blocks. */
export async function shownBlocks(
  client: NodeClient,
  { from, parentID, count }: ShownRange,
  signal: AbortSignal,
): Promise<ShownBlocks> {
  return Promise.all(
    client.servers().map(async (server) => {
      const reader = server.blockReader({ from, parentID })
      const ids: Uint8Array[] = []
      try {
        while (ids.length < count) {
          const limit = count - ids.length
          const blocks = await reader.read({ timeoutMs: READ_TIMEOUT_MS, signal, limit })
          if (blocks.length === 0) break
          ids.push(...blocks.map(({ blockID }) => blockID))
        }
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
      }
      return ids
    }),
  )
}

/** Reads the next blocks, up to the first one that fewer servers than `quorum` show. */
export async function readAgreedBlocks(
  { client, quorum }: { readonly client: NodeClient; readonly quorum: number },
  reader: BlockReader,
  signal: AbortSignal,
): Promise<FollowedBlock[]> {
  const { next, parentID } = reader
  const blocks = await reader.read({ timeoutMs: READ_TIMEOUT_MS, signal })
  if (quorum <= 1 || blocks.length === 0) return blocks
  const limit = blocks.length
  const shown = await shownBlocks(client, { from: next, parentID, count: limit }, signal)
  const agreed = agreedBlocks(blocks, shown, quorum)
  if (agreed.length > 0) return agreed
  // Too few servers show the first block: read from one of those that agree on another.
  const server = shown.findIndex(([id]) => id !== undefined && countOf(shown, 0, id) >= quorum)
  if (server < 0) return []
  const others = client.servers()[server]!.blockReader({ from: next, parentID })
  const theirs = await others.read({ timeoutMs: READ_TIMEOUT_MS, signal, limit })
  return agreedBlocks(theirs, shown, quorum)
}

/** The first blocks, up to one that fewer servers than `quorum` show. */
function agreedBlocks(
  blocks: readonly FollowedBlock[],
  shown: ShownBlocks,
  quorum: number,
): FollowedBlock[] {
  const disputed = blocks.findIndex(({ blockID }, i) => countOf(shown, i, blockID) < quorum)
  return blocks.slice(0, disputed < 0 ? blocks.length : disputed)
}

/** Number of servers that show a block at a position. */
function countOf(shown: ShownBlocks, position: number, blockID: Uint8Array): number {
  return shown.filter((ids) => ids[position] !== undefined && equalBytes(ids[position], blockID))
    .length
}
