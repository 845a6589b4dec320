import { equalBytes } from '../core/base/bytes/compare.ts'
import {
  hrpOf,
  knownNetwork,
  type NetworkContext,
  networkName,
  networks,
} from '../core/chain/networks.ts'
import { InspectError } from './errors.ts'

/** What is known about a network from its name or ID. */
export type NamedNetwork = {
  readonly name: string
  readonly networkID: number
  readonly hrp: string
  /** If its IDs are built in, or in the file of a profile. */
  readonly context?: NetworkContext | undefined
  /** Whether it comes from a file: another network can have the same network ID. */
  readonly isProfile?: true
  /** A public node for reading. */
  readonly publicURL?: string | undefined
}

/** Nodes that Ava Labs runs for everybody, by network ID. */
const PUBLIC_URLS: { readonly [networkID: number]: string } = {
  1: 'https://api.avax.network',
  5: 'https://api.avax-test.network',
}

/** The built-in network with this native asset. */
export function networkOfAsset(assetID: Uint8Array): NamedNetwork | undefined {
  const known = Object.values(networks).find((network) => equalBytes(network.assetID, assetID))
  return known && networkByID(known.networkID)
}

/** What is known about a network from its ID. */
export function networkByID(networkID: number): NamedNetwork {
  return {
    name: networkName(networkID),
    networkID,
    hrp: hrpOf(networkID),
    context: knownNetwork(networkID),
    publicURL: PUBLIC_URLS[networkID],
  }
}

/** What names the network and chain of a transaction. */
type TxNetwork = { readonly networkID: number; readonly blockchainID: Uint8Array }

/**
 * The network of a transaction. Networks can have the network ID of Mainnet or Fuji, as Songbird has that of Fuji: a chain
 * that these do not have belongs to an unknown network, whose addresses have the prefix `custom`.
 *
 * @param named - the network that the user named
 */
export function networkOfTx(tx: TxNetwork, named?: NamedNetwork): NamedNetwork {
  const { networkID } = tx
  if (named?.networkID === networkID && named.context && hasChain(named.context, tx)) return named
  const network = networkByID(networkID)
  const { context, publicURL } = network
  // Whoever starts a local network chooses its chains, and its prefix is that of its ID.
  if (context === undefined || publicURL === undefined || hasChain(context, tx)) return network
  return { name: `network-${networkID}`, networkID, hrp: 'custom' }
}

function hasChain({ chainID, chains }: NetworkContext, { blockchainID }: TxNetwork): boolean {
  return [chainID, ...Object.values(chains)].some((id) => equalBytes(id, blockchainID))
}

/**
 * The context of the network of a transaction, if its IDs are built in or the user named it.
 *
 * @throws InspectError `NETWORK_UNKNOWN`
 */
export function contextOfTx(tx: TxNetwork, hint?: string, named?: NamedNetwork): NetworkContext {
  const { context, name } = networkOfTx(tx, named)
  if (context === undefined)
    throw new InspectError('NETWORK_UNKNOWN', `the IDs of ${name} are not built in`, { hint })
  return context
}
