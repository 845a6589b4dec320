import { AvmError } from '../../core/base/errors.ts'
import type { NodeClient } from '../../node/node.ts'

/** Time limit of reading blocks. */
export const READ_TIMEOUT_MS = 10_000

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
