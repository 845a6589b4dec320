import { nearest } from '../../core/base/nearest.ts'
import { networks } from '../../core/chain/networks.ts'
import { type NamedNetwork, networkByID } from '../../inspect/networks.ts'
import { UsageError } from '../errors.ts'

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
