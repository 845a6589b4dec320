import { AvmError } from '../../core/base/errors.ts'
import { encodeTx as encodeCTx } from '../../core/c-chain.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { unlockedOutput } from '../../core/chain/p/transferables.ts'
import { encodeTx } from '../../core/chain/x/tx.ts'
import { encodeTx as encodePTx } from '../../core/p-chain.ts'
import {
  AbortError,
  type CChainClient,
  createCChainClient,
  createPChainClient,
  type PChainClient,
  ReplyError,
  RpcError,
} from '../../node/index.ts'
import type { DiscoveryClient } from '../../wallet/discovery/index.ts'
import type { Invocation } from '../invocation.ts'
import { withProgress } from '../terminal/walk-progress.ts'

/** Clients of the P- and C-Chain of the configured node, whose walks show their progress. */
export async function pAndCClients(
  invocation: Invocation,
): Promise<{ readonly pChain: PChainClient; readonly cChain: CChainClient }> {
  const connection = { url: await invocation.nodeURLs(), ...invocation.transport() }
  return {
    pChain: withProgress(createPChainClient(connection), invocation),
    cChain: withProgress(createCChainClient(connection), invocation),
  }
}

/** All UTXOs of a walk. */
export async function collectUTXOs<U>(
  pages: AsyncIterable<{ readonly utxos: readonly U[] }>,
): Promise<U[]> {
  const all: U[] = []
  for await (const { utxos } of pages) all.push(...utxos)
  return all
}

/** Searches the UTXOs of the P-Chain, or those that were exported to the C-Chain, which has no others. */
export function searchClient(
  chain: 'P' | 'C',
  clients: Awaited<ReturnType<typeof pAndCClients>>,
): DiscoveryClient {
  return {
    async *utxoPages({ sourceChain, ...walk }) {
      if (chain === 'C' && sourceChain !== undefined)
        yield* clients.cChain.utxoPages({ ...walk, sourceChain })
      if (chain === 'P')
        for await (const { utxos } of clients.pChain.utxoPages({ ...walk, sourceChain }))
          yield { utxos: utxos.map(({ output }) => ({ output: unlockedOutput(output) })) }
    },
  }
}

/** Reads the bytes of accepted transactions that prove UTXOs; undefined for what the node does not know. */
export async function parentReader(
  invocation: Invocation,
): Promise<(txID: Uint8Array, chain: ChainAlias) => Promise<Uint8Array | undefined>> {
  const x = await invocation.forChain('X')
  const { pChain, cChain } = await pAndCClients(invocation)
  const call = invocation.callOptions()
  const readers: { readonly [chain in ChainAlias]: (txID: Uint8Array) => Promise<Uint8Array> } = {
    X: async (txID) => encodeTx(await x.avm.getTx({ txID }, call)),
    P: async (txID) => encodePTx(await pChain.platform.getTx({ txID }, call)),
    C: async (txID) => encodeCTx((await cChain.avax.getAtomicTx({ txID }, call)).tx),
  }
  return (txID, chain) =>
    readers[chain](txID).catch((error) => {
      // Transactions of types that are not decoded here, such as those that stake, prove nothing.
      if (!(error instanceof ReplyError)) undefinedIfUnknown(error)
      return undefined
    })
}

/** Returns undefined for an error that the node itself reports, such as an unknown transaction; throws other errors. */
export function undefinedIfUnknown(error: unknown): undefined {
  if (error instanceof AbortError || !(error instanceof AvmError)) throw error
  if (!(error instanceof RpcError)) throw error
}
