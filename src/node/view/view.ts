import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import type { BlockReader, BlockReaderOptions } from '../blocks/block-reader.ts'
import type { Clock } from '../clock.ts'
import { ignoreAvmError, QuorumError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import { isNotFound } from '../issue/issue.ts'
import type { NodeClient } from '../node.ts'
import { AgreedReader } from './agreed-reader.ts'
import type { Answer } from './inquiry.ts'
import { LIST_PATIENCE_MS, lateLists, Panel } from './panel.ts'
import { ServerLog, type ServerReport } from './server-log.ts'
import { isProven, listUTXOs, type WalkOptions } from './utxo-lists.ts'
import { type DisputedUTXO, type VotedUTXOs, votedUTXOs } from './utxo-votes.ts'
import { forEachCount, reachedBy } from './votes.ts'

/** What a view is made of. */
export type ViewOptions = {
  readonly client: NodeClient
  readonly clock: Clock
  /** How many servers must agree. */
  readonly quorum: number
}

/** UTXOs that servers agree on. */
export type AgreedUTXOs = VotedUTXOs & {
  /** Height that all servers whose lists were used had reached before. */
  readonly height: bigint
}

/** How UTXOs are read. */
export type ListOptions = {
  readonly addresses: readonly Uint8Array[]
  /** UTXOs of this chain, of the chains that exported them, or both. */
  readonly sources: readonly Source[]
  /** Read from every server that answers, for a call that promises to handle everything. */
  readonly fromAll?: boolean | undefined
  /** Read the heights of the servers as well. */
  readonly withHeight?: boolean | undefined
}

/** What one server lists, and its height before that, if it was read. */
export type ServerList = { readonly set: UTXOSet; readonly height: bigint }

/** The quorum for a number of servers, unless the caller gives one. */
export function defaultQuorum(servers: number): number {
  return servers >= 3 ? 2 : 1
}

/** A list of a server that is more blocks behind than this is not used if others are not. */
const MAX_LAG = 64n

/** Limits the requests for transactions of UTXOs that only one of several servers lists. */
const MAX_PROOFS = 64

/**
 * What is known of the X-Chain: blocks, UTXOs, acceptance of transactions, the network. Everything that a transaction
 * cannot prove by its hash is believed if as many servers say so as the quorum requires. With a quorum of 1 any server
 * of the client is believed.
 */
export class ChainView {
  readonly quorum: number
  private readonly client: NodeClient
  private readonly panel: Panel<NodeClient>
  private readonly walking: WalkOptions
  private readonly late = lateLists()

  constructor(options: ViewOptions) {
    const { client, clock, quorum } = options
    this.client = client
    this.quorum = quorum
    const servers = client.servers()
    this.panel = new Panel(servers, quorum, new ServerLog(servers.length, clock), clock)
    this.walking = { clock, findTx: (txID, call) => this.findTx(txID, call) }
  }

  /** Creates a reader of agreed blocks. */
  blockReader(start: BlockReaderOptions, client: NodeClient = this.client): BlockReader {
    return this.quorum === 1 ? client.blockReader(start) : new AgreedReader(this.panel, start)
  }

  /** Number of consecutive empty reads after which no server has a further block. */
  get emptyReads(): number {
    return this.quorum === 1 ? this.panel.servers.length : 1
  }

  /** The height that as many servers as the quorum have reached. */
  async height(call: CallOptions): Promise<bigint> {
    if (this.quorum === 1) return this.client.avm.getHeight({}, call)
    const ask = (server: NodeClient, limits: CallOptions) => server.avm.getHeight({}, limits)
    return reachedBy(await this.panel.askAll('avm.getHeight', ask, call), this.quorum)
  }

  /** The network parameters that servers agree on. */
  async context(call: CallOptions, refresh: boolean): Promise<NetworkContext> {
    const limits = { signal: call.signal, totalMs: call.totalMs, refresh }
    if (this.quorum === 1) return this.client.context(limits)
    const ask = (server: NodeClient, { signal }: CallOptions) =>
      server.context({ ...limits, signal })
    try {
      return await this.panel.agree('context', ask, isSameContext, call)
    } catch (error) {
      // What was read before may be outdated, or incomplete because a request failed.
      if (refresh || !(error instanceof QuorumError)) throw error
      return this.context(call, true)
    }
  }

  /** Upper bound of the clock that as many servers as the quorum have reached, in Unix milliseconds. */
  nodeTime(): number | undefined {
    if (this.quorum === 1) return this.client.nodeTime()
    const times = this.panel.servers.flatMap((server) => server.nodeTime() ?? [])
    return times.sort((a, b) => a - b)[this.quorum - 1]
  }

  /** An accepted transaction with this ID, from any server: its hash proves its content, not that it was accepted. */
  async findTx(txID: Uint8Array, call: CallOptions): Promise<SignedTx | undefined> {
    if (this.panel.servers.length === 1) return findTx(this.client, txID, call)
    return this.panel.find('avm.getTx', (server, limits) => findTx(server, txID, limits), call)
  }

  /** Whether as many servers as the quorum requires return a transaction as accepted. */
  isAccepted(txID: Uint8Array, call: CallOptions): Promise<boolean> {
    const ask = async (server: NodeClient, limits: CallOptions) =>
      (await findTx(server, txID, limits)) !== undefined
    return this.panel.isConfirmed('avm.getTx', ask, call)
  }

  /** The UTXOs of the addresses. */
  async utxos(list: ListOptions, call: CallOptions): Promise<AgreedUTXOs> {
    const { length } = this.panel.servers
    return length === 1 || (this.quorum === 1 && !list.fromAll)
      ? { ...(await this.listOf(this.client, list, call)), disputed: [] }
      : this.votedLists(list, call)
  }

  /** What one server lists, or any server of the client. */
  async listOf(
    server: NodeClient,
    { addresses, sources, withHeight }: Omit<ListOptions, 'fromAll'>,
    call: CallOptions,
  ): Promise<ServerList> {
    // Before the walk: what was created or spent later is in blocks above this height.
    const height = withHeight ? await server.avm.getHeight({}, call) : 0n
    return { height, set: await listUTXOs(server, addresses, sources, this.walking, call) }
  }

  private async votedLists(list: ListOptions, call: CallOptions): Promise<AgreedUTXOs> {
    const { panel, quorum } = this
    const names = this.client.lastRequests().map(({ server }) => server)
    const vote = forEachCount((given: readonly Answer<ServerList>[]) => {
      const used = recent(given, quorum)
      const lists = used.map(({ server, value }) => ({ server: names[server]!, set: value.set }))
      return { used, ...votedUTXOs(lists, quorum, list.sources) }
    })
    const isDecided = (given: readonly Answer<ServerList>[]) =>
      isHeightKnown(given, quorum) && vote(given).disputed.length === 0
    const { answers, errors, isLate, longestMs } = await panel.ask<ServerList>(
      {
        method: 'avm.getUTXOs',
        lateMs: this.late.ms,
        ask: (server, limits) => this.listOf(server, list, limits),
        first: list.fromAll ? panel.servers.length : quorum,
        isEnough: (given, left) => left === 0 || (!list.fromAll && isDecided(given)),
        isEnoughLate: (given) => isHeightKnown(given, quorum),
        isLong: true,
        patienceMs: LIST_PATIENCE_MS,
      },
      call,
    )
    if (answers.length < quorum)
      throw new QuorumError('avm.getUTXOs', answers.length, panel, errors[0])
    const { used, set, disputed } = vote(answers)
    this.late.note({ isLate: isLate && disputed.length > 0, longestMs })
    const heights = used.map(({ value }) => value.height)
    const height = heights.reduce((low, one) => (one < low ? one : low))
    if (quorum > 1) return { set, height, disputed }
    return { set, height, disputed: await this.withoutProven(set, disputed, call) }
  }

  /**
   * With a quorum of 1, one server is enough for a UTXO that others do not list, if the transaction that created it
   * proves its content. Adds such UTXOs to the set, and returns the others.
   */
  private async withoutProven(
    set: UTXOSet,
    disputed: readonly DisputedUTXO[],
    call: CallOptions,
  ): Promise<DisputedUTXO[]> {
    const unproven: DisputedUTXO[] = disputed.slice(MAX_PROOFS)
    for (const one of disputed.slice(0, MAX_PROOFS))
      if (await this.isProven(one, call)) set.add([one.utxo])
      else unproven.push(one)
    return unproven
  }

  /** The transaction that created a UTXO of another chain is not on this one. */
  private async isProven({ utxo, source }: DisputedUTXO, call: CallOptions): Promise<boolean> {
    if (source.sourceChain !== undefined) return false
    return (await isProven(utxo, this.walking, call).catch(ignoreAvmError)) === true
  }

  /** What is known of each server. */
  report(): ServerReport[] {
    return this.panel.log.report(this.client.lastRequests())
  }
}

/** An accepted transaction with this ID, or undefined. */
async function findTx(
  client: NodeClient,
  txID: Uint8Array,
  call: CallOptions,
): Promise<SignedTx | undefined> {
  try {
    return await client.avm.getTx({ txID }, call)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** The lists of servers that are not far behind the height that as many servers as the quorum have reached. */
function recent(
  given: readonly Answer<ServerList>[],
  quorum: number,
): readonly Answer<ServerList>[] {
  const reached = heightReachedBy(given, quorum)
  return given.filter(({ value }) => value.height + MAX_LAG >= reached)
}

/**
 * Whether as many servers as the quorum are near the same height. Otherwise one of them may report a height that is far
 * too low, below which all blocks would be read, or too high.
 */
function isHeightKnown(given: readonly Answer<ServerList>[], quorum: number): boolean {
  const reached = heightReachedBy(given, quorum)
  const near = recent(given, quorum).filter(({ value }) => value.height <= reached + MAX_LAG)
  return near.length >= quorum
}

function heightReachedBy(given: readonly Answer<ServerList>[], quorum: number): bigint {
  const heights = given.map(({ value }) => value.height)
  return given.length < quorum ? 0n : reachedBy(heights, quorum)
}

function isSameContext(a: NetworkContext, b: NetworkContext): boolean {
  const names = new Set([...Object.keys(a.chains), ...Object.keys(b.chains)])
  return (
    a.networkID === b.networkID &&
    a.hrp === b.hrp &&
    equalBytes(a.chainID, b.chainID) &&
    equalBytes(a.assetID, b.assetID) &&
    a.txFee === b.txFee &&
    a.createAssetTxFee === b.createAssetTxFee &&
    [...names].every((name) => {
      const [one, other] = [a.chains[name], b.chains[name]]
      return one !== undefined && other !== undefined && equalBytes(one, other)
    })
  )
}
