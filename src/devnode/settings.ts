import {
  argument,
  bytesOf,
  type Check,
  kinds,
  list,
  located,
  type Members,
  object,
  optional,
  text,
  u64,
} from '../core/base/argument.ts'
import { ADDRESS_SIZE, parseAddress } from '../core/base/encoding/address.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { sha256 } from '../core/base/hash/sha256.ts'
import {
  hrpOf,
  knownNetwork,
  type NetworkContext,
  networkIDNumber,
  networks,
} from '../core/chain/networks.ts'
import {
  buildGenesis,
  decodeGenesis,
  encodeGenesis,
  type Genesis,
  localGenesis,
  networkOfGenesis,
} from '../core/chain/x/genesis.ts'
import { parseJSON, stringifyJSON } from '../core/codec/json-text.ts'
import { requireUniqueAliases } from './x-chain/genesis.ts'

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

/** An address as text or bytes. Text is parsed once the network is known. */
export const address: Check<string | Uint8Array> = kinds<string | Uint8Array>({
  string: text,
  bytes: bytesOf(ADDRESS_SIZE),
})

/** Describes the members of {@link ChainSettings}. */
export const chainSettings: Members<ChainSettings> = {
  networkID: optional(networkIDNumber),
  allocations: optional(list(object<Allocation>({ address, amount: u64 }))),
  // The codec checks and copies it.
  genesis: optional((value) => decodeGenesis(encodeGenesis(value as Genesis))),
  fees: optional(
    object<NonNullable<ChainSettings['fees']>>({
      txFee: optional(u64),
      createAssetTxFee: optional(u64),
    }),
  ),
}

/** The settings of a chain with all defaults applied. */
export type ResolvedSettings = { readonly context: NetworkContext; readonly genesis: Genesis }

/** Applies the defaults. Without any option this is the local network with its known IDs. */
export function resolveSettings(options: ChainSettings): ResolvedSettings {
  const networkID = options.networkID ?? networks.local.networkID
  const genesis = options.genesis ?? genesisOf(networkID, options.allocations)
  requireUniqueAliases(genesis)
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

type StoredSettings = {
  readonly networkID: number
  readonly genesis: Genesis
  readonly txFee: bigint
  readonly createAssetTxFee: bigint
}

const storedAmount: Check<bigint> = (value, at) => u64(BigInt(text(value, at)), at)

const storedSettings: Check<StoredSettings> = object<StoredSettings>({
  networkID: networkIDNumber,
  genesis: (value, at) => decodeGenesis(hex.decode(text(value, at))),
  txFee: storedAmount,
  createAssetTxFee: storedAmount,
})

/** Parses the result of `settingsText`. */
export function parseSettings(settings: string): ResolvedSettings {
  const { networkID, genesis, ...fees } = argument('chain log', parseJSON(settings), storedSettings)
  return { genesis, context: contextOf(networkID, genesis, fees) }
}

/** Converts an address given as text or bytes. */
export function xChainAddress(address: string | Uint8Array, hrp: string): Uint8Array {
  return typeof address === 'string' ? parseAddress(address, { chain: 'X', hrp }).address : address
}

function genesisOf(networkID: number, allocations: ChainSettings['allocations']): Genesis {
  if (allocations === undefined) return localGenesis(networkID)
  const holders = allocations.map(({ address, amount }, i) => ({
    amount,
    address: located({ call: 'createDevNode', path: `allocations[${i}].address` }, () =>
      xChainAddress(address, hrpOf(networkID)),
    ),
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
  const known = knownNetwork(networkID)
  const { txFee, createAssetTxFee } = known ?? derived
  return {
    ...derived,
    txFee: fees.txFee ?? txFee,
    createAssetTxFee: fees.createAssetTxFee ?? createAssetTxFee,
    chains: { ...derived.chains, C: known?.chains.C ?? placeholderCChainID(networkID) },
  }
}

/** A stand-in: the ID of a real C-Chain depends on its genesis, which is not available here. */
function placeholderCChainID(networkID: number): Uint8Array {
  return sha256(new TextEncoder().encode(`C-Chain of network ${networkID}`))
}
