import type { AtomicRequest } from '../atomic/request-chain.ts'
import type { AtomicRequests } from '../atomic/requests.ts'
import type { OtherChain } from '../atomic/view.ts'
import { evmAddressBytes } from '../c-chain/evm-address.ts'
import { addressOf } from '../crypto/index.ts'
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
  return accounts === undefined
    ? { paths, utxos: [{ output: { addresses: signers } }] }
    : { paths, utxos: [], accounts: signers }
}

/**
 * The addresses and accounts of a reader with these keys, for an explanation. The account of a key whose address is not
 * ours is not ours either.
 */
export function readerWith({ keys, ours }: RequestKeys): {
  readonly ours: readonly Uint8Array[]
  readonly accounts: readonly Uint8Array[]
} {
  const known = new Set(ours.map(hex.encode))
  const publicKeys = keys.publicKeys.filter((key) => known.has(hex.encode(addressOf(key))))
  return { ours, accounts: publicKeys.map(evmAddressBytes) }
}
