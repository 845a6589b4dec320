import { explainRequest } from './explain.ts'
import type { OurAddresses } from './explanation.ts'
import { type Job, signaturesOf } from './job.ts'
import { openVariants, type SigningRequest, withVariants } from './request.ts'
import {
  refuseBystander,
  refuseDangers,
  refuseUnused,
  type SignOptions,
  signJob,
  signJobWith,
} from './sign.ts'
import type { Keys, Signer } from './signer.ts'

/** Settings of signing a request, which brings its own signatures and paths. */
export type RequestSignOptions = Omit<SignOptions, 'signatures'> & {
  /**
   * Our addresses, for deciding what comes back to us.
   *
   * @defaultValue the addresses of the keys or signers
   */
  readonly ours?: OurAddresses
}

/**
 * The request with the signatures of these keys in every variant they take part in.
 *
 * @throws SignError with the code of the first danger in the explanation of the request that is not accepted:
 * everything that `signDraft` refuses, what is unproven (`UNPROVEN_UTXO`, `UNPROVEN_ASSET`), and what the file
 * misrepresents (`FOREIGN_CHANGE`).
 */
export function signRequest(
  request: SigningRequest,
  keys: Keys,
  options: RequestSignOptions = {},
): SigningRequest {
  const jobs = openVariants(request)
  refuseUnused([keys], jobs, request.utxos, options)
  const signs = ({ needed }: Job) => [...needed.values()].some(({ address }) => keys.has(address))
  if (!jobs.some(signs)) refuseBystander(keys, options)
  refuseRequest(request, { ours: keys, ...options })
  for (const job of jobs) signJob(job, keys, options)
  return withVariants(request, (i) => signaturesOf(jobs[i]!))
}

/**
 * The request with what the signers answer for every variant they take part in, each answer checked.
 *
 * @throws SignError as `signRequest` does.
 */
export async function signRequestWith(
  request: SigningRequest,
  signers: readonly Signer[],
  options: RequestSignOptions = {},
): Promise<SigningRequest> {
  const jobs = openVariants(request)
  refuseUnused(signers, jobs, request.utxos, options)
  // A signer that does not name its addresses may own anything: then only vaults count.
  const ours = signers.every(({ addresses }) => addresses !== undefined)
    ? { ours: signers.flatMap(({ addresses = [] }) => addresses) }
    : {}
  refuseRequest(request, { ...ours, ...options })
  for (const signer of signers) {
    let signs = false
    for (const job of jobs)
      if (await signJobWith(job, signer, { ...options, paths: request.paths })) signs = true
    if (!signs) refuseBystander(signer, options)
  }
  return withVariants(request, (i) => signaturesOf(jobs[i]!))
}

/** The variants burn, pay and address the same, so one explanation speaks for all. */
function refuseRequest(request: SigningRequest, options: RequestSignOptions): void {
  refuseDangers(explainRequest(request, options).warnings, options)
}
