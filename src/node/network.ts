import { type Check, kinds, oneOf, u32 } from '../core/base/argument.ts'
import { equalBytes } from '../core/base/bytes/compare.ts'
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
  const isSameChain =
    typeof network === 'number' ||
    network.chainAlias !== chainAlias ||
    equalBytes(network.chainID, chainID)
  if (wanted !== networkID || !isSameChain)
    throw new ContextError('NETWORK_MISMATCH', 'the network', networkName(wanted), name)
}
