import { requireFields } from '../../base/require.ts'
import { requireNetwork } from '../../chain/networks.ts'
import { stakeableLocktime, unlockedInput, unlockedOutput } from '../../chain/p/transferables.ts'
import { encodeUnsignedTx, inputsOf } from '../../chain/p/tx.ts'
import { type UTXO, utxo } from '../../chain/p/utxo.ts'
import { compareInputs } from '../../chain/x/order.ts'
import { requireAnyUTXOs } from '../../chain/x/utxo.ts'
import type { Draft } from '../../draft/p/draft.ts'
import {
  type AtomicDetails,
  type AtomicExplanation,
  aliasOf,
  type ExplainAtomicOptions,
  explainAtomic,
  outputDetails,
} from '../atomic/explain.ts'

/**
 * Explains what a draft of the P-Chain does: what it spends, pays, returns and burns, with warnings. Everything is read
 * from the transaction, except for the owners of the spent UTXOs, for which the caller vouches.
 */
export function explainDraft(
  draft: Pick<Draft, 'unsignedTx' | 'context'> & Partial<Pick<Draft, 'utxos'>>,
  options: ExplainAtomicOptions,
): AtomicExplanation {
  requireFields(draft, 'draft', ['unsignedTx', 'context'])
  requireNetwork(draft.context)
  if (draft.utxos !== undefined) requireAnyUTXOs(draft.utxos, utxo)
  requireFields(options, 'options', ['ours'])
  // Encoding checks every field.
  encodeUnsignedTx(draft.unsignedTx)
  return explainAtomic(detailsOf(draft), options)
}

/** The contents of a P-Chain transaction, before ownership is applied. */
export function detailsOf({
  unsignedTx: tx,
  context,
  utxos = [],
}: Pick<Draft, 'unsignedTx' | 'context'> & {
  readonly utxos?: readonly (UTXO | undefined)[] | undefined
}): AtomicDetails {
  const destination = tx.type === 'ExportTx' ? aliasOf(tx.destinationChain, context) : 'P'
  const inputs = inputsOf(tx)
  return {
    chain: 'P',
    type: tx.type,
    context,
    networkID: tx.networkID,
    blockchainID: tx.blockchainID,
    sourceChain: tx.type === 'ImportTx' ? tx.sourceChain : undefined,
    destinationChain: tx.type === 'ExportTx' ? tx.destinationChain : undefined,
    spends: inputs.map(({ assetID, input, ...id }, i) => {
      const spent = utxos[i]
      return {
        assetID,
        amount: unlockedInput(input).amount,
        stakeableLocktime: input.type === 'stakeable.LockIn' ? input.locktime : undefined,
        owners: spent && compareInputs(spent, id) === 0 ? unlockedOutput(spent.output) : undefined,
      }
    }),
    outputs: [
      ...tx.outputs.map((each, i) => ({ ...each, chain: 'P', path: `outputs[${i}]` })),
      ...(tx.type === 'ExportTx' ? tx.exportedOutputs : []).map((each, i) => ({
        ...each,
        chain: destination,
        path: `exportedOutputs[${i}]`,
      })),
    ].map(({ assetID, output, chain, path }) =>
      outputDetails(
        { assetID, output: unlockedOutput(output) },
        { chain, path, context },
        stakeableLocktime(output),
      ),
    ),
  }
}
