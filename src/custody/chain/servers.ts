import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NodeClient } from '../../node/node.ts'
import type { ChainRow } from '../database/chain-row.ts'
import type { Settings } from '../settings.ts'

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

/** Why the servers do not confirm the last block that was applied. */
export type ServerProblem = {
  readonly code: 'NODE_UNREACHABLE' | 'NODE_BEHIND' | 'CHAIN_MISMATCH'
  readonly message: string
}

/** What a server shows at a height: the ID of its block, `absent` if it has none, `failed` if it does not answer. */
export type ShownBlock = Uint8Array | 'absent' | 'failed'

/**
 * Judges whether as many servers as the quorum have the last block that was applied. If not, payments must not be made:
 * the servers may be behind the database, or be those of another chain.
 *
 * @param applied - ID of the block; undefined if it is not known, then any block at its height counts
 */
export function judgeServers(
  shown: readonly ShownBlock[],
  applied: Uint8Array | undefined,
  quorum: number,
): ServerProblem | undefined {
  const votes = new Map<string, number>()
  for (const one of shown)
    if (typeof one !== 'string') {
      const name = applied === undefined ? '' : hex.encode(one)
      votes.set(name, (votes.get(name) ?? 0) + 1)
    }
  const name = applied === undefined ? '' : hex.encode(applied)
  const own = votes.get(name) ?? 0
  votes.delete(name)
  const others = Math.max(0, ...votes.values())
  if (own >= quorum && own >= others) return undefined
  const answers = shown.filter((one) => one !== 'failed').length
  if (answers < quorum)
    return {
      code: 'NODE_UNREACHABLE',
      message: `${answers} of ${shown.length} servers answer, ${quorum} must agree`,
    }
  if (others >= quorum || others > own)
    return {
      code: 'CHAIN_MISMATCH',
      message: 'the servers have another block than the last one that was applied',
    }
  return {
    code: 'NODE_BEHIND',
    message: 'the servers have not reached the last block that was applied',
  }
}

/** Asks all servers for the last block that was applied, and judges their answers. */
export async function findServerProblem(
  { client, chain }: Pick<Settings, 'client' | 'chain'>,
  { nextHeight, lastBlock }: Pick<ChainRow, 'nextHeight' | 'lastBlock'>,
  call: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<ServerProblem | undefined> {
  // All chains with the same ID have the same genesis block, at height 0.
  if (nextHeight === undefined || nextHeight <= 1n) return undefined
  const from = nextHeight - 1n
  const shown = await Promise.all(
    client.servers().map(async (server): Promise<ShownBlock> => {
      try {
        const [block] = await server.blockReader({ from }).read({ ...call, limit: 1 })
        return block?.blockID ?? 'absent'
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        return 'failed'
      }
    }),
  )
  const problem = judgeServers(shown, lastBlock, chain.quorum)
  return problem && { ...problem, message: `height ${from}: ${problem.message}` }
}
