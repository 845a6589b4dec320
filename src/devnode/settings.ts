import {
  buildGenesis,
  decodeGenesis,
  encodeGenesis,
  type Genesis,
  localGenesis,
  networkOfGenesis,
} from '../chain/genesis.ts'
import { hrpOf, type NetworkContext, networks } from '../chain/networks.ts'
import { parseJSON, stringifyJSON } from '../codec/json-text.ts'
import { parseAddress } from '../encoding/address.ts'
import { hex } from '../encoding/hex.ts'
import { sha256 } from '../hash/sha256.ts'

/** An amount of AVAX that somebody has from the beginning. */
export type Allocation = {
  /** `X-local1…` or 20 bytes. */
  readonly address: string | Uint8Array
  readonly amount: bigint
}

/**
 * What decides the chain's IDs and rules; the rest of a node's options can change from start to
 * start.
 */
export type ChainSettings = {
  /**
   * 12345, the local network, where left out. 1 and 5 have the fees, upgrades and first block of
   * Mainnet and Fuji, but their own genesis only if it is given.
   */
  readonly networkID?: number | undefined
  /** Who has AVAX at the beginning, instead of the local network's allocations. */
  readonly allocations?: readonly Allocation[] | undefined
  /** The whole genesis, instead of allocations. */
  readonly genesis?: Genesis | undefined
  readonly fees?:
    | { readonly txFee?: bigint | undefined; readonly createAssetTxFee?: bigint | undefined }
    | undefined
}

/** A chain's settings with everything filled in. */
export type Settings = { readonly context: NetworkContext; readonly genesis: Genesis }

/** Fills in what was left out. Without any setting this is the local network with its known IDs. */
export function resolveSettings(options: ChainSettings): Settings {
  const networkID = options.networkID ?? networks.local.networkID
  const genesis = options.genesis ?? genesisOf(networkID, options.allocations)
  return { genesis, context: contextOf(networkID, genesis, options.fees) }
}

/** Whether anything was set that decides the chain. */
export function hasSettings(options: ChainSettings): boolean {
  return [options.networkID, options.allocations, options.genesis, options.fees].some(
    (option) => option !== undefined,
  )
}

/** Settings as text, to be kept with the chain they made. */
export function settingsText({ context, genesis }: Settings): string {
  return stringifyJSON({
    networkID: context.networkID,
    genesis: hex.encode(encodeGenesis(genesis)),
    txFee: String(context.txFee),
    createAssetTxFee: String(context.createAssetTxFee),
  })
}

/** Reads what `settingsText` wrote. */
export function parseSettings(text: string): Settings {
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

/** An address as bytes, wherever callers may write it as text. */
export function addressBytes(address: string | Uint8Array, hrp: string): Uint8Array {
  return typeof address === 'string' ? parseAddress(address, { chain: 'X', hrp }).address : address
}

function genesisOf(networkID: number, allocations: ChainSettings['allocations']): Genesis {
  if (allocations === undefined) return localGenesis(networkID)
  const holders = allocations.map(({ address, amount }) => ({
    amount,
    address: addressBytes(address, hrpOf(networkID)),
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
  const made = networkOfGenesis(networkID, genesis)
  const known = Object.values(networks).find((network) => network.networkID === networkID)
  const usual = known ?? made
  return {
    ...made,
    txFee: fees.txFee ?? usual.txFee,
    createAssetTxFee: fees.createAssetTxFee ?? usual.createAssetTxFee,
    chains: { ...made.chains, C: known?.chains.C ?? inventedCChainID(networkID) },
  }
}

/** A real C-Chain's ID comes from its own genesis, which is not known here. */
function inventedCChainID(networkID: number): Uint8Array {
  return sha256(new TextEncoder().encode(`C-Chain of network ${networkID}`))
}
