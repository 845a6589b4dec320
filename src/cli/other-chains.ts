import {
  type CChainClient,
  createCChainClient,
  createPChainClient,
  type PChainClient,
} from '../rpc/index.ts'
import type { Invocation } from './invocation.ts'

/** Clients of the P- and C-Chain of the configured node. */
export async function otherChains(
  invocation: Invocation,
): Promise<{ readonly pChain: PChainClient; readonly cChain: CChainClient }> {
  const connection = { url: await invocation.nodeURLs(), ...invocation.transport() }
  return { pChain: createPChainClient(connection), cChain: createCChainClient(connection) }
}
