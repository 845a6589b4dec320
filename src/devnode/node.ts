import {
  argument,
  bytesOf,
  type Check,
  integerFrom,
  list,
  object,
  oneOf,
  optional,
  text,
} from '../core/base/argument.ts'
import { concat } from '../core/base/bytes/concat.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { sha256 } from '../core/base/hash/sha256.ts'
import { type NetworkContext, P_CHAIN_ID } from '../core/chain/networks.ts'
import { encodeGenesis, type Genesis, genesisTx } from '../core/chain/x/genesis.ts'
import { txID } from '../core/chain/x/ids.ts'
import { encodeUTXO, type UTXO } from '../core/chain/x/utxo.ts'
import { NodeClock } from './clock.ts'
import { idBytes, unixTime } from './control/arguments.ts'
import {
  type AddedChainControl,
  addedChainControl,
  type CChainControl,
  cChainControl,
  type PChainControl,
  pChainControl,
} from './control/chain-controls.ts'
import { withControl } from './control/control.ts'
import { controlMethods } from './control/control-methods.ts'
import { type BlockOptions, produceBlock } from './control/produce-block.ts'
import { DevNodeError, readStored } from './errors.ts'
import { type Fault, faultArgument } from './faults.ts'
import { type Handler, nodeFetch } from './fetch.ts'
import type { SimulatedHealth } from './http-apis/apis.ts'
import type { CheckedDevNodeOptions } from './options.ts'
import { OtherChains } from './p-and-c-chains.ts'
import { startTime } from './p-chain/block.ts'
import { Pace } from './pace.ts'
import { type DevPeer, type DevProposal, peersArgument, proposalsArgument } from './peers.ts'
import { grantOf, type Recipient, recipientMembers } from './recipients.ts'
import type { Bootstrapping } from './routes.ts'
import { HEALTH_PERIOD_MS } from './rpc/health.ts'
import { formatDump } from './saved/dump.ts'
import { type EntryStore, encodeEntry, type JournalEntry } from './saved/journal.ts'
import { replayEntry, storedKey } from './saved/replay.ts'
import { type DevNodeSnapshot, noteSnapshot, snapshotArgument } from './saved/snapshot.ts'
import { NodeService } from './service.ts'
import { chainSettings, type ResolvedSettings, settingsText } from './settings.ts'
import { AddedChains, requireAddable } from './x-chain/added-chains.ts'
import { Chain } from './x-chain/chain.ts'
import { createExportedUTXOs, fundingOf } from './x-chain/faucet.ts'
import { genesisState } from './x-chain/genesis.ts'

/** Options of {@link DevNode.listen}. The system assigns a port if none is given. */
export type ListenOptions = { readonly port?: number | undefined }

const listenOptions: Check<ListenOptions> = object<ListenOptions>({
  port: optional(integerFrom(0, 65_535)),
})
const recipientArgument: Check<Recipient> = object<Recipient>(recipientMembers)
const recipientList: Check<readonly Recipient[]> = list(recipientArgument)
const bootstrapping: Check<Bootstrapping> = oneOf('platform', 'chains', 'done')
const serviceHealth: Check<SimulatedHealth> = oneOf(
  'ok',
  'error',
  'error-up',
  'shutting_down',
  'error-body',
)

