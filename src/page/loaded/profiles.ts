import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import { type NetworkProfile, parseNetworkProfile } from '../../core/chain/network-profile.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'

/** The profiles that were loaded into the page. They are forgotten when it is closed. */
let loaded: readonly NetworkContext[] = []

/**
 * Whether a text may be the file of a network profile: a JSON object with an address prefix, which no request has, or
 * with the IDs of a network and its X-Chain at the top, and no format.
 */
export function isProfile(text: string): boolean {
  const start = text.slice(0, 65_536)
  const has = (name: string) => new RegExp(`"${name}"\\s*:`).test(start)
  return (
    /^\s*\{/.test(text) &&
    !/"signerSets"/.test(text) &&
    (has('hrp') || (has('networkID') && has('chainID') && !has('format')))
  )
}

/**
 * Loads a profile. Requests of its network can be read from then on. It replaces the loaded one with the same X-Chain.
 *
 * @throws ArgumentError
 */
export function loadProfile(text: string): NetworkProfile {
  const profile = parseNetworkProfile(text)
  const { context } = profile
  const others = loaded.filter(({ chainID }) => !equalBytes(chainID, context.chainID))
  requireOwnName(context, others)
  loaded = [...others, context]
  return profile
}

/** Readers tell networks apart by name and prefix. All networks without a name in the node share the prefix `custom`. */
function requireOwnName({ name, hrp }: NetworkContext, others: readonly NetworkContext[]): void {
  const other = others.find((each) => each.name === name || (each.hrp === hrp && hrp !== 'custom'))
  if (other !== undefined)
    throw new ArgumentError(
      'ENC_INVALID',
      `the name or the address prefix is that of the loaded network ${other.name}, but not the ID of the X-Chain`,
      { hint: 'reload the page to forget the loaded networks' },
    )
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
