import type { Source } from '../../core/coins/utxo-set.ts'
import { ignoreAvmError, ReplyError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import type { NodeClient } from '../../node/node.ts'
import type { AgreedUTXOs, ChainView } from '../../node/view/view.ts'

/** How UTXOs are walked. */
export type WalkOptions = {
  readonly chain: ChainView
  readonly addresses: readonly Uint8Array[]
  /** Read from every server that answers. */
  readonly fromAll: boolean
  /** The client that is read with a quorum of 1 otherwise. */
  readonly client: NodeClient
}

/** Walks `getUTXOs`: the UTXOs of this chain, and those that `source`, if any, exported. */
export function walkUTXOs(
  { chain, addresses, fromAll, client }: WalkOptions,
  source: Source,
  call: CallOptions,
): Promise<AgreedUTXOs> {
  const sources: Source[] = source.sourceChain === undefined ? [{}] : [{}, source]
  if (chain.quorum > 1 || fromAll) return chain.utxos({ addresses, sources, fromAll }, call)
  return withServers(client, async (server) => ({
    ...(await chain.listOf(server, { addresses, sources }, call)),
    disputed: [],
  }))
}

/** Runs a task with all servers of a client; if one of them gives false answers, with each server alone. */
export async function withServers<T>(
  client: NodeClient,
  task: (server: NodeClient) => Promise<T>,
): Promise<T> {
  try {
    return await task(client)
  } catch (error) {
    const servers = client.servers()
    if (!(error instanceof ReplyError) || servers.length === 1) throw error
    for (const server of servers) {
      const result = await task(server).catch(ignoreAvmError)
      if (result !== undefined) return result
    }
    throw error
  }
}
