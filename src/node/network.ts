import { type Check, kinds, oneOf, u32 } from '../core/base/argument.ts'
import { equalBytes } from '../core/base/bytes/compare.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import {
  type NetworkContext,
  networkContext,
  networkName,
  networks,
} from '../core/chain/networks.ts'
import { ContextError } from './errors.ts'

/** A network: the name or details of one, or its network ID. */
export type NetworkArgument = 'mainnet' | 'fuji' | 'local' | number | NetworkContext

/** Description of `NetworkArgument`. */
export const networkArgument: Check<NetworkArgument> = kinds<NetworkArgument>({
  string: oneOf('mainnet', 'fuji', 'local'),
  number: u32,
  object: networkContext,
})

/**
 * Checks that servers belong to a network. The IDs of a built-in network were compared when its context was read.
 *
 * @throws ContextError `NETWORK_MISMATCH`
 */
export function requireNetwork(
  expected: NetworkArgument | undefined,
  { networkID, chainID, name, chainAlias }: NetworkContext,
): void {
  if (expected === undefined) return
  const network = typeof expected === 'string' ? networks[expected] : expected
  const wanted = typeof network === 'number' ? network : network.networkID
  if (wanted !== networkID) {
    const wantedName = typeof network === 'number' ? networkName(network) : network.name
    throw new ContextError('NETWORK_MISMATCH', 'the network', wantedName, name)
  }
  if (typeof network === 'number' || network.chainAlias !== chainAlias) return
  if (!equalBytes(network.chainID, chainID))
    throw new ContextError(
      'NETWORK_MISMATCH',
      'chainID',
      formatID(network.chainID),
      formatID(chainID),
    )
}
