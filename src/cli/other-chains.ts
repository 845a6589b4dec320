import {
  type CChainClient,
  createCChainClient,
  createPChainClient,
  type PChainClient,
} from '../rpc/index.ts'
import type { Invocation } from './invocation.ts'

/** Clients of the P- and C-Chain of the node that the user named. */
export async function otherChains(
  invocation: Invocation,
): Promise<{ readonly pChain: PChainClient; readonly cChain: CChainClient }> {
  // Reports that no node was named.
  await invocation.client()
  const connection = { url: await invocation.findURLs(), ...invocation.transport() }
  return { pChain: createPChainClient(connection), cChain: createCChainClient(connection) }
}
