import { type Check, list, object, optional, text } from '../../core/base/argument.ts'
import { id } from '../../core/base/encoding/ids.ts'
import type { TxFees } from './avm.ts'
import { plainHex } from './encoded.ts'
import { type NoParams, noParams, type Params } from './method.ts'
import { type ID, nameOrID, nameText } from './params.ts'
import type { Reply } from './reply.ts'

/** Stake for and against a community proposal (ACP). Weights are in nAVAX. */
export type ProposalPreference = {
  readonly supportWeight: bigint
  readonly objectWeight: bigint
  readonly abstainWeight: bigint
  /** Node IDs. */
  readonly supporters: readonly string[]
  /** Node IDs. */
  readonly objectors: readonly string[]
}

/** ID and BLS key of a node, with proof of possession. */
export type NodeIdentity = {
  readonly nodeID: string
  readonly nodePOP: {
    /** BLS public key, 48 bytes as `0x…` hex. */
    readonly publicKey: string
    /** BLS signature, 96 bytes as `0x…` hex. */
    readonly proofOfPossession: string
  }
}

/** Versions of a node, as opaque text: the format differs between releases. */
export type NodeVersion = {
  readonly version: string
  readonly databaseVersion: string
  /** Empty if the build does not include it. */
  readonly gitCommit: string
  /** Version of the protocol between node and virtual machines, such as `45`. */
  readonly rpcProtocolVersion: string
  readonly vmVersions: { readonly [vm: string]: string }
}

/** All fees of a network, in nAVAX. Only `txFee` and `createAssetTxFee` are still charged. */
export type AllTxFees = TxFees & {
  readonly createSubnetTxFee: bigint | undefined
  readonly transformSubnetTxFee: bigint | undefined
  readonly createBlockchainTxFee: bigint | undefined
  readonly addPrimaryNetworkValidatorFee: bigint | undefined
  readonly addPrimaryNetworkDelegatorFee: bigint | undefined
  readonly addSubnetValidatorFee: bigint | undefined
  readonly addSubnetDelegatorFee: bigint | undefined
}

/** Virtual machines and feature extensions of a node. */
export type InstalledVMs = {
  /** Aliases by ID. */
  readonly vms: { readonly [vmID: string]: readonly string[] }
  /** Names by ID; empty for nodes before v1.10.19, which list them among `vms`. */
  readonly fxs: { readonly [fxID: string]: string }
}

/** A peer of the node. */
export type Peer = {
  /** Address and port of the connection. The port of an incoming connection is not the listening port. */
  readonly ip: string
  /** Public address and port; empty if unknown. */
  readonly publicIP: string
  readonly nodeID: string
  readonly version: string
  /** Unix seconds. */
  readonly upgradeTime: bigint | undefined
  /** RFC 3339 in the node's time zone. */
  readonly lastSent: string
  /** RFC 3339 in the node's time zone. */
  readonly lastReceived: string
  /** In percent. */
  readonly observedUptime: number
  readonly trackedSubnets: readonly string[]
  readonly supportedACPs: readonly number[]
  readonly objectedACPs: readonly number[]
  /** Aliases of chains on which the peer is benched. */
  readonly benched: readonly string[]
}

/** Connections of a node. */
export type Peers = { readonly numPeers: number; readonly peers: readonly Peer[] }

/** Uptime as observed by the validators, in percent. */
export type Uptime = {
  readonly rewardingStakePercentage: number
  readonly weightedAveragePercentage: number
}

/** Names of upgrade times in the node's answer; later releases add more. */
export type UpgradeTime =
  | 'apricotPhase1Time'
  | 'apricotPhase2Time'
  | 'apricotPhase3Time'
  | 'apricotPhase4Time'
  | 'apricotPhase5Time'
  | 'apricotPhasePre6Time'
  | 'apricotPhase6Time'
  | 'apricotPhasePost6Time'
  | 'banffTime'
  | 'cortinaTime'
  | 'durangoTime'
  | 'etnaTime'
  | 'fortunaTime'
  | 'graniteTime'
  | 'heliconTime'

/**
 * Times of upgrades, by the node's names, as ISO 8601 text in UTC. Undefined if the release does not know the
 * upgrade; the year 9999 means not scheduled.
 */
