import { parseAddress } from '../core/base/encoding/address.ts'
import { MAX_U64 } from '../core/base/encoding/amount.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { sha256 } from '../core/base/hash/sha256.ts'
import { requireBigint, requireList } from '../core/base/require.ts'
import { hrpOf, type NetworkContext, networks } from '../core/chain/networks.ts'
import {
  buildGenesis,
  decodeGenesis,
  encodeGenesis,
  type Genesis,
  localGenesis,
  networkOfGenesis,
} from '../core/chain/x/genesis.ts'
import { parseJSON, stringifyJSON } from '../core/codec/json-text.ts'
import { DevNodeError } from './errors.ts'

/** A genesis balance of AVAX. */
export type Allocation = {
  /** `X-local1…` or 20 bytes. */
  readonly address: string | Uint8Array
  /** In nAVAX. */
  readonly amount: bigint
}

/** Options that determine the chain's IDs and rules. Other options of a node may change from start to start. */
export type ChainSettings = {
  /**
   * Network ID. 1 and 5 have the fees, upgrades and first block of Mainnet and Fuji, but their genesis only if it is
   * given.
   *
   * @defaultValue 12345, the local network
   */
  readonly networkID?: number | undefined
  /** Genesis balances of AVAX; replace those of the local network. */
  readonly allocations?: readonly Allocation[] | undefined
  /** The complete genesis, instead of `allocations`. */
  readonly genesis?: Genesis | undefined
  /**
   * Fees in nAVAX.
   *
   * @defaultValue those of the network
   */
  readonly fees?:
    | { readonly txFee?: bigint | undefined; readonly createAssetTxFee?: bigint | undefined }
    | undefined
}

/** The settings of a chain with all defaults applied. */
export type ResolvedSettings = { readonly context: NetworkContext; readonly genesis: Genesis }

/** Applies the defaults. Without any option this is the local network with its known IDs. */
export function resolveSettings(options: ChainSettings): ResolvedSettings {
  const networkID = options.networkID ?? networks.local.networkID
  const genesis = options.genesis ?? genesisOf(networkID, options.allocations)
  return { genesis, context: contextOf(networkID, genesis, options.fees) }
}

/** Whether an option is set that determines the chain. */
export function hasSettings(options: ChainSettings): boolean {
  return [options.networkID, options.allocations, options.genesis, options.fees].some(
    (option) => option !== undefined,
  )
}

/** Serializes settings, to be stored with the chain. */
export function settingsText({ context, genesis }: ResolvedSettings): string {
  return stringifyJSON({
    networkID: context.networkID,
    genesis: hex.encode(encodeGenesis(genesis)),
    txFee: String(context.txFee),
    createAssetTxFee: String(context.createAssetTxFee),
  })
}

/** Parses the result of `settingsText`. */
export function parseSettings(text: string): ResolvedSettings {
  const stored = parseJSON(text) as {
    networkID: number
    genesis: string
    txFee: string
    createAssetTxFee: string
  }
  const genesis = decodeGenesis(hex.decode(stored.genesis))
  const fees = {
    txFee: BigInt(stored.txFee),
    createAssetTxFee: BigInt(stored.createAssetTxFee),
  }
  return { genesis, context: contextOf(stored.networkID, genesis, fees) }
}

/** Converts an address given as text or bytes. */
export function xChainAddress(address: string | Uint8Array, hrp: string): Uint8Array {
  return typeof address === 'string' ? parseAddress(address, { chain: 'X', hrp }).address : address
}

function genesisOf(networkID: number, allocations: ChainSettings['allocations']): Genesis {
  if (allocations === undefined) return localGenesis(networkID)
  requireList(allocations, 'allocations')
  const holders = allocations.map(({ address, amount }) => ({
    amount,
    address: xChainAddress(address, hrpOf(networkID)),
  }))
  return buildGenesis(networkID, [
    { alias: 'AVAX', name: 'Avalanche', symbol: 'AVAX', denomination: 9, holders },
  ])
}

function contextOf(
  networkID: number,
  genesis: Genesis,
  fees: ChainSettings['fees'] = {},
): NetworkContext {
  const derived = networkOfGenesis(networkID, genesis)
  const known = Object.values(networks).find((network) => network.networkID === networkID)
  const { txFee, createAssetTxFee } = known ?? derived
  return {
    ...derived,
    txFee: requireFee('txFee', fees.txFee ?? txFee),
    createAssetTxFee: requireFee('createAssetTxFee', fees.createAssetTxFee ?? createAssetTxFee),
    chains: { ...derived.chains, C: known?.chains.C ?? placeholderCChainID(networkID) },
  }
}

function requireFee(name: string, fee: bigint): bigint {
  requireBigint(fee, name)
  if (fee < 0n || fee > MAX_U64)
    throw new DevNodeError('BAD_OPTION', `${name} must be from 0 to 2^64-1, is ${fee}`)
  return fee
}

/** A stand-in: the ID of a real C-Chain depends on its genesis, which is not available here. */
function placeholderCChainID(networkID: number): Uint8Array {
  return sha256(new TextEncoder().encode(`C-Chain of network ${networkID}`))
}
