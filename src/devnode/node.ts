import { compareBytes } from '../bytes/compare.ts'
import { genesisTx } from '../chain/genesis.ts'
import { txID, utxoID } from '../chain/ids.ts'
import { type NetworkContext, P_CHAIN_ID } from '../chain/networks.ts'
import { encodeUTXO, type UTXO } from '../chain/utxo.ts'
import type { Secp256k1Backend } from '../crypto/backend.ts'
import { parseAddress } from '../encoding/address.ts'
import { hex } from '../encoding/hex.ts'
import { parseID } from '../encoding/ids.ts'
import { sha256 } from '../hash/sha256.ts'
import { Chain, type ChainSnapshot } from './chain.ts'
import {
  type CChainControl,
  cChainControl,
  type PChainControl,
  pChainControl,
} from './chain-controls.ts'
import { Clock } from './clock.ts'
import { concat } from './concat.ts'
import { DevNodeError } from './errors.ts'
import { exportedBy, fundingOf, type Grant } from './faucet.ts'
import type { Fault } from './faults.ts'
import { nodeFetch } from './fetch.ts'
import { genesisState } from './genesis.ts'
import type { HttpAPIOptions, ServiceHealth } from './http-apis.ts'
import { type Entry, type EntryStore, encodeEntry } from './journal.ts'
import { OtherChains, type OthersSnapshot } from './other-chains.ts'
import { type BlockMode, Pace } from './pace.ts'
import type { DevPeer, DevProposal } from './peers.ts'
import type { Bootstrapping } from './routes.ts'
import { NodeService } from './service.ts'
import { addressBytes, type ChainSettings, type Settings, settingsText } from './settings.ts'

/** How a development node is to be. Everything has a default. */
export type DevNodeOptions = ChainSettings & {
  /** Unix seconds at which the clock stands; the system's clock where left out. */
  readonly now?: number | bigint | undefined
  /** When blocks are made: `auto`, with every admitted transaction, where left out. */
  readonly blocks?: BlockMode | undefined
  /** A folder to keep the chain in. What was accepted is there again after a crash. */
  readonly folder?: string | undefined
  /** What recovers the signers of transactions. */
  readonly backend?: Secp256k1Backend | undefined
  /** Whether refusals are remembered as the node does; true where left out. */
  readonly remembersDrops?: boolean | undefined
  /**
   * Whether the C-Chain follows the rules and the API of Helicon.
   *
   * @defaultValue by the network's upgrade schedule and the node's clock
   */
  readonly helicon?: boolean | undefined
  /** Keys and quotas of the metrics and data interfaces. */
  readonly httpAPIs?: HttpAPIOptions | undefined
  /**
   * Whether UTXO pages name the source chain that was asked for, as the interface is documented.
   *
   * @defaultValue false, as the node does
   */
  readonly echoSourceChain?: boolean | undefined
}

/** Who gets what, in calls that make UTXOs. */
export type Recipient = {
  /** `X-local1…` or 20 bytes; several addresses are any one of them. */
  readonly address: string | Uint8Array | readonly (string | Uint8Array)[]
  readonly amount: bigint
  /** ID as bytes or text, or alias of a genesis asset; AVAX where left out. */
  readonly asset?: string | Uint8Array | undefined
  /** Unix seconds; 0 where left out. */
  readonly locktime?: bigint | undefined
  /** How many of the addresses must sign; 1 where left out. */
  readonly threshold?: number | undefined
}

/** A state to come back to; opaque. */
export type DevNodeSnapshot = {
  /** @internal */
  readonly chain: ChainSnapshot
  /** @internal */
  readonly others: OthersSnapshot
  /** @internal */
  readonly records: readonly Uint8Array[]
}