/** A node of one network in this process, with an X-Chain and minimal P- and C-Chains. */
export class DevNode {
  /** IDs, fees and address prefix of the network. */
  readonly context: NetworkContext
  /** A `fetch` that answers all routes of the node and of the metrics and data APIs, without a socket. */
  readonly fetch: typeof fetch
  /** Controls of the P-Chain. */
  readonly pChain: PChainControl
  /** Controls of the C-Chain. */
  readonly cChain: CChainControl
  private readonly chain: Chain
  private readonly others: OtherChains
  private readonly added: AddedChains
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
    options: CheckedDevNodeOptions,
    store?: EntryStore,
    history: readonly JournalEntry[] = [],
  ) {
    const { context, genesis } = settings
    const { backend, blockTimeMs } = options
    const blocks = options.blocks ?? 'auto'
    const remembersDrops = options.remembersDrops ?? true
    this.context = context
    this.store = store
    this.clock = new NodeClock(options.now)
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
      // Logs of earlier versions do not contain the time: it was that of the X-Chain.
      genesisTime:
        history.length === 0
          ? startTime(context.networkID, this.clock.now())
          : this.chain.state.tip.time,
      xGenesis: encodeGenesis(genesis),
      store: (text) => this.record({ type: 'other', text }),
    })
    this.added = new AddedChains({
      context,
      now: this.clock.now,
      backend,
      remembersDrops,
      blocks,
      blockTimeMs,
      beforeAccept: (chainID, bytes) => this.record({ type: 'addedBlock', chainID, bytes }),
    })
    this.pChain = pChainControl(this.others, (recipient) =>
      grantOf(recipient, { call: 'pChain.fund', path: '' }, context, this.aliases, 'P'),
    )
    this.cChain = cChainControl(this.others)
    readStored(() => {
      for (const entry of history) replayEntry(entry, this.chain, this.others, this.added)
    })
    this.pace = new Pace(blocks, () => this.chain.buildPending(), blockTimeMs)
    this.service = new NodeService({
      chain: this.chain,
      now: this.clock.now,
      aliases: this.aliases,
      fresh: history.length === 0,
      poke: () => this.pace.poke(),
      others: this.others,
      added: this.added,
      httpAPIs: options.httpAPIs,
      echoesSourceChain: options.echoSourceChain ?? false,
      refusedMethods: options.refusedMethods ?? [],
    })
    if (store !== undefined && history.length === 0) {
      this.record({ type: 'settings', text: settingsText(settings) })
      this.others.storeGenesis()
    }
    this.answer = withControl(this.service.answer, controlMethods(this))
    this.fetch = nodeFetch(this.answer, this.closing.signal)
    const timer = setInterval(() => this.service.health.run(), HEALTH_PERIOD_MS)
    // A node that is not closed must not keep the process alive.
    if (typeof timer === 'object') timer.unref()
    this.closing.signal.addEventListener('abort', () => clearInterval(timer))
  }

  /** Serves the same routes over HTTP on loopback. Without `port`, the system chooses one. */
  async listen(options: ListenOptions = {}): Promise<{ url: string }> {
    const { port } = argument('listen', options, listenOptions)
    const { listen } = await import('./http.ts')
    this.closing.signal.throwIfAborted()
    const { url, close } = await listen(this.answer, port ?? 0)
    this.listeners.push(close)
    return { url }
  }

  /** Returns the time of the node's clock in unix seconds. */
  now(): bigint {
    return this.clock.now()
  }

  /** Sets the clock, which is fixed from then on. */
  setTime(unixSeconds: number | bigint): void {
    this.clock.set(argument('setTime', unixSeconds, unixTime, 'unixSeconds'))
  }

  /**
   * Produces and accepts a block of pending transactions: the given ones in this order, or the oldest up to the
   * node's block size. Returns the block's bytes.
   *
   * @throws DevNodeError `NO_TRANSACTIONS` if no transaction can be included
   */
  produceBlock(options: BlockOptions = {}): Uint8Array {
    return produceBlock(this.chain, options)
  }

  /** Accepts a block built elsewhere, if it follows the last one and satisfies the node's rules. Throws otherwise. */
  acceptBlock(bytes: Uint8Array): void {
    this.chain.acceptBlock(argument('acceptBlock', bytes, bytesOf(), 'bytes'))
  }

  /** Adds UTXOs to shared memory, as an export of another chain would. */
  addAtomicUTXOs(sourceChainID: Uint8Array, utxos: readonly Uint8Array[]): void {
    const source = argument('addAtomicUTXOs', sourceChainID, idBytes, 'sourceChainID')
    const { state } = this.chain
    // All are checked before the first is added.
    const added = new Map<string, Uint8Array>()
    for (const bytes of argument('addAtomicUTXOs', utxos, list(bytesOf()), 'utxos')) {
      const key = storedKey(bytes)
      if (added.has(key) || state.incoming.get(hex.encode(source))?.has(key))
        throw new DevNodeError('ATOMIC_UTXO_EXISTS', `UTXO ${key} is already in shared memory`)
      added.set(key, bytes)
    }
    for (const [key, bytes] of added) {
      this.record({ type: 'atomic', chainID: source, bytes })
      state.putAtomic(source, key, bytes)
    }
  }

  /** Removes UTXOs that this chain exported, as an import of the other chain would, and returns their bytes. */
  takeExportedUTXOs(chainID: Uint8Array, utxoIDs: readonly Uint8Array[]): Uint8Array[] {
    const chain = argument('takeExportedUTXOs', chainID, idBytes, 'chainID')
    const keys = argument('takeExportedUTXOs', utxoIDs, list(idBytes), 'utxoIDs')
    return keys.map((key) => {
      const bytes = this.chain.state.takeExported(chain, hex.encode(key))
      this.record({ type: 'taken', chainID: chain, key })
      return bytes
    })
  }

  /** Returns the UTXOs that this chain exported to another and that are not imported yet, as bytes. */
  exportedUTXOs(chainID: Uint8Array): Uint8Array[] {
    const chain = argument('exportedUTXOs', chainID, idBytes, 'chainID')
    return [...(this.chain.state.outgoing.get(hex.encode(chain))?.values() ?? [])]
  }

  /** Makes a chain known to the P-Chain. Exports to chains of other subnets are rejected. */
  addChain(chainID: Uint8Array, subnetID: Uint8Array): void
  /**
   * Adds an AVM chain of another subnet, with a genesis of its own. The node serves it at `/ext/bc/` and its ID.
   *
   * @throws DevNodeError `BAD_OPTION` if the ID is taken, the subnet is the primary network or there is no asset
   */
  addChain(chainID: Uint8Array, subnetID: Uint8Array, genesis: Genesis): AddedChainControl
  /** A chain without genesis is only known, one with a genesis is served. */
  addChain(
    chainID: Uint8Array,
    subnetID: Uint8Array,
    genesis?: Genesis,
  ): AddedChainControl | undefined {
    const chain = argument('addChain', chainID, idBytes, 'chainID')
    const subnet = argument('addChain', subnetID, idBytes, 'subnetID')
    const given = argument('addChain', genesis, chainSettings.genesis, 'genesis')
    if (given === undefined) {
      this.record({ type: 'chain', chainID: chain, subnetID: subnet })
      this.chain.state.addChain(chain, subnet)
      return undefined
    }
    requireAddable(chain, subnet, given, this.chain.state)
    const bytes = encodeGenesis(given)
    this.record({ type: 'added', chainID: chain, subnetID: subnet, genesis: bytes })
    this.chain.state.addChain(chain, subnet)
    return addedChainControl(this.added.add(chain, subnet, given).chain)
  }

  /**
   * Gives an asset to an address, with a block that imports it from the P-Chain. Returns the ID of the import
   * transaction.
   *
   * @example
   * node.fund('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 1_000_000_000n)
   */
  fund(address: Recipient['address'], amount: bigint, asset?: Recipient['asset']): Uint8Array {
    const recipient = argument('fund', { address, amount, asset }, recipientArgument)
    const grant = grantOf(recipient, { call: 'fund', path: '' }, this.context, this.aliases)
    const { utxos, txBytes } = fundingOf(this.chain, grant)
    this.addAtomicUTXOs(P_CHAIN_ID, utxos.map(encodeUTXO))
    const item = this.chain.issue(txBytes)
    this.chain.buildBlock(undefined, [item.key])
    this.pace.poke()
    return item.id
  }

  /** Adds UTXOs to shared memory, ready to be imported, as an export of the P-Chain or C-Chain would. */
  exportFrom(chain: 'P' | 'C', ...recipients: readonly Recipient[]): UTXO[] {
    const name = argument('exportFrom', chain, oneOf('P', 'C'), 'chain')
    const source = this.context.chains[name]!
    const grants = argument('exportFrom', recipients, recipientList, 'recipients').map(
      (recipient, i) =>
        grantOf(
          recipient,
          { call: 'exportFrom', path: `recipients[${i}]` },
          this.context,
          this.aliases,
        ),
    )
    // Outputs exported by the P-Chain come after its change; those of the C-Chain have no change.
    const utxos = createExportedUTXOs(this.chain, source, grants, name === 'P' ? 1 : 0)
    this.addAtomicUTXOs(source, utxos.map(encodeUTXO))
    return utxos
  }

  /** Returns a copy of the whole state, including pending transactions. */
  snapshot(): DevNodeSnapshot {
    return noteSnapshot({
      chain: this.chain.snapshot(),
      others: this.others.snapshot(),
      added: this.added.snapshot(),
      records: [...(this.store?.records ?? [])],
    })
  }

  /** Restores a snapshot of this node, any number of times. The clock is not changed. */
  restore(snapshot: DevNodeSnapshot): void {
    const { chain, others, added, records } = argument(
      'restore',
      snapshot,
      snapshotArgument,
      'snapshot',
    )
    this.store?.replace(records)
    this.chain.restore(chain)
    this.others.restore(others)
    this.added.restore(added)
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
    return sha256(
      concat([this.chain.state.digest(), this.others.digest(), ...this.added.digests()]),
    )
  }

  /** Injects a fault; the returned function removes it. */
  injectFault(fault: Fault): () => void {
    return this.service.faults.add(argument('injectFault', fault, faultArgument))
  }

  /** Discards pending transactions and remembered rejections, as a restart does. */
  restart(): void {
    this.chain.forgetPending()
    this.others.forgetPending()
    this.added.forgetPending()
    this.service.fresh = false
    this.service.faults.clear()
  }

  /** Sets the simulated bootstrapping stage. */
  setBootstrapping(stage: Bootstrapping): void {
    this.service.stage = argument('setBootstrapping', stage, bootstrapping, 'stage')
    this.service.health.restart()
  }

  /**
   * Makes a health check fail with a message, or (undefined) pass again, and runs it. Reports show the last results of
   * the checks, which run every 30 seconds. The name is one of a report: `X`, `P`, `C`, the ID of an added chain, or
   * that of a global check such as `database`.
   */
  setHealthCheck(name: string, error: string | undefined): void {
    const names = oneOf(...this.service.health.names())
    const check = argument('setHealthCheck', name, names, 'name')
    const message = argument('setHealthCheck', error, optional(text), 'error')
    if (message === undefined) this.service.failures.delete(check)
    else this.service.failures.set(check, message)
    this.service.health.run([check])
  }

  /** Runs all health checks now, instead of when 30 seconds have passed. */
  runHealthChecks(): void {
    this.service.health.run()
  }

  /**
   * Sets the peers that `info.peers` and the health API report.
   *
   * @example
   * node.setPeers([{ nodeID: 'NodeID-111111111111111111116DBWJs', observedUptime: 99 }])
   */
  setPeers(peers: readonly DevPeer[]): void {
    this.service.peers.set(argument('setPeers', peers, peersArgument, 'peers'))
    this.service.health.run(['network'])
  }

  /** Sets the community proposals (ACPs) that `info.acps` reports, by number. */
  setProposals(proposals: { readonly [number: number]: DevProposal }): void {
    this.service.peers.setProposals(
      argument('setProposals', proposals, proposalsArgument, 'proposals'),
    )
  }

  /** Sets the result of the health checks of the metrics and data APIs. */
  setServiceHealth(health: SimulatedHealth): void {
    this.service.serviceHealth = argument('setServiceHealth', health, serviceHealth, 'health')
  }

  /** Ends all pending requests and closes the folder, from which the node can be started again. */
  async close(): Promise<void> {
    if (this.closing.signal.aborted) return
    this.closing.abort(new DevNodeError('NODE_CLOSED', 'the development node is closed'))
    this.pace.stop()
    this.others.stop()
    this.added.stop()
    await Promise.all(this.listeners.map((close) => close()))
    await this.store?.close()
  }

  private record(entry: JournalEntry): void {
    this.store?.append(encodeEntry(entry))
  }
}
