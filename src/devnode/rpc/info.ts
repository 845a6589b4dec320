import { cb58 } from '../../core/base/encoding/cb58.ts'
import { type NetworkContext, networkName } from '../../core/chain/networks.ts'
import { asciiID, FX_NAMES } from '../../core/chain/x/fx.ts'
import { FX_IDS } from '../../core/chain/x/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import type { PeerList } from '../peers.ts'
import { upgradesOf } from '../upgrades.ts'
import { MethodError, type MethodHandler } from './envelope.ts'

/** Data of the `info.*` methods. */
export type InfoService = {
  readonly context: NetworkContext
  readonly lookup: (alias: string) => Uint8Array | undefined
  readonly bootstrapped: () => boolean
  readonly peers: PeerList
  /** When Helicon is in force from. */
  readonly heliconTime: string
}

const NODE_VERSION = 'avalanchego/1.14.2'

/** The ID of the node, and its BLS key with the proof of possession: those of the node of `node-replies.json`. */
export const NODE_ID = 'NodeID-2Af1njrQiMF8GHfMn3yWFrRmfsFCkTT2h'
const NODE_PROOF = {
  publicKey:
    '0xb6961e79b900cc619040a5098250e79447317c14c7f47a31d917ff87bd4f0491b83a74291840a06bc1f3ed8ab65c3449',
  proofOfPossession:
    '0x91d2c1b60b5acfbc11e38a2cca50218c48e805ce89fcdfc965b1fd0764a35c0b03bbe2425f99895fac7c52787920d2f90818cf9d116550bb06232f46de948412a691af6aff84b06c38d990d49669e28c09408c31a4a607657cfe1bc331bc4524',
}

/** The methods of `info.*` by name. */
export function infoHandlers(service: InfoService): { readonly [name: string]: MethodHandler } {
  return {
    getNodeVersion: () =>
      stringifyJSON({
        version: NODE_VERSION,
        databaseVersion: 'v1.4.5',
        rpcProtocolVersion: '45',
        gitCommit: '',
        vmVersions: { avm: NODE_VERSION, evm: 'v1.14.2', platform: NODE_VERSION },
      }),
    getNodeID: () => stringifyJSON({ nodeID: NODE_ID, nodePOP: NODE_PROOF }),
    getNodeIP: () => stringifyJSON({ ip: '127.0.0.1:9651' }),
    getNetworkID: () => stringifyJSON({ networkID: String(service.context.networkID) }),
    getNetworkName: () => stringifyJSON({ networkName: networkName(service.context.networkID) }),
    getBlockchainID(params) {
      const alias = params.string('alias')
      const id = service.lookup(alias)
      if (id === undefined) throw new MethodError(`there is no ID with alias: ${alias}`)
      return stringifyJSON({ blockchainID: cb58.encode(id) })
    },
    isBootstrapped(params) {
      const chain = params.string('chain')
      if (chain === '') throw new MethodError("argument 'chain' not given")
      if (service.lookup(chain) === undefined)
        throw new MethodError(`there is no chain with alias/ID '${chain}'`)
      return stringifyJSON({ isBootstrapped: service.bootstrapped() })
    },
    getTxFee: () =>
      stringifyJSON({
        txFee: String(service.context.txFee),
        createAssetTxFee: String(service.context.createAssetTxFee),
        ...creationFees(service.context.networkID),
        addPrimaryNetworkValidatorFee: '0',
        addPrimaryNetworkDelegatorFee: '0',
        addSubnetValidatorFee: '1000000',
        addSubnetDelegatorFee: '1000000',
      }),
    getVMs: () =>
      stringifyJSON({
        vms: sorted([
          [cb58.encode(asciiID('avm')), ['avm']],
          [cb58.encode(asciiID('evm')), ['evm']],
          [cb58.encode(asciiID('platformvm')), ['platform']],
        ]),
        fxs: sorted(FX_NAMES.map((name, i) => [FX_IDS[i]!, name])),
      }),
    peers: (params) => service.peers.report(params.nodeIDs('nodeIDs')),
    uptime() {
      if (!service.bootstrapped())
        throw new MethodError("couldn't get node uptime: node is not a validator")
      return stringifyJSON({
        rewardingStakePercentage: '100.0000',
        weightedAveragePercentage: '100.0000',
      })
    },
    upgrades: () =>
      stringifyJSON({
        ...upgradesOf(service.context.networkID),
        heliconTime: service.heliconTime,
      }),
    acps: () => service.peers.acps(),
  }
}

/** P-Chain fees that are no longer charged (avalanchego `genesis/`). */
function creationFees(networkID: number): { readonly [name: string]: string } {
  const create = networkID === 1 ? '1000000000' : '100000000'
  const transform = networkID === 1 ? '10000000000' : networkID === 5 ? '1000000000' : create
  return {
    createSubnetTxFee: create,
    transformSubnetTxFee: transform,
    createBlockchainTxFee: create,
  }
}

/** Go prints maps sorted by key. */
function sorted<T>(entries: readonly (readonly [string, T])[]): { [key: string]: T } {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}
