import { type NetworkContext, parseAmount } from 'avmkit'
import {
  type CChainClient,
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type NodeClient,
  type PChainClient,
} from 'avmkit/client'
import type { DevNode } from 'avmkit/devnode'
import type { NetworkSetting } from './settings.ts'

/** The clients of a network. */
export type Network = {
  readonly client: NodeClient
  readonly pChain: PChainClient
  readonly cChain: CChainClient
  readonly context: NetworkContext
  /** Gives test funds to an address; absent if the network is not the development node of the page. */
  readonly fund?: ((address: string) => void) | undefined
  readonly close: () => Promise<void>
}

const CHAIN_KEY = 'avmkit wallet development chain'

/** What the faucet gives. */
export const FAUCET_AMOUNT = '100'

/** Connects to the network of the settings. */
export async function openNetwork(setting: NetworkSetting): Promise<Network> {
  return setting.kind === 'development' ? openDevelopmentNode() : openNode(setting.url)
}

/** Connects to a node by its URL. The node must allow the origin of the page (`--http-allowed-origins`). */
export async function openNode(url: string): Promise<Network> {
  const client = createNodeClient({ url })
  return {
    client,
    pChain: createPChainClient({ url }),
    cChain: createCChainClient({ url }),
    context: await client.context(),
    close: async () => {},
  }
}

/** Starts a node in the page. Its chains are stored after every transaction, so that they survive a reload. */
async function openDevelopmentNode(): Promise<Network> {
  // Loaded only where it is used: it is as large as the rest of the wallet.
  const { createDevNode } = await import('avmkit/devnode')
  const load = localStorage.getItem(CHAIN_KEY) ?? undefined
  const node = await createDevNode({ dumpable: true, load })
  const url = location.origin
  const fetch = savingFetch(node)
  const client = createNodeClient({ url, fetch })
  return {
    client,
    pChain: createPChainClient({ url, fetch }),
    cChain: createCChainClient({ url, fetch }),
    context: node.context,
    fund: (address) => {
      node.fund(address, parseAmount(FAUCET_AMOUNT))
      save(node)
    },
    close: () => node.close(),
  }
}

function save(node: DevNode): void {
  localStorage.setItem(CHAIN_KEY, node.dump())
}

/** Stores the chains before the answer to a transaction is passed on. */
function savingFetch(node: DevNode): typeof fetch {
  return async (input, init) => {
    const answer = await node.fetch(input, init)
    if (String(init?.body).includes('issueTx')) save(node)
    return answer
  }
}
