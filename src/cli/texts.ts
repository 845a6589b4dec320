import { equalBytes } from '../bytes/compare.ts'
import { type NetworkContext, networks } from '../chain/index.ts'
import { formatAddress, formatID, hex } from '../encoding/index.ts'
import { requestID, requestStatus, type SigningRequest } from '../sign/index.ts'

/** An address on the X-Chain of a network. */
export function addressText(
  address: Uint8Array,
  network: Pick<NetworkContext, 'hrp'> & { readonly chainAlias?: string },
): string {
  return formatAddress({ chain: network.chainAlias ?? 'X', hrp: network.hrp, address })
}

/** The chains and assets that every network has, by their IDs. */
export function knownNames(id: Uint8Array): string[] {
  return Object.values(networks).flatMap((network) => [
    ...(equalBytes(id, network.chainID) ? [`X-Chain of ${network.name}`] : []),
    ...(equalBytes(id, network.assetID) ? [`AVAX on ${network.name}`] : []),
    ...Object.entries(network.chains)
      .filter(([, chainID]) => equalBytes(id, chainID))
      .map(([alias]) => `${alias}-Chain of ${network.name}`),
  ])
}

/** An ID, with what everybody calls it. */
export function nameOfID(id: Uint8Array): string {
  const [name] = knownNames(id)
  return name === undefined ? formatID(id) : `${formatID(id)}, ${name}`
}

/** How far a request is, in texts. */
export function requestJSON(request: SigningRequest): {
  readonly id: string
  readonly networkID: number
  readonly type: string
  readonly complete: boolean
  readonly variants: readonly {
    readonly hash: string
    readonly signers: readonly string[]
    readonly missing: readonly string[]
  }[]
} {
  const { context, variants } = request
  const text = (address: Uint8Array) => addressText(address, context)
  const status = requestStatus(request)
  return {
    id: formatID(requestID(request)),
    networkID: context.networkID,
    type: variants[0]!.unsignedTx.type,
    complete: status.some(({ missing }) => missing.length === 0),
    variants: status.map(({ hash, signers, missing }) => ({
      hash: hex.encode(hash),
      signers: signers.map(text),
      missing: [...new Set(missing.map(({ address }) => text(address)))],
    })),
  }
}