export type Upgrades = { readonly [name in UpgradeTime]?: string } & {
  readonly apricotPhase4MinPChainHeight: bigint
  readonly cortinaXChainStopVertexID: string
  /** Nanoseconds. */
  readonly graniteEpochDuration?: bigint | undefined
  /** Later releases add members that are text or integers. */
  readonly [name: string]: string | bigint | undefined
}

/** @inline */
type ChainParams = { readonly chain: ID }

const chainParams: Check<ChainParams> = object<ChainParams>({ chain: nameOrID })

/** @inline */
type AliasParams = { readonly alias: string }

const aliasParams: Check<AliasParams> = object<AliasParams>({ alias: text })

/** @inline */
type PeersParams = { readonly nodeIDs?: readonly string[] | undefined }

const peersParams: Check<PeersParams> = object<PeersParams>({
  nodeIDs: optional(list(text)),
})

/** @inline */
type UptimeParams = { readonly subnetID?: ID | undefined }

const uptimeParams: Check<UptimeParams> = object<UptimeParams>({
  subnetID: optional(id),
})

/** Methods about the node and its network. They work while chains are bootstrapping. */
export const infoMethods = {
  /** Preferences for community proposals by number; often empty. */
  acps: {
    method: 'info.acps',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): { readonly [proposal: string]: ProposalPreference } =>
      r.present('acps').map('acps', (acps, number) => {
        const acp = acps.object(number)
        return {
          supportWeight: acp.u64('supportWeight'),
          objectWeight: acp.u64('objectWeight'),
          abstainWeight: acp.u64('abstainWeight'),
          supporters: acp.strings('supporters'),
          objectors: acp.strings('objectors'),
        }
      }),
  },
  /** Whether a chain (alias or ID) is bootstrapped. */
  isBootstrapped: {
    method: 'info.isBootstrapped',
    accepts: (): Check<ChainParams> => chainParams,
    params: (p: ChainParams): Params => ({ chain: nameText(p.chain) }),
    reply: (r: Reply): boolean => r.boolean('isBootstrapped'),
  },
  /** ID of a chain by alias. */
  getBlockchainID: {
    method: 'info.getBlockchainID',
    accepts: (): Check<AliasParams> => aliasParams,
    params: (p: AliasParams): Params => ({ alias: p.alias }),
    reply: (r: Reply): Uint8Array => r.id('blockchainID'),
  },
  /** Network ID: 1 is mainnet, 5 is fuji. */
  getNetworkID: {
    method: 'info.getNetworkID',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): number => r.u32('networkID'),
  },
  /** Network name, such as `mainnet`, `fuji`, `local`, `network-1337`. */
  getNetworkName: {
    method: 'info.getNetworkName',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): string => r.string('networkName'),
  },
  /** ID and BLS key of the node. Not available on public servers. */
  getNodeID: {
    method: 'info.getNodeID',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): NodeIdentity => {
      const proof = r.object('nodePOP')
      return {
        nodeID: r.string('nodeID'),
        nodePOP: {
          publicKey: sizedHex(proof, 'publicKey', 48),
          proofOfPossession: sizedHex(proof, 'proofOfPossession', 96),
        },
      }
    },
  },
  /** Public address and port of the node; empty if unknown. Not available on public servers. */
  getNodeIP: {
    method: 'info.getNodeIP',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): string => r.string('ip'),
  },
  /** Versions of node, database, virtual machines and protocol. */
  getNodeVersion: {
    method: 'info.getNodeVersion',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): NodeVersion => ({
      version: r.string('version'),
      databaseVersion: r.string('databaseVersion'),
      gitCommit: r.string('gitCommit'),
      rpcProtocolVersion: r.label('rpcProtocolVersion'),
      vmVersions: r.map('vmVersions', (versions, vm) => versions.string(vm)),
    }),
  },
  /**
   * Fees of the network.
   *
   * @deprecated since node v1.12.2: use `avm.getTxFee`.
   */
  getTxFee: {
    method: 'info.getTxFee',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): AllTxFees => ({
      txFee: r.u64('txFee'),
      createAssetTxFee: r.u64('createAssetTxFee'),
      createSubnetTxFee: r.optionalU64('createSubnetTxFee'),
      transformSubnetTxFee: r.optionalU64('transformSubnetTxFee'),
      createBlockchainTxFee: r.optionalU64('createBlockchainTxFee'),
      addPrimaryNetworkValidatorFee: r.optionalU64('addPrimaryNetworkValidatorFee'),
      addPrimaryNetworkDelegatorFee: r.optionalU64('addPrimaryNetworkDelegatorFee'),
      addSubnetValidatorFee: r.optionalU64('addSubnetValidatorFee'),
      addSubnetDelegatorFee: r.optionalU64('addSubnetDelegatorFee'),
    }),
  },
  /** Installed virtual machines and feature extensions. Not available on public servers. */
  getVMs: {
    method: 'info.getVMs',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): InstalledVMs => ({
      vms: r.present('vms').map('vms', (vms, vmID) => vms.strings(vmID)),
      fxs: r.map('fxs', (fxs, fxID) => fxs.string(fxID)),
    }),
  },
  /** All peers, or the connected ones of `nodeIDs`. */
  peers: {
    method: 'info.peers',
    accepts: (): Check<PeersParams> => peersParams,
    params: (p: PeersParams): Params => ({ nodeIDs: p.nodeIDs }),
    reply: (r: Reply): Peers => ({
      numPeers: r.u32('numPeers'),
      peers: r.present('peers').list('peers', (items, i) => readPeer(items.object(i))),
    }),
  },
  /** Uptime of the node as observed by validators. Nodes since v1.11.12 ignore `subnetID`. */
  uptime: {
    method: 'info.uptime',
    accepts: (): Check<UptimeParams> => uptimeParams,
    params: (p: UptimeParams): Params => ({
      subnetID: p.subnetID === undefined ? undefined : nameText(p.subnetID),
    }),
    reply: (r: Reply): Uptime => ({
      rewardingStakePercentage: r.decimal('rewardingStakePercentage'),
      weightedAveragePercentage: r.decimal('weightedAveragePercentage'),
    }),
  },
  /** Times of the network upgrades. */
  upgrades: {
    method: 'info.upgrades',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): Upgrades => ({
      ...(knownKinds(r) as Upgrades),
      apricotPhase4MinPChainHeight: r.u64('apricotPhase4MinPChainHeight'),
      cortinaXChainStopVertexID: r.string('cortinaXChainStopVertexID'),
    }),
  },
}

