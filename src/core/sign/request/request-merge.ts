import { equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { SignError } from '../errors.ts'
import { selectProofs } from '../proofs.ts'
import { canonicalRequest, requestID, type SigningRequest } from './request.ts'
import { requireRequest } from './request-check.ts'

/**
 * Merges the signatures, paths and proofs of several copies of one request. The order does not matter, and merging a
 * copy twice has no effect.
 *
 * @throws SignError `REQUEST_CONFLICT` if the copies are of different requests, or have different signatures of one key
 * or different paths of one address.
 */
export function mergeRequests(
  first: SigningRequest,
  ...others: readonly SigningRequest[]
): SigningRequest {
  requireRequest(first)
  return others.reduce(mergeTwo, first)
}

function mergeTwo(a: SigningRequest, b: SigningRequest): SigningRequest {
  if (!equalBytes(requestID(a), requestID(b)))
    throw new SignError('REQUEST_CONFLICT', 'the requests are for different transactions')
  const paths = unionByAddress(a.paths, b.paths, (one, other) => one.path === other.path, 'paths')
  return canonicalRequest({
    ...a,
    paths,
    proofs: selectProofs({ ...a, unsignedTx: a.signerSets[0]!.unsignedTx }, [
      ...a.proofs,
      ...b.proofs,
    ]),
    signerSets: a.signerSets.map((signerSet, i) => ({
      ...signerSet,
      signatures: unionByAddress(
        signerSet.signatures,
        b.signerSets[i]!.signatures,
        (one, other) => equalBytes(one.signature, other.signature),
        `signerSets[${i}].signatures`,
      ),
    })),
  })
}

/** The union of two lists by address; entries of the same address must agree. */
export function unionByAddress<T extends { readonly address: Uint8Array }>(
  a: readonly T[],
  b: readonly T[],
  agree: (one: T, other: T) => boolean,
  path: string,
): T[] {
  const byAddress = new Map(a.map((item) => [hex.encode(item.address), item]))
  for (const item of b) {
    const { address } = item
    const name = hex.encode(address)
    const earlier = byAddress.get(name)
    if (earlier !== undefined && !agree(earlier, item))
      throw new SignError('REQUEST_CONFLICT', `the requests disagree on ${name} in ${path}`, {
        address,
        path,
      })
    byAddress.set(name, item)
  }
  return [...byAddress.values()]
}
