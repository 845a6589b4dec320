import { equalBytes } from '../bytes/compare.ts'
import { hrpOf, type NetworkContext, networkName, networks } from '../chain/index.ts'
import { UsageError } from './errors.ts'
import { nearest } from './nearest.ts'

/** A network as far as its name or number tells. */
export type NamedNetwork = {
  readonly name: string
  readonly networkID: number
  readonly hrp: string
  /** Where its IDs are built in. */
  readonly context?: NetworkContext
}

/** Finds a network by name (`fuji`) or number. */
export function parseNetwork(text: string): NamedNetwork {
  const named = Object.values(networks).find(({ name }) => name === text)
  if (named !== undefined) return { ...named, context: named }
  const networkID = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(networkID <= 0xffffffff)) {
    const meant = nearest(text, Object.keys(networks))
    throw new UsageError('BAD_VALUE', 'expected mainnet, fuji, local or a network ID', {
      ...(meant === undefined ? {} : { hint: `did you mean ${meant}?` }),
    })
  }
  return networkByID(networkID)
}

/** The network that has this for its native asset, where its IDs are built in. */
export function networkOfAsset(assetID: Uint8Array): NamedNetwork | undefined {
  const known = Object.values(networks).find((network) => equalBytes(network.assetID, assetID))
  return known && networkByID(known.networkID)
}

/** What is known of a network by its number alone. */
export function networkByID(networkID: number): NamedNetwork {
  const context = Object.values(networks).find((network) => network.networkID === networkID)
  const facts = { name: networkName(networkID), networkID, hrp: hrpOf(networkID) }
  return context === undefined ? facts : { ...facts, context }
}
