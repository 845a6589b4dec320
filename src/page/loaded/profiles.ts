import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { type NetworkProfile, parseNetworkProfile } from '../../core/chain/network-profile.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'

/** The profiles that were loaded into the page. They are forgotten when it is closed. */
const loaded: NetworkContext[] = []

/** Whether a text may be the file of a network profile: a JSON object with an address prefix, which no request has. */
export function isProfile(text: string): boolean {
  return (
    /^\s*\{/.test(text) && /"hrp"\s*:/.test(text.slice(0, 65_536)) && !/"signerSets"/.test(text)
  )
}

/**
 * Loads a profile. Requests of its network can be read from then on.
 *
 * @throws ArgumentError
 */
export function loadProfile(text: string): NetworkProfile {
  const profile = parseNetworkProfile(text)
  const { chainID } = profile.context
  const known = loaded.findIndex((context) => equalBytes(context.chainID, chainID))
  if (known >= 0) loaded.splice(known, 1)
  loaded.push(profile.context)
  return profile
}

/** The loaded networks. */
export function loadedNetworks(): readonly NetworkContext[] {
  return loaded
}

/** The loaded network of a request file: the one whose X-Chain it names. Parsing the request checks the rest. */
export function loadedNetworkOf(request: string): NetworkContext | undefined {
  const named = /"chainID"\s*:\s*"(\w{1,64})"/.exec(request)?.[1]
  return loaded.find(({ chainID }) => formatID(chainID) === named)
}
