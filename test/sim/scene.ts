import { evmAddressBytes } from '../../src/core/chain/c/evm-address.ts'
import { utxoKey } from '../../src/core/chain/x/ids.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import type { Account, Report } from './accounts.ts'
import { ClaimAudit } from './audit.ts'
import { Cluster, newNode } from './cluster.ts'
import { createAsset, exportBetween, fund } from './funds.ts'
import { Liar } from './liars.ts'
import { Network, randomFaults } from './network.ts'
import { type Assets, isLarge, UNIT } from './payments.ts'
import { START } from './virtual-time.ts'
import type { Setting, World } from './world.ts'

/** AVAX on the P- and the C-Chain at the start, in nAVAX. */
export const FUNDS = 100_000_000_000n

/** The nodes, how wallets reach them, and what happened. */
export type Scene = {
  readonly world: World
  readonly cluster: Cluster
  readonly network: Network
  readonly foreign: DevNode
  readonly audit: ClaimAudit
  readonly keys: KeyChain
  readonly assets: Assets
  readonly url: string | string[]
  readonly quorum: number
  /** Whether wallets believe a server that lies, so that outcomes may be false. */
  readonly isBelieved: boolean
  /** Whether wallets use all chains. */
  readonly isCrossChain: boolean
  /** UTXOs per page. */
  readonly pageSize: number | undefined
  /** UTXOs that other chains have exported to the wallets before the start, by key. */
  readonly exported: Set<string>
  readonly reports: Report[]
}

/**
 * Starts nodes, and draws how they are reached and what goes wrong.
 *
 * @param isCrossChain - whether wallets use all chains, which one node has: what one of them exports, the others must
 * be able to import
 */
export async function createScene(world: World, isCrossChain: boolean): Promise<Scene> {
  const { random, backend } = world
  const servers = isCrossChain ? random.pick([1, 3]) : 1 + random.below(3)
  const cluster = await Cluster.create(isCrossChain ? 1 : servers, world)
  const foreign = await newNode(backend)
  for (let i = random.below(12); i >= 0; i--)
    fund(foreign, { address: new Uint8Array(20).fill(7), amount: 1n })
  const keys = new KeyChain(
    [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)),
    { backend },
  )
  const { gold, silver } = cluster.change((node) => ({
    gold: createAsset(node, keys, 'GOLD'),
    silver: createAsset(node, keys, 'SLVR'),
  }))
  const isList = isCrossChain || random.chance(0.5)
  const isQuorum = isList && servers === 3 && (isCrossChain || random.chance(0.6))
  const network = new Network(world, cluster, foreign, servers)
  const faults = randomFaults(random)
  // A node of another chain shows another nonce of the account: an export with it would wait for ever.
  network.faults = isCrossChain ? { ...faults, foreign: 0 } : faults
  if (isQuorum || random.chance(0.3)) world.note(addLiar(world, network, cluster, keys, !isQuorum))
  const isBelieved = network.liar?.isBelieved ?? false
  world.note(`${servers} servers, quorum ${isQuorum ? 2 : 1}`)
  return {
    world,
    cluster,
    network,
    foreign,
    audit: new ClaimAudit(cluster, network, world.violations, [gold, silver]),
    keys,
    assets: { gold: gold.txID, silver: silver.txID },
    url: isList ? Array.from({ length: servers }, (_, i) => `http://n${i}`) : 'http://any',
    quorum: isQuorum ? 2 : 1,
    isBelieved,
    isCrossChain,
    pageSize: random.chance(0.3) ? 2 + random.below(4) : undefined,
    exported: exportToX(world, cluster, keys),
    reports: [],
  }
}

/** Lets a server lie; if wallets believe it, only as long as faults last. Returns its lies. */
export function addLiar(
  { random, time }: Setting,
  network: Network,
  cluster: Cluster,
  keys: KeyChain,
  isBelieved: boolean,
): string {
  const host = random.below(network.hosts)
  const at = host % cluster.nodes.length
  const surroundings = {
    random,
    owners: keys.addresses,
    issued: network.issued,
    falseUTXOs: network.falseUTXOs,
    ask: async (method: string, params: object) =>
      JSON.parse(await cluster.call(at, method, params)),
    releaseLater: (bytes: Uint8Array) => {
      time.after(random.below(60_000), () => void cluster.issue(at, bytes))
    },
  }
  const liar = new Liar(surroundings, isBelieved)
  network.liar = { host, liar, isBelieved }
  return `n${host} ${liar.lies.join(', ')}`
}

/** UTXOs that the P- and the C-Chain have exported to the wallets. */
function exportToX({ random }: World, cluster: Cluster, keys: KeyChain): Set<string> {
  const exported = new Set<string>()
  for (const chain of ['P', 'C'] as const) {
    const recipients = Array.from({ length: random.below(4) }, () => ({
      address: random.pick(keys.addresses),
      amount: UNIT * BigInt(2 + random.below(20)),
    }))
    if (recipients.length === 0) continue
    for (const utxo of cluster.change((node) => node.exportFrom(chain, ...recipients)))
      exported.add(utxoKey(utxo))
  }
  return exported
}

/** Gives the wallets what they need for everything that callers ask them to do. */
export function fundWallets(scene: Scene, accounts: readonly Account[]): void {
  const { world, cluster, keys, assets, isCrossChain, exported } = scene
  const { random } = world
  const [a, b, c] = keys.addresses as [Uint8Array, Uint8Array, Uint8Array]
  const give = (count: number, address: () => Uint8Array, least: number, asset?: Uint8Array) => {
    for (let i = 0; i < count; i++) {
      const amount = UNIT * BigInt(least + random.below(2 * least))
      const given = { address: address(), amount, assetID: asset, locktime: 0n }
      cluster.change((node) => fund(node, given))
    }
  }
  const large = accounts.flatMap(({ payments }) => payments.filter(isLarge))
  // Each large payment needs two of these or more.
  give(3 + random.below(8) + 3 * large.length, () => random.pick([a, b]), 20)
  give(random.below(4), () => c, 20)
  give(1 + random.below(3), () => random.pick([a, b, c]), 1, assets.gold)
  give(1 + random.below(4), () => random.pick([a, b]), 1, assets.silver)
  for (let i = random.below(3); i > 0; i--) {
    const locktime = BigInt(START / 1000 + random.below(60))
    const locked = { address: random.pick([a, b, c]), amount: 20n * UNIT, locktime }
    cluster.change((node) => fund(node, locked))
  }
  if (!isCrossChain) return
  const { node } = cluster.nodes[0]!
  for (let i = 0; i < 4; i++) {
    fund(node, { address: a, amount: FUNDS / 4n })
    node.pChain.fund({ address: a, amount: FUNDS / 4n })
  }
  node.cChain.fund(evmAddressBytes(keys.publicKeys[0]!), FUNDS)
  for (const [from, to] of [
    ['P', 'C'],
    ['C', 'P'],
  ] as const)
    for (let i = random.below(4); i > 0; i--) {
      const stray = { address: random.pick([a, b, c]), amount: FUNDS / 50n }
      exported.add(exportBetween(node, from, to, stray))
    }
}
