import { equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import { SignError } from '../errors.ts'
import { signaturesOf } from '../job.ts'
import { selectProofs } from '../proofs/proofs.ts'
import { chainNamed } from '../registry.ts'
import { canonicalRequest, idOf, openSignerSets, withSignatures } from './request.ts'
import { checkRequest } from './request-check.ts'
import type { SigningRequest } from './signing-request.ts'

/**
 * Merges the signatures, paths and proofs of several copies of one request. The order does not matter, and merging a
 * copy twice has no effect.
 *
 * @throws SignError `REQUEST_CONFLICT` if the copies are of different requests, or have different signatures of one key
 * or different paths of one address; the code of an invalid signature.
 */
export function mergeRequests<A extends ChainAlias>(
  first: SigningRequest<A>,
  ...others: readonly SigningRequest<A>[]
): SigningRequest<A> {
  const requests = [first, ...others].map((request) => checkRequest('mergeRequests', request))
  // Every signature is verified before it is merged, and has one form.
  const verified = requests.map((request) => {
    const jobs = openSignerSets(request)
    return withSignatures(request, (i) => signaturesOf(jobs[i]!))
  })
  return verified.reduce(mergeTwo) as SigningRequest<A>
}

function mergeTwo(
  a: SigningRequest<ChainAlias>,
  b: SigningRequest<ChainAlias>,
): SigningRequest<ChainAlias> {
  if (!equalBytes(idOf(a), idOf(b)))
    throw new SignError('REQUEST_CONFLICT', 'the requests are for different transactions')
  const paths = unionByAddress(a.paths, b.paths, (one, other) => one.path === other.path, 'paths')
  const subject = { ...a, chain: chainNamed(a.chain), unsignedTx: a.signerSets[0]!.unsignedTx }
  return canonicalRequest({
    ...a,
    paths,
    proofs: selectProofs(subject, [...a.proofs, ...b.proofs]),
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
function unionByAddress<T extends { readonly address: Uint8Array }>(
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
