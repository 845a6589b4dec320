import { argument } from '../../base/argument.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import { explain, explainOptions } from '../explain/explain.ts'
import { explainSigners, signatureCount, signerFormatter } from '../explain/explain-parts.ts'
import type { CheckedExplainOptions, ExplainOptions, Explanation } from '../explain/explanation.ts'
import { type Job, missingSlots, signersOf } from '../job.ts'
import { readExport } from '../proofs/exports.ts'
import { checkProofs } from '../proofs/proofs.ts'
import { openSignerSets } from './request.ts'
import { checkRequest } from './request-check.ts'
import type { SigningRequest } from './signing-request.ts'

/**
 * Explains what a signing request does and who has signed it. Owners and decimals are believed only if the request
 * proves them or the caller vouches for them; everything else in the file is marked as unproven.
 *
 * @throws SignError `REQUEST_PROOF` for proofs that contradict the request, or the code of an invalid signature.
 */
export function explainRequest<A extends ChainAlias>(
  given: SigningRequest<A>,
  options: ExplainOptions = {},
): Explanation {
  const request = checkRequest('explainRequest', given)
  const checked = argument('explainRequest', options, explainOptions)
  return explainJobs(request, openSignerSets(request), checked)
}

/** Explains a request whose signer sets are open. */
export function explainJobs(
  request: SigningRequest<ChainAlias>,
  jobs: readonly Job[],
  options: CheckedExplainOptions,
): Explanation {
  const { context, proofs, utxos, change } = request
  const { chain, unsignedTx, signedByAccounts } = jobs[0]!
  const signerText = signerFormatter(chain, context, signedByAccounts)
  const needed = signatureCount(chain.spends(unsignedTx))
  const fewest = Math.min(...jobs.map((job) => missingSlots(job).length))
  const proven = checkProofs({ chain, unsignedTx, utxos, context }, proofs, readExport)
  const signatures = { needed, made: needed - fewest, invalid: [], unverified: 0 }
  return {
    ...explain({ chain, unsignedTx, utxos, context, change, signatures, proven }, options),
    signerSets: jobs.map((job) => explainSigners(signersOf(job), missingSlots(job), signerText)),
  }
}