/** A node of one network with its X-Chain and minimal P- and C-Chains, in this process. */
export class DevNode {
  /** IDs, fees and address prefix of the network it runs. */
  readonly context: NetworkContext
  /**
   * Answers every route of the node, of the metrics and of the data interface; no socket involved.
   */
  readonly fetch: typeof fetch
  /** Funds, blocks and fee state of the P-Chain. */
  readonly pChain: PChainControl<Recipient>
  /** Funds, blocks and base fee of the C-Chain. */
  readonly cChain: CChainControl
  private readonly chain: Chain
  private readonly others: OtherChains
  private readonly clock: Clock
  private readonly store: EntryStore | undefined
  private readonly pace: Pace
  private readonly service: NodeService
  private readonly closing = new AbortController()
  private readonly listeners: (() => Promise<void>)[] = []
  private readonly aliases: ReadonlyMap<string, string>

  constructor(
    settings: Settings,
    options: DevNodeOptions,
    store?: EntryStore,
    history: readonly Entry[] = [],
  ) {
    const { context, genesis } = settings
    this.context = context
    this.store = store
    this.clock = new Clock(options.now === undefined ? undefined : BigInt(options.now))
    this.aliases = new Map(
      genesis.assets.map((asset) => [hex.encode(txID(genesisTx(asset))), asset.alias]),
    )
    this.chain = new Chain({
      context,
      state: genesisState(genesis, context),
      now: this.clock.now,
      backend: options.backend,
      remembersDrops: options.remembersDrops ?? true,
      beforeAccept: (bytes) => this.keep({ type: 'block', bytes }),
    })
    for (const chainID of [context.chainID, ...Object.values(context.chains)])
      this.chain.state.addChain(chainID, P_CHAIN_ID)
    this.others = new OtherChains({
      context,
      chain: this.chain,
      now: this.clock.now,
      backend: options.backend,
      remembersDrops: options.remembersDrops ?? true,
      blocks: options.blocks ?? 'auto',
      helicon: options.helicon,
      keep: (text) => this.keep({ type: 'other', text }),
    })
    this.pChain = pChainControl(this.others, (recipient) => this.grantOf(recipient, 'P'))
    this.cChain = cChainControl(this.others)
    for (const entry of history) this.replay(entry)
    if (store !== undefined && history.length === 0)
      this.keep({ type: 'settings', text: settingsText(settings) })
    this.pace = new Pace(options.blocks ?? 'auto', () => this.buildNext())
    this.service = new NodeService({
      chain: this.chain,
      now: this.clock.now,
      aliases: this.aliases,
      fresh: history.length === 0,
      poke: () => this.pace.poke(),
      others: this.others,
      httpAPIs: options.httpAPIs,
      echoesSourceChain: options.echoSourceChain ?? false,
    })
    this.fetch = nodeFetch(this.service.answer, this.closing.signal)
  }

  /** Serves the same over HTTP on loopback. The system chooses the port where none is given. */
  async listen(options: { readonly port?: number | undefined } = {}): Promise<{ url: string }> {
    const { listen } = await import('./http.ts')
    this.closing.signal.throwIfAborted()
    const { url, close } = await listen(this.service.answer, options.port ?? 0)
    this.listeners.push(close)
    return { url }
  }

  /** Unix seconds by the node's clock. */
  now(): bigint {
    return this.clock.now()
  }

  /** Sets the clock, which stands still from then on. */
  setTime(unixSeconds: number | bigint): void {
    this.clock.set(BigInt(unixSeconds))
  }

  /**
   * Makes and accepts a block of pending transactions: the named ones in that order, or the oldest
   * up to the node's block size. Returns its bytes; throws `NO_TRANSACTIONS` where none can go into
   * a block.
   */
  produceBlock(
    options: {
      readonly time?: number | bigint | undefined
      /** IDs as bytes or text. */
      readonly txIDs?: readonly (Uint8Array | string)[] | undefined
    } = {},
  ): Uint8Array {
    const { time, txIDs } = options
    return this.chain.buildBlock(
      time === undefined ? undefined : BigInt(time),
      txIDs?.map((id) => hex.encode(typeof id === 'string' ? parseID(id) : id)),
    )
  }

