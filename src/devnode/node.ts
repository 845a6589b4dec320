import { concat } from '../core/base/bytes/concat.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { ID_SIZE, parseID } from '../core/base/encoding/ids.ts'
import { sha256 } from '../core/base/hash/sha256.ts'
import {
  requireBytes,
  requireDurations,
  requireFields,
  requireList,
  requireText,
  toBigint,
} from '../core/base/require.ts'
import { type NetworkContext, P_CHAIN_ID } from '../core/chain/networks.ts'
import { genesisTx } from '../core/chain/x/genesis.ts'
import { txID } from '../core/chain/x/ids.ts'
import { encodeUTXO, type UTXO } from '../core/chain/x/utxo.ts'
import { NodeClock } from './clock.ts'
import {
  type CChainControl,
  cChainControl,
  type PChainControl,
  pChainControl,
} from './control/chain-controls.ts'
import { withControl } from './control/control.ts'
import { controlMethods } from './control/control-methods.ts'
import { DevNodeError, readStored, requireOneOf } from './errors.ts'
import type { Fault } from './faults.ts'
import { type Handler, nodeFetch } from './fetch.ts'
import type { SimulatedHealth } from './http-apis/apis.ts'
import type { DevNodeOptions } from './options.ts'
import { OtherChains, type OthersSnapshot } from './other-chains.ts'
import { Pace } from './pace.ts'
import type { DevPeer, DevProposal } from './peers.ts'
import { grantOf, type Recipient } from './recipients.ts'
import type { Bootstrapping } from './routes.ts'
import { formatDump } from './saved/dump.ts'
import { type EntryStore, encodeEntry, type JournalEntry } from './saved/journal.ts'
import { replayEntry, storedKey } from './saved/replay.ts'
import { NodeService } from './service.ts'
import { type ResolvedSettings, settingsText } from './settings.ts'
import { Chain, type ChainSnapshot } from './x-chain/chain.ts'
import { createExportedUTXOs, fundingOf } from './x-chain/faucet.ts'
import { genesisState } from './x-chain/genesis.ts'

/** A saved state of a node, for `restore`. */
export type DevNodeSnapshot = {
  /** @internal */
  readonly chain: ChainSnapshot
  /** @internal */
  readonly others: OthersSnapshot
  /** @internal */
  readonly records: readonly Uint8Array[]
}

/** A node of one network in this process, with an X-Chain and minimal P- and C-Chains. */
export class DevNode {
  /** IDs, fees and address prefix of the network. */
  readonly context: NetworkContext
  /** A `fetch` that answers all routes of the node and of the metrics and data APIs, without a socket. */
  readonly fetch: typeof fetch
  /** Controls of the P-Chain. */
  readonly pChain: PChainControl<Recipient>
  /** Controls of the C-Chain. */
  readonly cChain: CChainControl
  private readonly chain: Chain
  private readonly others: OtherChains
  private readonly clock: NodeClock
  private readonly store: EntryStore | undefined
  private readonly pace: Pace
  private readonly service: NodeService
  private readonly answer: Handler
  private readonly closing = new AbortController()
  private readonly listeners: (() => Promise<void>)[] = []
  /** Aliases of genesis assets, by asset ID in hex. */
  private readonly aliases: ReadonlyMap<string, string>

  constructor(
    settings: ResolvedSettings,
    options: DevNodeOptions,
    store?: EntryStore,
    history: readonly JournalEntry[] = [],
  ) {
    const { context, genesis } = settings
    const { backend, blockTimeMs } = options
    const blocks = options.blocks ?? 'auto'
    const remembersDrops = options.remembersDrops ?? true
    requireDurations(options, ['blockTimeMs'])
    requireOneOf(blocks, 'blocks', ['manual', 'auto', 'real'])
    if (options.httpAPIs !== undefined) requireFields(options.httpAPIs, 'httpAPIs', [])
    this.context = context
    this.store = store
    this.clock = new NodeClock(options.now === undefined ? undefined : unixTime(options.now))
    this.aliases = new Map(
      genesis.assets.map((asset) => [hex.encode(txID(genesisTx(asset))), asset.alias]),
    )
    this.chain = new Chain({
      context,
      state: genesisState(genesis, context),
      now: this.clock.now,
      backend,
      remembersDrops,
      beforeAccept: (bytes) => this.record({ type: 'block', bytes }),
    })
    for (const chainID of [context.chainID, ...Object.values(context.chains)])
      this.chain.state.addChain(chainID, P_CHAIN_ID)
    this.others = new OtherChains({
      context,
      chain: this.chain,
      now: this.clock.now,
      backend,
      remembersDrops,
      blocks,
      blockTimeMs,
      helicon: options.helicon,
      store: (text) => this.record({ type: 'other', text }),
    })
    this.pChain = pChainControl(this.others, (recipient) =>
      grantOf(recipient, context, this.aliases, 'P'),
    )
    this.cChain = cChainControl(this.others)
    readStored(() => {
      for (const entry of history) replayEntry(entry, this.chain, this.others)
    })
    if (store !== undefined && history.length === 0)
      this.record({ type: 'settings', text: settingsText(settings) })
    this.pace = new Pace(blocks, () => this.buildNext(), blockTimeMs)
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
    this.answer = withControl(this.service.answer, controlMethods(this))
    this.fetch = nodeFetch(this.answer, this.closing.signal)
  }

