import { argument, type Check, type Members, object } from '../../base/argument.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import { signerNames } from '../account-keys.ts'
import { keysArgument, type OurKeys, publicKeysArgument, signersArgument } from '../arguments.ts'
import { explainMembers } from '../explain/explain.ts'
import type { CheckedExplainOptions, ExplainOptions } from '../explain/explanation.ts'
import { type Job, signaturesOf } from '../job.ts'
import {
  refuseDangers,
  refuseNonSigner,
  refuseUnused,
  type SignOptions,
  type SignWithOptions,
  signJob,
  signJobWith,
  signMembers,
} from '../sign.ts'
import type { Keys, Signer } from '../signer.ts'
import { explainJobs } from './explain-request.ts'
import { openSignerSets, withSignatures } from './request.ts'
import { checkRequest } from './request-check.ts'
import type { SigningRequest } from './signing-request.ts'

/** Options of signing a request, which has its own signatures. `ours` are by default the keys or signers. */
export type RequestSignOptions = Omit<SignOptions, 'signatures'> & ExplainOptions

/** Options of signing a request with signers; the request has its own paths. */
export type RequestSignWithOptions = RequestSignOptions & Pick<SignWithOptions, 'publicKeys'>

type CheckedSignOptions = Omit<RequestSignOptions, 'ours'> & CheckedExplainOptions

const requestSignMembers: Members<CheckedSignOptions> = { ...signMembers, ...explainMembers }

const requestSignOptions: Check<CheckedSignOptions> = object<CheckedSignOptions>(requestSignMembers)

type CheckedSignWithOptions = CheckedSignOptions & Pick<SignWithOptions, 'publicKeys'>

const requestSignWithOptions: Check<CheckedSignWithOptions> = object<CheckedSignWithOptions>({
  ...requestSignMembers,
  publicKeys: publicKeysArgument,
})

/**
 * Signs every signer set of a request that the keys are signers of.
 *
 * @throws SignError with the code of the first danger that is not accepted: everything that `signDraft` refuses, what
 * is unproven (`UNPROVEN_UTXO`, `UNPROVEN_ASSET`), and what the file misrepresents (`FOREIGN_CHANGE`, `SHARED_OUTPUT`,
 * `LOCKED_RETURN`, `WEAKER_CHANGE`, `BURNED_PROPERTY`).
 */
export function signRequest<A extends ChainAlias>(
  given: SigningRequest<A>,
  givenKeys: Keys,
  givenOptions: RequestSignOptions = {},
): SigningRequest<A> {
  const request = checkRequest('signRequest', given)
  const keys = argument('signRequest', givenKeys, keysArgument, 'keys')
  const options = argument('signRequest', givenOptions, requestSignOptions)
  const jobs = openSignerSets(request, options)
  const names = signerNames(jobs[0]!, keys.publicKeys ?? [])
  refuseUnused([keys], jobs, names, request.utxos, options)
  const signs = ({ needed }: Job) =>
    [...needed.values()].some(({ address }) => {
      const key = names.addressOf(address)
      return key !== undefined && keys.has(key)
    })
  if (!jobs.some(signs)) refuseNonSigner(keys, options)
  refuseRequest(request, jobs, { ...options, ours: options.ours ?? keys })
  for (const job of jobs) signJob(job, keys, names, options)
  return withSignatures(request, (i) => signaturesOf(jobs[i]!)) as SigningRequest<A>
}

/**
 * Signs every signer set of a request with asynchronous signers. Every signature is checked.
 *
 * @throws SignError like `signRequest`, `SIGNER_FAILED`, or the code of an invalid signature.
 */
export async function signRequestWith<A extends ChainAlias>(
  given: SigningRequest<A>,
  givenSigners: readonly Signer[],
  givenOptions: RequestSignWithOptions = {},
): Promise<SigningRequest<A>> {
  const request = checkRequest('signRequestWith', given)
  const signers = argument('signRequestWith', givenSigners, signersArgument, 'signers')
  const options = argument('signRequestWith', givenOptions, requestSignWithOptions)
  const jobs = openSignerSets(request, options)
  const { publicKeys = [] } = options
  const names = signerNames(jobs[0]!, publicKeys)
  refuseUnused(signers, jobs, names, request.utxos, options)
  // If a signer does not list its addresses, only outputs to the owners of spent UTXOs count as returned.
  const known: OurKeys | undefined = signers.every(({ addresses }) => addresses !== undefined)
    ? { addresses: signers.flatMap(({ addresses = [] }) => addresses), publicKeys }
    : undefined
  refuseRequest(request, jobs, { ...options, ours: options.ours ?? known })
  for (const signer of signers) {
    let signs = false
    for (const job of jobs)
      if (await signJobWith(job, signer, names, { ...options, paths: request.paths })) signs = true
    if (!signs) refuseNonSigner(signer, options)
  }
  return withSignatures(request, (i) => signaturesOf(jobs[i]!)) as SigningRequest<A>
}

/** Refuses the dangers of a request. Its signer sets differ only in their signers, so one explanation covers all. */
function refuseRequest(
  request: SigningRequest<ChainAlias>,
  jobs: readonly Job[],
  options: CheckedSignOptions,
): void {
  refuseDangers(explainJobs(request, jobs, options).warnings, options)
}