  /** Accepts a block made elsewhere, if it follows the last one and keeps the node's rules. */
  acceptBlock(bytes: Uint8Array): void {
    this.chain.acceptBlock(bytes)
  }

  /** Puts UTXOs where an export of another chain would leave them for this one. */
  addAtomicUTXOs(sourceChainID: Uint8Array, utxos: readonly Uint8Array[]): void {
    const { state } = this.chain
    for (const bytes of utxos) {
      const key = storedKey(bytes)
      if (state.incoming.get(hex.encode(sourceChainID))?.has(key))
        throw new DevNodeError('ATOMIC_UTXO_EXISTS', `UTXO ${key} is already in shared memory`)
      this.keep({ type: 'atomic', chainID: sourceChainID, bytes })
      state.putAtomic(sourceChainID, key, bytes)
    }
  }

  /**
   * Takes UTXOs that this chain exported, as an import of the other chain would; returns their
   * bytes.
   */
  takeExportedUTXOs(chainID: Uint8Array, utxoIDs: readonly Uint8Array[]): Uint8Array[] {
    return utxoIDs.map((key) => {
      const bytes = this.chain.state.takeExported(chainID, hex.encode(key))
      this.keep({ type: 'taken', chainID, key })
      return bytes
    })
  }

  /** What this chain exported to another one and that has not taken, as bytes. */
  exportedUTXOs(chainID: Uint8Array): Uint8Array[] {
    return [...(this.chain.state.outgoing.get(hex.encode(chainID))?.values() ?? [])]
  }

  /** Makes a chain known to the P-Chain; one of another subnet cannot be exported to. */
  addChain(chainID: Uint8Array, subnetID: Uint8Array): void {
    this.keep({ type: 'chain', chainID, subnetID })
    this.chain.state.addChain(chainID, subnetID)
  }

  /**
   * Gives somebody an asset, by a block that imports it from the P-Chain. Returns the ID of the
   * transaction that did.
   *
   * @example
   * node.fund('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 1_000_000_000n)
   */
  fund(address: Recipient['address'], amount: bigint, asset?: Recipient['asset']): Uint8Array {
    const grant = this.grantOf({ address, amount, asset })
    const { utxos, txBytes } = fundingOf(this.chain, grant)
    this.addAtomicUTXOs(P_CHAIN_ID, utxos.map(encodeUTXO))
    const item = this.chain.issue(txBytes)
    this.chain.buildBlock(undefined, [item.key])
    this.pace.poke()
    return item.id
  }

  /**
   * Leaves UTXOs in shared memory as an export of the P- or C-Chain would, ready to be imported.
   */
  exportFrom(chain: 'P' | 'C', ...recipients: readonly Recipient[]): UTXO[] {
    const source = this.context.chains[chain]!
    const grants = recipients.map((recipient) => this.grantOf(recipient))
    // What the P-Chain exports stands behind its change, what the C-Chain exports stands alone.
    const utxos = exportedBy(this.chain, source, grants, chain === 'P' ? 1 : 0)
    this.addAtomicUTXOs(source, utxos.map(encodeUTXO))
    return utxos
  }

  /** A copy of the whole state, pending transactions included. */
  snapshot(): DevNodeSnapshot {
    return {
      chain: this.chain.snapshot(),
      others: this.others.snapshot(),
      records: [...(this.store?.records ?? [])],
    }
  }

  /** Goes back to a snapshot of this node, as often as wanted; the clock is left alone. */
  restore(snapshot: DevNodeSnapshot): void {
    this.store?.replace(snapshot.records)
    this.chain.restore(snapshot.chain)
    this.others.restore(snapshot.others)
  }

  /** A hash of the accepted state: two nodes with the same one accept the same transactions. */
  stateDigest(): Uint8Array {
    return sha256(concat([this.chain.state.digest(), this.others.digest()]))
  }

  /** Arms a fault; what is returned disarms it. */
  injectFault(fault: Fault): () => void {
    return this.service.faults.add(fault)
  }