/** Returns a `0x…` hex text that must have a given number of bytes. */
function sizedHex(r: Reply, field: string, size: number): string {
  const { length } = r.parsed(field, plainHex)
  if (length !== size) throw r.mismatch(field, `of ${size} bytes`, `of ${length}`)
  return r.string(field)
}

/**
 * Returns the members that are text or integers; later releases may add other kinds, which are omitted. Members named
 * `…Time` must be text, and `…Duration` integers.
 */
function knownKinds(r: Reply): { readonly [name: string]: string | bigint } {
  const all = Object.entries(r.own((members, key) => members.json(key)))
  const known = all.flatMap(([name, value]): [string, string | bigint][] => {
    if (name.endsWith('Duration')) return [[name, r.u64(name)]]
    if (name.endsWith('Time') || typeof value === 'string') return [[name, r.string(name)]]
    const isInteger = typeof value === 'bigint' || (typeof value === 'number' && value % 1 === 0)
    return isInteger && value >= 0 ? [[name, r.u64(name)]] : []
  })
  return Object.fromEntries(known)
}

function readPeer(r: Reply): Peer {
  return {
    ip: r.string('ip'),
    publicIP: r.optionalString('publicIP') ?? '',
    nodeID: r.string('nodeID'),
    version: r.string('version'),
    upgradeTime: r.optionalU64('upgradeTime'),
    lastSent: r.string('lastSent'),
    lastReceived: r.string('lastReceived'),
    observedUptime: r.u32('observedUptime'),
    trackedSubnets: r.strings('trackedSubnets'),
    supportedACPs: r.list('supportedACPs', (items, k) => items.u32(k)),
    objectedACPs: r.list('objectedACPs', (items, k) => items.u32(k)),
    benched: r.strings('benched'),
  }
}
