import { requireFields } from '../../base/require.ts'
import type { OurAddresses } from '../explain/explanation.ts'
import { type Job, signaturesOf } from '../job.ts'
import {
  refuseDangers,
  refuseNonSigner,
  refuseUnused,
  type SignOptions,
  signJob,
  signJobWith,
} from '../sign.ts'
import { type Keys, requireKeys, requireSigners, type Signer } from '../signer.ts'
import { explainRequest } from './explain-request.ts'
import { openSignerSets, type SigningRequest, withSignatures } from './request.ts'
import { copiedRequest } from './request-check.ts'

/** Options of signing a request, which has its own signatures and paths. */
export type RequestSignOptions = Omit<SignOptions, 'signatures'> & {
  /**
   * Our addresses, which decide what counts as returned to us.
   *
   * @defaultValue the addresses of the keys or signers
   */
  readonly ours?: OurAddresses | undefined
  /**
   * Unix seconds; locktimes up to this time have passed.
   *
   * @defaultValue every locktime counts as not passed
   */
  readonly now?: bigint | undefined
}

/**
 * Signs every signer set of a request that the keys are signers of.
 *
 * @throws SignError with the code of the first danger that is not accepted: everything that `signDraft` refuses, what
 * is unproven (`UNPROVEN_UTXO`, `UNPROVEN_ASSET`), and what the file misrepresents (`FOREIGN_CHANGE`, `SHARED_OUTPUT`,
 * `LOCKED_RETURN`).
 */
export function signRequest(
  given: SigningRequest,
  keys: Keys,
  options: RequestSignOptions = {},
): SigningRequest {
  const request = copiedRequest(given)
  const jobs = openSignerSets(request)
  requireFields(options, 'options', [])
  requireKeys(keys)
  refuseUnused([keys], jobs, request.utxos, options)
  const signs = ({ needed }: Job) => [...needed.values()].some(({ address }) => keys.has(address))
  if (!jobs.some(signs)) refuseNonSigner(keys, options)
  refuseRequest(request, { ...options, ours: options.ours ?? keys })
  for (const job of jobs) signJob(job, keys, options)
  return withSignatures(request, (i) => signaturesOf(jobs[i]!))
}

/**
 * Signs every signer set of a request with asynchronous signers. Every signature is checked.
 *
 * @throws SignError like `signRequest`, `SIGNER_FAILED`, or the code of an invalid signature.
 */
export async function signRequestWith(
  given: SigningRequest,
  signers: readonly Signer[],
  options: RequestSignOptions = {},
): Promise<SigningRequest> {
  const request = copiedRequest(given)
  const jobs = openSignerSets(request)
  requireFields(options, 'options', [])
  requireSigners(signers)
  refuseUnused(signers, jobs, request.utxos, options)
  // If a signer does not list its addresses, only outputs to the owners of spent UTXOs count as returned.
  const known = signers.every(({ addresses }) => addresses !== undefined)
    ? signers.flatMap(({ addresses = [] }) => addresses)
    : undefined
  refuseRequest(request, { ...options, ours: options.ours ?? known })
  for (const signer of signers) {
    let signs = false
    for (const job of jobs)
      if (await signJobWith(job, signer, { ...options, paths: request.paths })) signs = true
    if (!signs) refuseNonSigner(signer, options)
  }
  return withSignatures(request, (i) => signaturesOf(jobs[i]!))
}

/** Refuses the dangers of a request. Its signer sets differ only in their signers, so one explanation covers all. */
function refuseRequest(request: SigningRequest, options: RequestSignOptions): void {
  refuseDangers(explainRequest(request, options).warnings, options)
}