  /** Forgets pending transactions and refusals, as a restart does. */
  restart(): void {
    this.chain.forgetPending()
    this.others.forgetPending()
    this.service.fresh = false
    this.service.faults.clear()
  }

  /** How far the node is to seem with its bootstrapping. */
  setBootstrapping(stage: Bootstrapping): void {
    this.service.stage = stage
  }

  /** Makes a health check fail with a text, or pass again. */
  setHealthCheck(name: string, error: string | undefined): void {
    if (error === undefined) this.service.failures.delete(name)
    else this.service.failures.set(name, error)
  }

  /**
   * Sets the peers that `info.peers` and the health of the network report.
   *
   * @example
   * node.setPeers([{ nodeID: 'NodeID-111111111111111111116DBWJs', observedUptime: 99 }])
   */
  setPeers(peers: readonly DevPeer[]): void {
    this.service.peers.set(peers)
  }

  /** Sets the community proposals that `info.acps` reports, by number. */
  setProposals(proposals: { readonly [number: number]: DevProposal }): void {
    this.service.peers.setProposals(proposals)
  }

  /** What the health checks of the metrics and data interfaces answer. */
  setServiceHealth(health: ServiceHealth): void {
    this.service.serviceHealth = health
  }

  /** Ends everything under way. A node with a folder can be opened again from it. */
  async close(): Promise<void> {
    if (this.closing.signal.aborted) return
    this.closing.abort(new DevNodeError('NODE_CLOSED', 'the development node was closed'))
    this.pace.stop()
    this.others.stop()
    await Promise.all(this.listeners.map((close) => close()))
    this.store?.close()
  }

  private buildNext(): boolean {
    if (this.chain.mempool.size === 0) return false
    try {
      this.chain.buildBlock()
      return true
    } catch (error) {
      if (!(error instanceof DevNodeError) || error.code !== 'NO_TRANSACTIONS') throw error
      return this.chain.mempool.size > 0
    }
  }

  private grantOf(recipient: Recipient, chain: 'X' | 'P' = 'X'): Grant {
    const { address, amount, asset, locktime = 0n, threshold = 1 } = recipient
    const list = Array.isArray(address) ? address : [address as string | Uint8Array]
    const { hrp } = this.context
    const bytesOf = (item: string | Uint8Array): Uint8Array =>
      typeof item === 'string' && chain === 'P'
        ? parseAddress(item, { chain, hrp }).address
        : addressBytes(item, hrp)
    const addresses = list.map(bytesOf).sort(compareBytes)
    return { assetID: this.assetOf(asset), amount, owners: { locktime, threshold, addresses } }
  }

  private assetOf(asset: Recipient['asset']): Uint8Array {
    if (asset === undefined) return this.context.assetID
    if (typeof asset !== 'string') return asset
    for (const [key, alias] of this.aliases) if (alias === asset) return hex.decode(key)
    return parseID(asset)
  }

  private keep(entry: Entry): void {
    this.store?.append(encodeEntry(entry))
  }

  private replay(entry: Entry): void {
    const { state } = this.chain
    switch (entry.type) {
      case 'settings':
        return
      case 'block':
        this.chain.replayBlock(entry.bytes)
        return
      case 'atomic':
        state.putAtomic(entry.chainID, storedKey(entry.bytes), entry.bytes)
        return
      case 'taken':
        state.takeExported(entry.chainID, hex.encode(entry.key))
        return
      case 'chain':
        state.addChain(entry.chainID, entry.subnetID)
        return
      case 'other':
        this.others.replay(entry.text)
    }
  }
}

/** The UTXO ID of stored bytes, from the front of them: the rest need not decode. */
function storedKey(bytes: Uint8Array): string {
  if (bytes.length < 38)
    throw new DevNodeError(
      'BAD_OPTION',
      `expected a UTXO of at least 38 bytes, found ${bytes.length}`,
    )
  const index = new DataView(bytes.buffer, bytes.byteOffset).getUint32(34)
  return hex.encode(utxoID(bytes.subarray(2, 34), index))
}
