import { onTestFinished } from 'vitest'
import { evmAddressOf } from '../../../src/core/c-chain.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../../src/devnode/index.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type Fetch,
  type NodeClient,
} from '../../../src/node/index.ts'
import {
  type CrossChainWallet,
  type CrossChainWalletOptions,
  createCrossChainWallet,
} from '../../../src/wallet/moves/index.ts'
import type { Store } from '../../../src/wallet/store/index.ts'
import { type ChainAlias, Mover } from '../../core/sign/chains/mover.ts'
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.ts'
import { type Interceptor, intercepted } from '../requests.ts'

export const AVAX = 1_000_000_000n
export const keys: KeyChain = new KeyChain([new Uint8Array(32).fill(1)])
export const stranger: KeyChain = new KeyChain([new Uint8Array(32).fill(2)])

/** All ordered pairs of chains. */
export const PAIRS: readonly (readonly [ChainAlias, ChainAlias])[] = [
  ['X', 'P'],
  ['P', 'X'],
  ['X', 'C'],
  ['C', 'X'],
  ['C', 'P'],
  ['P', 'C'],
]

/** A development node whose first key holds 100 AVAX on each chain. */
export type MoveScene = {
  readonly node: DevNode
  readonly clock: VirtualClock
  /** Balances by the node itself. */
  readonly ledger: Mover
  readonly wallet: (options?: Partial<CrossChainWalletOptions>) => CrossChainWallet
  readonly client: NodeClient
}

export async function moveScene(
  options: DevNodeOptions & { readonly intercept?: Interceptor; readonly store?: Store } = {},
): Promise<MoveScene> {
  const { intercept, store, ...settings } = options
  const node = await createDevNode({ now: 1_700_000_000, ...settings })
  onTestFinished(() => node.close())
  const [address] = keys.addresses
  node.fund(address!, 60n * AVAX)
  node.fund(address!, 40n * AVAX)
  node.pChain.fund({ address: address!, amount: 60n * AVAX })
  node.pChain.fund({ address: address!, amount: 40n * AVAX })
  node.cChain.fund(evmAddressOf(keys.publicKeys[0]!), 100n * AVAX)
  const clock = virtualClock()
  const reach: Fetch = (to, init) => node.fetch(to, init)
  const connection = {
    url: 'http://node.test',
    fetch: intercept === undefined ? reach : intercepted(reach, intercept),
    clock,
  }
  const wallet = (own: Partial<CrossChainWalletOptions> = {}) =>
    createCrossChainWallet({
      client: createNodeClient(connection),
      pChain: createPChainClient(connection),
      cChain: createCChainClient(connection),
      keys,
      clock,
      ...(store && { store }),
      ...own,
    })
  const client = createNodeClient(connection)
  return { node, clock, wallet, client, ledger: new Mover(node, keys) }
}
