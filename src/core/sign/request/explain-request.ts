import { hex } from '../../base/encoding/hex.ts'
import { exportedToX } from '../atomic-parents.ts'
import { addressFormatter, explain, signatureCount } from '../explain/explain.ts'
import type { ExplainOptions, Explanation } from '../explain/explanation.ts'
import { checkProofs } from '../proofs.ts'
import { requestStatus, type SigningRequest } from './request.ts'

/**
 * Explains what a signing request does and who has signed it. Owners and decimals are believed only if the request
 * proves them or the caller vouches for them; everything else in the file is marked as unproven.
 *
 * @throws SignError `REQUEST_PROOF` for proofs that contradict the request.
 */
export function explainRequest(request: SigningRequest, options: ExplainOptions = {}): Explanation {
  // Also checks that `request` is a request.
  const status = requestStatus(request)
  const { context, signerSets, proofs, utxos } = request
  const { unsignedTx } = signerSets[0]!
  const addressText = addressFormatter(context)
  const needed = signatureCount(unsignedTx)
  const fewest = Math.min(...status.map(({ missing }) => missing.length))
  const proven = checkProofs({ unsignedTx, utxos, context }, proofs, exportedToX)
  return {
    ...explain({ ...request, unsignedTx, signaturesMade: needed - fewest, proven }, options),
    signerSets: status.map(({ signers, missing }) => {
      const unsigned = new Set(missing.map(({ address }) => hex.encode(address)))
      return {
        signers: signers.map(addressText),
        missing: signers.filter((address) => unsigned.has(hex.encode(address))).map(addressText),
      }
    }),
  }
}
