import type { NetworkContext } from '../chain/networks.ts'
import { requireFields } from '../encoding/require.ts'
import { formatHalfExplanation } from './explain.ts'
import type { HalfRequestExplanation } from './request.ts'

/** The text of the explanation of a request: what it does, its digest, and who has signed. */
export function formatHalfRequestExplanation(
  explanation: HalfRequestExplanation,
  context: NetworkContext,
): string {
  requireFields(explanation, 'explanation', ['digest', 'signerSets'])
  const { digest, signerSets } = explanation
  return [
    formatHalfExplanation(explanation, context),
    `digest ${digest}`,
    ...signerSets.map(({ signers, missing }, i) => {
      const which = signerSets.length === 1 ? 'signers' : `signers ${i + 1}`
      const state = missing.length === 0 ? 'complete' : `missing ${missing.join(', ')}`
      return `${which} ${signers.join(', ')}: ${state}`
    }),
  ].join('\n')
}
