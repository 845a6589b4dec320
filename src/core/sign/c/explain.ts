import { requireFields } from '../../base/require.ts'
import { formatEVMAddress } from '../../chain/c/evm-address.ts'
import { encodeUnsignedTx } from '../../chain/c/tx.ts'
import { requireNetwork } from '../../chain/networks.ts'
import { compareInputs } from '../../chain/x/order.ts'
import { requireAnyUTXOs, type UTXO, utxo } from '../../chain/x/utxo.ts'
import type { Draft } from '../../draft/c/draft.ts'
import {
  type AtomicDetails,
  type AtomicExplanation,
  aliasOf,
  type ExplainAtomicOptions,
  explainAtomic,
  outputDetails,
} from '../atomic/explain.ts'

/**
 * Explains what a draft of the C-Chain does: what it spends, pays, returns and burns, with warnings. Everything is read
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

/** The contents of a C-Chain transaction, before ownership is applied. */
export function detailsOf({
  unsignedTx: tx,
  context,
  utxos = [],
}: Pick<Draft, 'unsignedTx' | 'context'> & {
  readonly utxos?: readonly (UTXO | undefined)[] | undefined
}): AtomicDetails {
  const { type, networkID, blockchainID } = tx
  const common = { chain: 'C', type, context, networkID, blockchainID } as const
  if (tx.type === 'ImportTx')
    return {
      ...common,
      sourceChain: tx.sourceChain,
      spends: tx.importedInputs.map(({ assetID, input, ...id }, i) => {
        const spent = utxos[i]
        const owners = spent && compareInputs(spent, id) === 0 ? spent.output : undefined
        return { assetID, amount: input.amount, owners }
      }),
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
    accounts: tx.inputs.map(({ address, ...debit }) => ({
      ...debit,
      address: formatEVMAddress(address),
    })),
    outputs: tx.exportedOutputs.map((each, i) =>
      outputDetails(each, { chain, path: `exportedOutputs[${i}]`, context }),
    ),
  }
}
