import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { type NetworkContext, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { type Genesis, genesisTx, networkOfGenesis } from '../../core/chain/x/genesis.ts'
import { txID } from '../../core/chain/x/ids.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { DevNodeError } from '../errors.ts'
import { type BlockMode, Pace } from '../pace.ts'
import { Chain, type ChainSnapshot } from './chain.ts'
import { genesisState, requireUniqueAliases } from './genesis.ts'
import type { ChainState } from './state.ts'

/**
 * Refuses a genesis without assets or with two of one alias, an ID that is taken, and a chain of the primary network,
 * which has only the X-Chain, P-Chain and C-Chain. Chains and subnets are created by transactions, so they share no IDs.
 *
 * @throws DevNodeError `BAD_OPTION`
 */
export function requireAddable(
  chainID: Uint8Array,
  subnetID: Uint8Array,
  genesis: Genesis,
  state: ChainState,
): void {
  if (genesis.assets.length === 0)
    throw new DevNodeError('BAD_OPTION', 'the genesis has no asset that could pay fees')
  requireUniqueAliases(genesis)
  const { subnetOf } = state.view(0n)
  const isSubnet = state.knownChains().some((chain) => equalBytes(chain.subnetID, chainID))
  if (subnetOf(chainID) !== undefined)
    throw new DevNodeError('BAD_OPTION', `there is a chain ${cb58.encode(chainID)} already`)
  if (isSubnet || equalBytes(chainID, subnetID))
    throw new DevNodeError('BAD_OPTION', `${cb58.encode(chainID)} is the ID of a subnet`)
  if (equalBytes(subnetID, P_CHAIN_ID))
    throw new DevNodeError('BAD_OPTION', 'an AVM chain can be added only to another subnet')
  if (subnetOf(subnetID) !== undefined)
    throw new DevNodeError('BAD_OPTION', `${cb58.encode(subnetID)} is the ID of a chain`)
}

/** Dependencies of the added chains. */
export type AddedChainsOptions = {
  /** The network's context. */
  readonly context: NetworkContext
  /** Unix seconds. */
  readonly now: () => bigint
  readonly backend: Secp256k1Backend | undefined
  readonly remembersDrops: boolean
  readonly blocks: BlockMode
  readonly blockTimeMs: number | undefined
  /** Stores a block before it is accepted. */
  readonly beforeAccept: (chainID: Uint8Array, bytes: Uint8Array) => void
}

/** An AVM chain that was added. */
export type AddedChain = {
  readonly chain: Chain
  readonly pace: Pace
  /** Aliases of its genesis assets, by asset ID in hex. */
  readonly aliases: ReadonlyMap<string, string>
}

/** A copy of the state of all added chains, by chain ID in hex. */
export type AddedSnapshot = ReadonlyMap<string, AddedChain & { readonly state: ChainSnapshot }>

/**
 * AVM chains of other subnets, each with a genesis, UTXOs and blocks of its own. Assets move only inside a subnet, so
 * nothing is exchanged with the chains of the primary network.
 */
export class AddedChains {
  private readonly options: AddedChainsOptions
  private chains = new Map<string, AddedChain>()

  constructor(options: AddedChainsOptions) {
    this.options = options
  }

  /** Starts a chain. Its first asset pays the fees, and its addresses begin with its ID. */
  add(chainID: Uint8Array, subnetID: Uint8Array, genesis: Genesis): AddedChain {
    const { context: network, now, backend, remembersDrops, blocks, blockTimeMs } = this.options
    const context: NetworkContext = {
      ...network,
      chainID,
      chainAlias: cb58.encode(chainID),
      assetID: networkOfGenesis(network.networkID, genesis).assetID,
      chains: { ...network.chains, X: network.chainID },
    }
    const chain = new Chain({
      context,
      state: genesisState(genesis, context),
      now,
      backend,
      remembersDrops,
      beforeAccept: (bytes) => this.options.beforeAccept(chainID, bytes),
    })
    for (const id of Object.values(context.chains)) chain.state.addChain(id, P_CHAIN_ID)
    chain.state.addChain(chainID, subnetID)
    const added: AddedChain = {
      chain,
      pace: new Pace(blocks, () => chain.buildPending(), blockTimeMs),
      aliases: new Map(
        genesis.assets.map((asset) => [hex.encode(txID(genesisTx(asset))), asset.alias]),
      ),
    }
    this.chains.set(hex.encode(chainID), added)
    return added
  }

  get(chainID: Uint8Array): AddedChain | undefined {
    return this.chains.get(hex.encode(chainID))
  }

  /** The ID of an added chain by its text. */
  named(text: string): Uint8Array | undefined {
    return [...this.all()].find(({ chain }) => chain.context.chainAlias === text)?.chain.context
      .chainID
  }

  all(): IterableIterator<AddedChain> {
    return this.chains.values()
  }

  snapshot(): AddedSnapshot {
    return new Map(
      [...this.chains].map(([key, added]) => [key, { ...added, state: added.chain.snapshot() }]),
    )
  }

  /** Chains that were added after the snapshot are removed. */
  restore(snapshot: AddedSnapshot): void {
    for (const { pace } of this.all()) pace.stop()
    this.chains = new Map(snapshot)
    for (const { chain, state } of snapshot.values()) chain.restore(state)
  }

  forgetPending(): void {
    for (const { chain } of this.all()) chain.forgetPending()
  }

  stop(): void {
    for (const { pace } of this.all()) pace.stop()
  }

  /** The hash of each chain's state, in the order of their IDs. */
  digests(): Uint8Array[] {
    return [...this.chains]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { chain }]) => chain.state.digest())
  }
}
