import type { AtomicRequest } from '../atomic/request-chain.ts'
import type { AtomicRequests } from '../atomic/requests.ts'
import type { OtherChain } from '../atomic/view.ts'
import { evmAddressBytes } from '../c-chain/evm-address.ts'
import { formatID, hex } from '../encoding/index.ts'
import type { RequestFacts, RequestKeys } from './key-text.ts'
import type { RequestJSON } from './request-json.ts'

/** The status of a request of the P- or C-Chain, for `--json`. */
export function requestStateOf<Tx, U>(
  on: AtomicRequests<Tx, U>,
  request: AtomicRequest<Tx, U>,
): RequestJSON & { readonly chain: OtherChain } {
  const { chain, type, signerSets } = on.explainRequest(request)
  const status = on.requestStatus(request)
  return {
    id: formatID(on.requestID(request)),
    networkID: request.context.networkID,
    chain,
    type,
    complete: status.some(({ missing }) => missing.length === 0),
    variants: status.map(({ hash }, i) => ({ hash: hex.encode(hash), ...signerSets[i]! })),
  }
}

/** What a request of the P- or C-Chain says of its signers, to find their keys. */
export function keyFactsOf<Tx, U>(
  on: AtomicRequests<Tx, U>,
  request: AtomicRequest<Tx, U>,
): RequestFacts {
  const { paths } = request
  const { accounts } = on.explainRequest(request)
  const signers = on.requestStatus(request).flatMap((variant) => variant.signers)
  // An export names accounts, from which no path is found: each key that a path leads to may be the one.
  const addresses = accounts === undefined ? signers : paths.map(({ address }) => address)
  return { paths, utxos: [{ output: { addresses } }] }
}

/** The reader of an explanation who has these keys. */
export function readerWith({ keys, ours }: RequestKeys): {
  readonly ours: readonly Uint8Array[]
  readonly accounts: readonly Uint8Array[]
} {
  return { ours, accounts: keys.publicKeys.map(evmAddressBytes) }
}
