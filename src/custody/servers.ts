import { AvmError } from '../errors.ts'
import type { NodeClient } from '../rpc/node.ts'

const READ_TIMEOUT_MS = 10_000

/** Range of blocks to request. */
export type ShownRange = {
  readonly from: bigint
  /** Required parent of the first block. */
  readonly parentID?: Uint8Array | undefined
  readonly count: number
}

/** The IDs of blocks from a height on, one list per server; shorter or empty if a server fails or has fewer blocks. */
export async function shownBlocks(
  client: NodeClient,
  { from, parentID, count }: ShownRange,
  signal: AbortSignal,
): Promise<Uint8Array[][]> {
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
