import { networkName } from '../../core/chain/networks.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { evmChainID } from '../c-chain/chain-id.ts'
import { json, type NodeResponse } from '../transport.ts'
import { httpError } from './errors.ts'

/** Names of networks in paths and queries. */
export const networkNames: readonly string[] = ['mainnet', 'fuji', 'testnet']

/** Whether a name means the node's network. All networks except Mainnet are test networks. */
export function isNetworkOf(name: string, networkID: number): boolean {
  return (name === 'mainnet') === (networkID === 1)
}

/** Allowed query parameters and values. */
const QUERIES: { readonly [name: string]: readonly string[] } = {
  network: networkNames,
  feature: ['nftIndexing', 'webhooks', 'teleporter'],
}

/** Answers `/v1/chains`: the network's C-Chain at the host of the request, unless the query excludes it. */
export function chainList(networkID: number, host: string, query: URLSearchParams): NodeResponse {
  const violations = Object.entries(QUERIES)
    .filter(([name, known]) => query.getAll(name).some((value) => !known.includes(value)))
    .map(([name, known]) => `${name} must be one of the following values: ${known.join(', ')}`)
  if (violations.length > 0) return httpError(400, { message: violations })
  const isTestnet = networkID !== 1
  const isIncluded =
    query.getAll('network').every((name) => isNetworkOf(name, networkID)) &&
    // The chain has no optional features.
    !query.has('feature')
  return json(
    200,
    stringifyJSON({ chains: isIncluded ? [cChain(networkID, host, isTestnet)] : [] }),
  )
}

/** Returns the chain with its required members. */
function cChain(networkID: number, host: string, isTestnet: boolean): Json {
  return {
    chainId: String(evmChainID(networkID)),
    status: 'OK',
    chainName: `C-Chain (${networkName(networkID)})`,
    description: 'The C-Chain of a development network.',
    rpcUrl: `http://${host === '' ? '127.0.0.1:9650' : host}/ext/bc/C/rpc`,
    vmName: 'EVM',
    isTestnet,
    networkToken: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 },
  }
}
