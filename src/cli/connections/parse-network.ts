import { ArgumentError } from '../../core/base/errors.ts'
import { nearest } from '../../core/base/nearest.ts'
import { parseNetworkProfile } from '../../core/chain/network-profile.ts'
import { networks } from '../../core/chain/networks.ts'
import { type NamedNetwork, networkByID } from '../../inspect/networks.ts'
import { UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import type { Surroundings } from '../surroundings.ts'

const NETWORK_FILE_HINT = 'other networks need a file: --network ./flare.json'

/** Whether a text names the file of a network profile, not a network: it has a folder or the ending of JSON. */
export function isNetworkFile(text: string): boolean {
  return /[/\\]|\.json$/i.test(text)
}

/**
 * Finds a network by name, number, or the file of its profile.
 *
 * @throws UsageError `BAD_VALUE`; CliError `FILE_UNREADABLE`
 */
export async function findNetwork(text: string, io: Surroundings): Promise<NamedNetwork> {
  if (!isNetworkFile(text)) return parseNetwork(text)
  const file = await readText(text, io)
  try {
    const { context, publicURLs } = parseNetworkProfile(file)
    const { name, networkID, hrp } = context
    return { name, networkID, hrp, context, publicURL: publicURLs[0], isProfile: true }
  } catch (cause) {
    if (!(cause instanceof ArgumentError)) throw cause
    throw new UsageError('BAD_VALUE', `the network file is invalid: ${cause.message}`, {
      cause,
      hint: cause.hint,
    })
  }
}

/** Finds a network by name (`fuji`) or number. */
export function parseNetwork(text: string): NamedNetwork {
  const named = Object.values(networks).find(({ name }) => name === text)
  if (named !== undefined) return networkByID(named.networkID)
  const networkID = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(networkID <= 0xffffffff)) {
    const suggestion = nearest(text, Object.keys(networks))
    throw new UsageError('BAD_VALUE', 'the network must be mainnet, fuji, local or a network ID', {
      hint: suggestion === undefined ? NETWORK_FILE_HINT : `did you mean ${suggestion}?`,
    })
  }
  return networkByID(networkID)
}
