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
import { formatEVMAddress } from '../evm-address.ts'
import { encodeUnsignedTx } from '../tx.ts'
import type { Draft } from './draft.ts'

/**
 * Explains what a draft of the C-Chain does: what it spends, pays, returns and burns, with warnings. Everything is read
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

/** What a transaction of the C-Chain does, before it is known whose it is. */
export function factsOf({
  unsignedTx: tx,
  context,
}: Pick<Draft, 'unsignedTx' | 'context'>): HalfFacts {
  const common = { chain: 'C', type: tx.type, context } as const
  if (tx.type === 'ImportTx')
    return {
      ...common,
      sourceChain: tx.sourceChain,
      spends: tx.importedInputs.map(({ assetID, input }) => ({ assetID, amount: input.amount })),
      outputs: tx.outputs.map(({ address, amount, assetID }, i) => ({
        amount,
        assetID,
        chain: 'C',
        owners: [formatEVMAddress(address)],
        addresses: [address],
        isAccount: true,
        threshold: 1,
        locktime: 0n,
        stakeableLocktime: 0n,
        path: `outputs[${i}]`,
      })),
    }
  const chain = aliasOf(tx.destinationChain, context)
  return {
    ...common,
    destinationChain: tx.destinationChain,
    spends: tx.inputs.map(({ assetID, amount }) => ({ assetID, amount })),
    accounts: tx.inputs.map(({ address, amount, nonce }) => ({
      address: formatEVMAddress(address),
      amount,
      nonce,
    })),
    outputs: tx.exportedOutputs.map((each, i) =>
      outputFacts(each, { chain, path: `exportedOutputs[${i}]`, context }),
    ),
  }
}
