import { AvmError } from '../../core/base/errors.ts'
import { encodeTx as encodeCTx } from '../../core/c-chain.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
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
  systemClock,
} from '../../node/index.ts'
import { OtherView } from '../../node/view/other-view.ts'
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

/** What servers agree on, of the P- and C-Chain. */
export async function pAndCViews(
  invocation: Invocation,
): Promise<{ readonly P: OtherView<PChainClient>; readonly C: OtherView<CChainClient> }> {
  const { pChain, cChain } = await pAndCClients(invocation)
  const quorum = await invocation.quorum()
  return {
    P: new OtherView(pChain, quorum, systemClock),
    C: new OtherView(cChain, quorum, systemClock),
  }
}

/** Reads the bytes of accepted transactions that prove UTXOs; undefined for what the node does not know. */
export async function parentReader(
  invocation: Invocation,
): Promise<(txID: Uint8Array, chain: ChainAlias) => Promise<Uint8Array | undefined>> {
  const x = await invocation.viewOf(await invocation.forChain('X'))
  const { pChain, cChain } = await pAndCClients(invocation)
  const call = invocation.callOptions()
  type Reader = (txID: Uint8Array) => Promise<Uint8Array | undefined>
  const readers: { readonly [chain in ChainAlias]: Reader } = {
    X: async (txID) => {
      const tx = await x.findTx(txID, call)
      return tx && encodeTx(tx)
    },
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
