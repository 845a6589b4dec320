import type { Signer } from '../../src/core/sign/signer.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type NodeClient,
} from '../../src/node/index.ts'
import { createWallet, type Wallet } from '../../src/wallet/index.ts'
import { type CrossChainWallet, createCrossChainWallet } from '../../src/wallet/moves/index.ts'
import type { Store } from '../../src/wallet/store/index.ts'
import type { Account } from './accounts.ts'
import type { SimulatedProcess } from './process.ts'
import type { Scene } from './scene.ts'

/** Opens a wallet of an account in a process. */
export function openWallet(
  scene: Scene,
  account: Account,
  process: SimulatedProcess,
  store: Store,
): Wallet | CrossChainWallet {
  const { world, audit, network, keys, url, quorum, pageSize } = scene
  const { random, backend } = world
  const clock = process.clock()
  const fetch = process.fetch(audit.fetch(network.fetch))
  const connection = { url, fetch, clock, retry: { retries: 1 } }
  const client = createNodeClient(connection)
  const options = {
    client: pageSize === undefined ? client : withPages(client, pageSize),
    ...(account.hasSigner ? { signers: [slowSigner(scene, process)] } : { keys }),
    backend,
    store: process.store(audit.store(store, account), () => account.storage.failIfDead()),
    clock,
    quorum,
    wait: { timeoutMs: 3000 + random.below(10_000), resendMs: 1000 + random.below(4000) },
  }
  if (!scene.isCrossChain) return createWallet(options)
  return createCrossChainWallet({
    ...options,
    publicKeys: keys.publicKeys,
    pChain: createPChainClient(connection),
    cChain: createCChainClient(connection),
  })
}

/** A client that reads small pages. */
function withPages(client: NodeClient, pageSize: number): NodeClient {
  return {
    ...client,
    servers: () => client.servers().map((server) => withPages(server, pageSize)),
    utxoPages: (walk) => client.utxoPages({ ...walk, pageSize }),
  }
}

/** A signer that takes its time, and as long as faults last sometimes fails or refuses. */
function slowSigner({ world, keys }: Scene, process: SimulatedProcess): Signer {
  const { random } = world
  const chance = random.pick([0, 0.1, 0.4])
  return {
    addresses: keys.addresses,
    sign: async ({ address, hash, extraEntropy }) => {
      await process.clock().sleep(random.below(2000))
      const fails = !world.isHealed && random.chance(chance)
      if (fails && random.chance(0.5)) throw new Error('the device is locked')
      return fails ? undefined : keys.sign(address, hash, extraEntropy)
    },
  }
}