  /** Serves the same routes over HTTP on loopback. Without `port`, the system chooses one. */
  async listen(options: { readonly port?: number | undefined } = {}): Promise<{ url: string }> {
    const { listen } = await import('./http.ts')
    this.closing.signal.throwIfAborted()
    const { url, close } = await listen(this.answer, options.port ?? 0)
    this.listeners.push(close)
    return { url }
  }

  /** Returns the time of the node's clock in unix seconds. */
  now(): bigint {
    return this.clock.now()
  }

  /** Sets the clock, which is fixed from then on. */
  setTime(unixSeconds: number | bigint): void {
    this.clock.set(unixTime(unixSeconds))
  }

  /**
   * Produces and accepts a block of pending transactions: the given ones in this order, or the oldest up to the
   * node's block size. Returns the block's bytes.
   *
   * @throws DevNodeError `NO_TRANSACTIONS` if no transaction can be included
   */
  produceBlock(
    options: {
      /** Unix seconds; by default the node's clock, but not before the last block. */
      readonly time?: number | bigint | undefined
      /** IDs as bytes or text. */
      readonly txIDs?: readonly (Uint8Array | string)[] | undefined
    } = {},
  ): Uint8Array {
    requireFields(options, 'options', [])
    const { time, txIDs } = options
    if (txIDs !== undefined) requireList(txIDs, 'txIDs')
    return this.chain.buildBlock(
      time === undefined ? undefined : unixTime(time),
      txIDs?.map((id) => hex.encode(typeof id === 'string' ? parseID(id) : id)),
    )
  }

  /** Accepts a block built elsewhere, if it follows the last one and satisfies the node's rules. Throws otherwise. */
  acceptBlock(bytes: Uint8Array): void {
    this.chain.acceptBlock(bytes)
  }

  /** Adds UTXOs to shared memory, as an export of another chain would. */
  addAtomicUTXOs(sourceChainID: Uint8Array, utxos: readonly Uint8Array[]): void {
    const { state } = this.chain
    requireBytes(sourceChainID, 'chain ID', ID_SIZE)
    requireList(utxos, 'utxos')
    // All are checked before the first is added.
    const added = new Map<string, Uint8Array>()
    for (const bytes of utxos) {
      const key = storedKey(requireBytes(bytes, 'UTXO'))
      if (added.has(key) || state.incoming.get(hex.encode(sourceChainID))?.has(key))
        throw new DevNodeError('ATOMIC_UTXO_EXISTS', `UTXO ${key} is already in shared memory`)
      added.set(key, bytes)
    }
    for (const [key, bytes] of added) {
      this.record({ type: 'atomic', chainID: sourceChainID, bytes })
      state.putAtomic(sourceChainID, key, bytes)
    }
  }

  /** Removes UTXOs that this chain exported, as an import of the other chain would, and returns their bytes. */
  takeExportedUTXOs(chainID: Uint8Array, utxoIDs: readonly Uint8Array[]): Uint8Array[] {
    requireList(utxoIDs, 'utxoIDs')
    return utxoIDs.map((key) => {
      const bytes = this.chain.state.takeExported(chainID, hex.encode(key))
      this.record({ type: 'taken', chainID, key })
      return bytes
    })
  }

  /** Returns the UTXOs that this chain exported to another and that are not imported yet, as bytes. */
  exportedUTXOs(chainID: Uint8Array): Uint8Array[] {
    return [...(this.chain.state.outgoing.get(hex.encode(chainID))?.values() ?? [])]
  }

  /** Makes a chain known to the P-Chain. Exports to chains of other subnets are rejected. */
  addChain(chainID: Uint8Array, subnetID: Uint8Array): void {
    requireBytes(chainID, 'chain ID', ID_SIZE)
    requireBytes(subnetID, 'subnet ID', ID_SIZE)
    this.record({ type: 'chain', chainID, subnetID })
    this.chain.state.addChain(chainID, subnetID)
  }

  /**
   * Gives an asset to an address, with a block that imports it from the P-Chain. Returns the ID of the import
   * transaction.
   *
   * @example
   * node.fund('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 1_000_000_000n)
   */
  fund(address: Recipient['address'], amount: bigint, asset?: Recipient['asset']): Uint8Array {
    const grant = grantOf({ address, amount, asset }, this.context, this.aliases)
    const { utxos, txBytes } = fundingOf(this.chain, grant)
    this.addAtomicUTXOs(P_CHAIN_ID, utxos.map(encodeUTXO))
    const item = this.chain.issue(txBytes)
    this.chain.buildBlock(undefined, [item.key])
    this.pace.poke()
    return item.id
  }

