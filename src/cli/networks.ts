import { equalBytes } from '../bytes/compare.ts'
import { hrpOf, type NetworkContext, networkName, networks } from '../chain/networks.ts'
import { CliError, UsageError } from './errors.ts'
import { nearest } from './nearest.ts'

/** What is known about a network from its name or ID. */
export type NamedNetwork = {
  readonly name: string
  readonly networkID: number
  readonly hrp: string
  /** If its IDs are built in. */
  readonly context?: NetworkContext | undefined
  /** A public node for reading. */
  readonly publicURL?: string | undefined
}

/** Nodes that Ava Labs runs for everybody, by network ID. */
const PUBLIC_URLS: { readonly [networkID: number]: string } = {
  1: 'https://api.avax.network',
  5: 'https://api.avax-test.network',
}

/** Finds a network by name (`fuji`) or number. */
export function parseNetwork(text: string): NamedNetwork {
  const named = Object.values(networks).find(({ name }) => name === text)
  if (named !== undefined) return networkByID(named.networkID)
  const networkID = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(networkID <= 0xffffffff)) {
    const suggestion = nearest(text, Object.keys(networks))
    throw new UsageError('BAD_VALUE', 'the network must be mainnet, fuji, local or a network ID', {
      hint: suggestion && `did you mean ${suggestion}?`,
    })
  }
  return networkByID(networkID)
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
    context: Object.values(networks).find((network) => network.networkID === networkID),
    publicURL: PUBLIC_URLS[networkID],
  }
}

/**
 * The facts of a network whose IDs are built in.
 *
 * @throws CliError `NETWORK_UNKNOWN`
 */
export function builtInContext(networkID: number, hint?: string): NetworkContext {
  const { context, name } = networkByID(networkID)
  if (context === undefined)
    throw new CliError('NETWORK_UNKNOWN', `the facts of ${name} are not built in`, { hint })
  return context
}
