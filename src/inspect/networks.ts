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

/**
 * The context of a network whose IDs are built in.
 *
 * @throws InspectError `NETWORK_UNKNOWN`
 */
export function builtInContext(networkID: number, hint?: string): NetworkContext {
  const { context, name } = networkByID(networkID)
  if (context === undefined)
    throw new InspectError('NETWORK_UNKNOWN', `the IDs of ${name} are not built in`, { hint })
  return context
}