  /** Adds UTXOs to shared memory, ready to be imported, as an export of the P-Chain or C-Chain would. */
  exportFrom(chain: 'P' | 'C', ...recipients: readonly Recipient[]): UTXO[] {
    const source = this.context.chains[chain]
    if (source === undefined) throw new DevNodeError('BAD_OPTION', 'chain must be P or C')
    const grants = recipients.map((recipient) => grantOf(recipient, this.context, this.aliases))
    // Outputs exported by the P-Chain come after its change; those of the C-Chain have no change.
    const utxos = createExportedUTXOs(this.chain, source, grants, chain === 'P' ? 1 : 0)
    this.addAtomicUTXOs(source, utxos.map(encodeUTXO))
    return utxos
  }

  /** Returns a copy of the whole state, including pending transactions. */
  snapshot(): DevNodeSnapshot {
    return {
      chain: this.chain.snapshot(),
      others: this.others.snapshot(),
      records: [...(this.store?.records ?? [])],
    }
  }

  /** Restores a snapshot of this node, any number of times. The clock is not changed. */
  restore(snapshot: DevNodeSnapshot): void {
    requireFields(snapshot, 'snapshot', ['chain', 'others', 'records'])
    this.store?.replace(snapshot.records)
    this.chain.restore(snapshot.chain)
    this.others.restore(snapshot.others)
  }

  /**
   * Returns the accepted state as text, for the option `load` of another node.
   *
   * @throws DevNodeError `BAD_OPTION` if the node was created without `dumpable`
   */
  dump(): string {
    if (this.store === undefined)
      throw new DevNodeError('BAD_OPTION', 'the node was created without the option dumpable')
    return formatDump(this.store.records)
  }

  /** Returns a hash of the accepted state. Nodes with the same hash accept the same transactions. */
  stateDigest(): Uint8Array {
    return sha256(concat([this.chain.state.digest(), this.others.digest()]))
  }

  /** Injects a fault; the returned function removes it. */
  injectFault(fault: Fault): () => void {
    return this.service.faults.add(fault)
  }

  /** Discards pending transactions and remembered rejections, as a restart does. */
  restart(): void {
    this.chain.forgetPending()
    this.others.forgetPending()
    this.service.fresh = false
    this.service.faults.clear()
  }

  /** Sets the simulated bootstrapping stage. */
  setBootstrapping(stage: Bootstrapping): void {
    requireOneOf(stage, 'stage', ['platform', 'chains', 'done'])
    this.service.stage = stage
  }

  /** Makes a health check fail with a message, or (undefined) pass again. */
  setHealthCheck(name: string, error: string | undefined): void {
    requireText(name, 'name')
    if (error === undefined) this.service.failures.delete(name)
    else this.service.failures.set(name, error)
  }

  /**
   * Sets the peers that `info.peers` and the health API report.
   *
   * @example
   * node.setPeers([{ nodeID: 'NodeID-111111111111111111116DBWJs', observedUptime: 99 }])
   */
  setPeers(peers: readonly DevPeer[]): void {
    this.service.peers.set(peers)
  }

  /** Sets the community proposals (ACPs) that `info.acps` reports, by number. */
  setProposals(proposals: { readonly [number: number]: DevProposal }): void {
    this.service.peers.setProposals(proposals)
  }

  /** Sets the result of the health checks of the metrics and data APIs. */
  setServiceHealth(health: SimulatedHealth): void {
    requireOneOf(health, 'health', ['ok', 'error', 'error-up', 'shutting_down', 'error-body'])
    this.service.serviceHealth = health
  }

  /** Ends all pending requests and closes the folder, from which the node can be started again. */
  async close(): Promise<void> {
    if (this.closing.signal.aborted) return
    this.closing.abort(new DevNodeError('NODE_CLOSED', 'the development node is closed'))
    this.pace.stop()
    this.others.stop()
    await Promise.all(this.listeners.map((close) => close()))
    await this.store?.close()
  }

  /** Builds a block of pending transactions. False if nothing is left to build. */
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

  private record(entry: JournalEntry): void {
    this.store?.append(encodeEntry(entry))
  }
}

/** The last second that `Date` can format, as the health API does; in the year 275760. */
const MAX_TIME = 8_640_000_000_000n

/** Converts unix seconds and rejects those that the node's APIs cannot report. */
function unixTime(seconds: number | bigint): bigint {
  const time = toBigint(seconds, 'time')
  if (time < 0n || time > MAX_TIME)
    throw new DevNodeError('BAD_OPTION', `time must be from 0 to ${MAX_TIME}, is ${time}`)
  return time
}
