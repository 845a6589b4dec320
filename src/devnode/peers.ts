import {
  type Check,
  invalid,
  list,
  located,
  object,
  optional,
  record,
  text,
  u32,
  u64,
} from '../core/base/argument.ts'
import { formatNodeID, parseNodeID } from '../core/base/encoding/ids.ts'
import type { Json } from '../core/codec/json.ts'
import { stringifyJSON } from '../core/codec/json-text.ts'

/** A simulated peer of the development node. */
export type DevPeer = {
  /** `NodeID-…`. */
  readonly nodeID: string
  /**
   * Address and port of the connection.
   *
   * @defaultValue `127.0.0.1:9651`
   */
  readonly ip?: string | undefined
  /** @defaultValue the same as `ip` */
  readonly publicIP?: string | undefined
  /** @defaultValue `avalanchego/1.14.2` */
  readonly version?: string | undefined
  /**
   * Unix seconds of the last message sent to the peer.
   *
   * @defaultValue now
   */
  readonly lastSent?: number | undefined
  /**
   * Unix seconds of the last message received from the peer.
   *
   * @defaultValue now
   */
  readonly lastReceived?: number | undefined
  /**
   * Percentage of the time that the peer was observed to be up.
   *
   * @defaultValue 100
   */
  readonly observedUptime?: number | undefined
  /** Subnet IDs. */
  readonly trackedSubnets?: readonly string[] | undefined
  /** Numbers of the community proposals (ACPs) that the peer supports. */
  readonly supportedACPs?: readonly number[] | undefined
  /** Numbers of the community proposals that the peer objects to. */
  readonly objectedACPs?: readonly number[] | undefined
  /** Aliases of chains on which the peer is benched. */
  readonly benched?: readonly string[] | undefined
}

/** Stake for and against a community proposal (ACP). By default weights are 0 and lists empty. */
export type DevProposal = {
  /** Stake in favor, in nAVAX. */
  readonly supportWeight?: bigint | undefined
  /** Node IDs. */
  readonly supporters?: readonly string[] | undefined
  /** Stake against, in nAVAX. */
  readonly objectWeight?: bigint | undefined
  /** Node IDs. */
  readonly objectors?: readonly string[] | undefined
  /** Stake of validators without a preference, in nAVAX. */
  readonly abstainWeight?: bigint | undefined
}

const weight = optional(u64)
const texts = optional(list(text))
const numbers = optional(list(u32))

/** Describes peers. Node IDs are brought into their usual form. */
export const peersArgument: Check<readonly DevPeer[]> = list(
  object<DevPeer>({
    nodeID: (value, at) => {
      const id = text(value, at)
      return located(at, () => formatNodeID(parseNodeID(id)))
    },
    ip: optional(text),
    publicIP: optional(text),
    version: optional(text),
    lastSent: optional(u32),
    lastReceived: optional(u32),
    observedUptime: optional(u32),
    trackedSubnets: texts,
    supportedACPs: numbers,
    objectedACPs: numbers,
    benched: texts,
  }),
)

const proposals = record(
  object<DevProposal>({
    supportWeight: weight,
    supporters: texts,
    objectWeight: weight,
    objectors: texts,
    abstainWeight: weight,
  }),
)

/** Describes proposals by their numbers. */
export const proposalsArgument: Check<{ readonly [number: string]: DevProposal }> = (value, at) => {
  const copy = proposals(value, at)
  const wrong = Object.keys(copy).find((name) => String(Number(name) >>> 0) !== name)
  if (wrong !== undefined) throw invalid(wrong, at, 'proposals by number')
  return copy
}

/** Upgrade time that nodes on networks other than Mainnet and Fuji report, in unix seconds. */
const UPGRADE_TIME = 1_607_144_400

/** The simulated peers and their preferences. */
export class PeerList {
  private peers: readonly DevPeer[] = []
  /** Numbers as text with the JSON of the proposal, sorted as text. */
  private proposals: readonly (readonly [string, string])[] = []
  private readonly now: () => bigint

  constructor(now: () => bigint) {
    this.now = now
  }

  get size(): number {
    return this.peers.length
  }

  /** Replaces all peers. */
  set(peers: readonly DevPeer[]): void {
    this.peers = peers
  }

  /** Replaces all proposals, by number. */
  setProposals(given: { readonly [number: string]: DevProposal }): void {
    this.proposals = Object.entries(given)
      .map(([number, proposal]) => [number, stringifyJSON(proposalJSON(proposal))] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }

  /**
   * Returns the result of `info.acps`. Go sorts the numbers as text; a JavaScript object would sort them as numbers.
   */
  acps(): string {
    return `{"acps":{${this.proposals.map(([number, json]) => `"${number}":${json}`).join(',')}}}`
  }

  /** Returns the result of `info.peers`: all peers, or the connected ones of `nodeIDs`. */
  report(nodeIDs: readonly string[]): string {
    const shown = this.peers.filter(
      ({ nodeID }) => nodeIDs.length === 0 || nodeIDs.includes(nodeID),
    )
    return stringifyJSON({
      numPeers: String(shown.length),
      peers: shown.map((peer) => this.peerJSON(peer)),
    })
  }

  /** Members of the network's health check; without times if there are no peers. */
  health(): Json {
    const counts = { connectedPeers: this.size, sendFailRate: 0 }
    if (this.size === 0) return counts
    const since = (member: 'lastSent' | 'lastReceived') => {
      const now = Number(this.now())
      const last = this.peers.reduce((latest, peer) => Math.max(latest, peer[member] ?? now), 0)
      return goDuration(now - last)
    }
    return {
      ...counts,
      timeSinceLastMsgReceived: since('lastReceived'),
      timeSinceLastMsgSent: since('lastSent'),
    }
  }

  private peerJSON(peer: DevPeer): Json {
    const { ip = '127.0.0.1:9651', publicIP = ip, version = 'avalanchego/1.14.2' } = peer
    return {
      ip,
      publicIP,
      nodeID: peer.nodeID,
      version,
      upgradeTime: UPGRADE_TIME,
      lastSent: this.timeText(peer.lastSent),
      lastReceived: this.timeText(peer.lastReceived),
      observedUptime: String(peer.observedUptime ?? 100),
      trackedSubnets: peer.trackedSubnets ?? [],
      supportedACPs: peer.supportedACPs ?? [],
      objectedACPs: peer.objectedACPs ?? [],
      benched: peer.benched ?? [],
    }
  }

  private timeText(seconds: number = Number(this.now())): string {
    return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
  }
}

function proposalJSON(proposal: DevProposal): Json {
  return {
    supportWeight: String(proposal.supportWeight ?? 0n),
    supporters: proposal.supporters ?? [],
    objectWeight: String(proposal.objectWeight ?? 0n),
    objectors: proposal.objectors ?? [],
    abstainWeight: String(proposal.abstainWeight ?? 0n),
  }
}

/** Formats whole seconds as a Go duration: `0s`, `59s`, `1m0s`, `1h0m0s`. */
function goDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60)]
  if (minutes === 0) return `${whole}s`
  const rest = `${minutes % 60}m${whole % 60}s`
  return hours === 0 ? rest : `${hours}h${rest}`
}
