import { hex } from '../core/base/encoding/hex.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import { evmAddressBytes } from '../core/chain/c/evm-address.ts'
import type { OtherChain } from '../core/chain/view.ts'
import { addressOf } from '../core/crypto/secp256k1.ts'
import type { AtomicRequest } from '../core/sign/atomic/request-chain.ts'
import type { AtomicRequests } from '../core/sign/atomic/requests.ts'
import type { RequestKeys, RequestOwners } from './key-text.ts'
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
    signerSets: status.map(({ hash }, i) => ({ hash: hex.encode(hash), ...signerSets[i]! })),
  }
}

/** The details of a request of the P- or C-Chain that determine its signers. */
export function requestOwnersOf<Tx, U>(
  api: AtomicRequests<Tx, U>,
  request: AtomicRequest<Tx, U>,
): RequestOwners {
  const { paths } = request
  const { accounts } = api.explainRequest(request)
  const signers = api.requestStatus(request).flatMap((signerSet) => signerSet.signers)
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
