import {
  aliasOf,
  type ExplainHalfOptions,
  explainHalf,
  type HalfExplanation,
  type HalfFacts,
  outputFacts,
} from '../../atomic/explain.ts'
import { requireNetwork } from '../../chain/networks.ts'
import { requireFields } from '../../encoding/require.ts'
import { stakeableLocktime, unlockedInput, unlockedOutput } from '../transferables.ts'
import { encodeUnsignedTx, inputsOf } from '../tx.ts'
import type { Draft } from './draft.ts'

/**
 * Explains what a draft of the P-Chain does: what it spends, pays, returns and burns, with warnings. Everything is read
 * from the transaction, not from the other members of the draft.
 */
export function explainDraft(
  draft: Pick<Draft, 'unsignedTx' | 'context'>,
  options: ExplainHalfOptions,
): HalfExplanation {
  requireFields(draft, 'draft', ['unsignedTx', 'context'])
  requireNetwork(draft.context)
  // Encoding checks every field.
  encodeUnsignedTx(draft.unsignedTx)
  return explainHalf(factsOf(draft), options)
}

/** What a transaction of the P-Chain does, before it is known whose it is. */
export function factsOf({
  unsignedTx: tx,
  context,
}: Pick<Draft, 'unsignedTx' | 'context'>): HalfFacts {
  const destination = tx.type === 'ExportTx' ? aliasOf(tx.destinationChain, context) : 'P'
  const inputs = inputsOf(tx)
  return {
    chain: 'P',
    type: tx.type,
    context,
    sourceChain: tx.type === 'ImportTx' ? tx.sourceChain : undefined,
    destinationChain: tx.type === 'ExportTx' ? tx.destinationChain : undefined,
    spends: inputs.map(({ assetID, input }) => ({ assetID, amount: unlockedInput(input).amount })),
    latestLock: inputs.reduce(
      (last, { input }) =>
        input.type === 'stakeable.LockIn' && input.locktime > last ? input.locktime : last,
      0n,
    ),
    outputs: [
      ...tx.outputs.map((each, i) => ({ ...each, chain: 'P', path: `outputs[${i}]` })),
      ...(tx.type === 'ExportTx' ? tx.exportedOutputs : []).map((each, i) => ({
        ...each,
        chain: destination,
        path: `exportedOutputs[${i}]`,
      })),
    ].map(({ assetID, output, chain, path }) =>
      outputFacts(
        { assetID, output: unlockedOutput(output) },
        { chain, path, context },
        stakeableLocktime(output),
      ),
    ),
  }
}
