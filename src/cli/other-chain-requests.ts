import type { AtomicRequest } from '../atomic/request-chain.ts'
import type { AtomicRequests } from '../atomic/requests.ts'
import type { OtherChain } from '../atomic/view.ts'
import { evmAddressBytes } from '../c-chain/evm-address.ts'
import { formatID, hex } from '../encoding/index.ts'
import type { RequestFacts, RequestKeys } from './key-text.ts'
import type { RequestJSON } from './request-json.ts'

/** The status of a request of the P- or C-Chain, for `--json`. */
export function requestStateOf<Tx, U>(
  api: AtomicRequests<Tx, U>,
  request: AtomicRequest<Tx, U>,
): RequestJSON & { readonly chain: OtherChain } {
  const { chain, type, signerSets } = api.explainRequest(request)
  const status = api.requestStatus(request)
  return {
    id: formatID(api.requestID(request)),
    networkID: request.context.networkID,
    chain,
    type,
    complete: status.some(({ missing }) => missing.length === 0),
    variants: status.map(({ hash }, i) => ({ hash: hex.encode(hash), ...signerSets[i]! })),
  }
}

/** The facts of a request of the P- or C-Chain that determine its signers. */
export function keyFactsOf<Tx, U>(
  api: AtomicRequests<Tx, U>,
  request: AtomicRequest<Tx, U>,
): RequestFacts {
  const { paths } = request
  const { accounts } = api.explainRequest(request)
  const signers = api.requestStatus(request).flatMap((variant) => variant.signers)
  // An export of the C-Chain names EVM accounts, whose paths are unknown: the key at any path of the request may sign.
  const addresses = accounts === undefined ? signers : paths.map(({ address }) => address)
  return { paths, utxos: [{ output: { addresses } }] }
}

/** The addresses and accounts of a reader with these keys, for an explanation. */
export function readerWith({ keys, ours }: RequestKeys): {
  readonly ours: readonly Uint8Array[]
  readonly accounts: readonly Uint8Array[]
} {
  return { ours, accounts: keys.publicKeys.map(evmAddressBytes) }
}
