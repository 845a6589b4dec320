import {
  aliasOf,
  canSpend,
  type ExplainHalfOptions,
  explainHalf,
  type HalfExplanation,
  ownerTexts,
} from '../../atomic/explain.ts'
import { hex } from '../../encoding/hex.ts'
import { formatEVMAddress } from '../evm-address.ts'
import type { Draft } from './draft.ts'

/**
 * Explains what a draft of the C-Chain does: what it spends, pays, returns and burns, and what to notice.
 * Everything is read from the transaction, not from what the draft says of it.
 */
export function explainDraft(
  { unsignedTx: tx, context }: Pick<Draft, 'unsignedTx' | 'context'>,
  { ours }: ExplainHalfOptions,
): HalfExplanation {
  const names = new Set(ours.map(hex.encode))
  if (tx.type === 'ImportTx')
    return explainHalf({
      chain: 'C',
      type: tx.type,
      context,
      peerID: tx.sourceChain,
      spends: tx.importedInputs.map(({ assetID, input }) => ({ assetID, amount: input.amount })),
      outputs: tx.outputs.map(({ address, amount, assetID }, i) => ({
        amount,
        assetID,
        chain: 'C',
        owners: [formatEVMAddress(address)],
        threshold: 1,
        locktime: 0n,
        stakeableLocktime: 0n,
        path: `outputs[${i}]`,
      })),
      isOurs: (i) => names.has(hex.encode(tx.outputs[i]!.address)),
    })
  const chain = aliasOf(tx.destinationChain, context)
  return explainHalf({
    chain: 'C',
    type: tx.type,
    context,
    peerID: tx.destinationChain,
    spends: tx.inputs.map(({ assetID, amount }) => ({ assetID, amount })),
    outputs: tx.exportedOutputs.map(({ assetID, output }, i) => ({
      amount: output.amount,
      assetID,
      chain,
      owners: ownerTexts(output, chain, context),
      threshold: output.threshold,
      locktime: output.locktime,
      stakeableLocktime: 0n,
      path: `exportedOutputs[${i}]`,
    })),
    isOurs: (i) => canSpend(tx.exportedOutputs[i]!.output, names),
  })
}
