import {
  aliasOf,
  canSpend,
  type ExplainHalfOptions,
  explainHalf,
  type HalfExplanation,
  ownerTexts,
} from '../../atomic/explain.ts'
import { hex } from '../../encoding/hex.ts'
import { stakeableLocktime, unlockedInput, unlockedOutput } from '../transferables.ts'
import { inputsOf } from '../tx.ts'
import type { Draft } from './draft.ts'

/**
 * Explains what a draft of the P-Chain does: what it spends, pays, returns and burns, and what to notice.
 * Everything is read from the transaction, not from what the draft says of it.
 */
export function explainDraft(
  { unsignedTx: tx, context }: Pick<Draft, 'unsignedTx' | 'context'>,
  { ours }: ExplainHalfOptions,
): HalfExplanation {
  const names = new Set(ours.map(hex.encode))
  const peerID =
    tx.type === 'ImportTx'
      ? tx.sourceChain
      : tx.type === 'ExportTx'
        ? tx.destinationChain
        : undefined
  const destination = tx.type === 'ExportTx' ? aliasOf(tx.destinationChain, context) : 'P'
  const outputs = [
    ...tx.outputs.map((each, i) => ({ ...each, chain: 'P', path: `outputs[${i}]` })),
    ...(tx.type === 'ExportTx' ? tx.exportedOutputs : []).map((each, i) => ({
      ...each,
      chain: destination,
      path: `exportedOutputs[${i}]`,
    })),
  ]
  return explainHalf({
    chain: 'P',
    type: tx.type,
    context,
    ...(peerID === undefined ? {} : { peerID }),
    spends: inputsOf(tx).map(({ assetID, input }) => ({
      assetID,
      amount: unlockedInput(input).amount,
    })),
    outputs: outputs.map(({ assetID, output, chain, path }) => {
      const inner = unlockedOutput(output)
      const { amount, threshold, locktime } = inner
      return {
        amount,
        assetID,
        chain,
        owners: ownerTexts(inner, chain, context),
        threshold,
        locktime,
        stakeableLocktime: stakeableLocktime(output),
        path,
      }
    }),
    isOurs: (i) => canSpend(unlockedOutput(outputs[i]!.output), names),
  })
}
