import { equalBytes } from '../core/base/bytes/compare.ts'
import { formatAddress } from '../core/base/encoding/address.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import { type NetworkContext, networks } from '../core/chain/networks.ts'

/** Formats an address of the X-Chain, or of the chain that the network names. */
export function addressText(
  address: Uint8Array,
  network: Pick<NetworkContext, 'hrp'> & { readonly chainAlias?: string },
): string {
  return formatAddress({ chain: network.chainAlias ?? 'X', hrp: network.hrp, address })
}

/** Names of a built-in chain or native asset with this ID. */
export function knownNames(id: Uint8Array): string[] {
  return Object.values(networks).flatMap((network) => [
    ...(equalBytes(id, network.chainID) ? [`X-Chain of ${network.name}`] : []),
    ...(equalBytes(id, network.assetID) ? [`AVAX on ${network.name}`] : []),
    ...Object.entries(network.chains)
      .filter(([, chainID]) => equalBytes(id, chainID))
      .map(([alias]) => `${alias}-Chain of ${network.name}`),
  ])
}

/** An ID, followed by its name if it is built in. */
export function nameOfID(id: Uint8Array): string {
  const [name] = knownNames(id)
  return name === undefined ? formatID(id) : `${formatID(id)}, ${name}`
}
