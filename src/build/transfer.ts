import type { Need } from '../coins/need.ts'
import { type OutputArgument, toOutputs } from './arguments.ts'
import { assemble, type BuildOptions, needOf, type Parts } from './assemble.ts'
import type { Draft } from './draft.ts'

/** What to pay. */
export type TransferOptions = BuildOptions & { readonly outputs: readonly OutputArgument[] }

/**
 * Drafts a payment: any number of outputs and assets.
 *
 * @example
 * const draft = buildTransfer({
 *   context: networks.fuji,
 *   funds: { coins, owners: keys.addresses, now },
 *   outputs: [{ to: 'X-fuji1…', amount: parseAmount('1.5') }],
 * })
 */
export function buildTransfer(options: TransferOptions): Draft {
  return assemble(options, transferParts(options))
}

/** What coins a payment wants: for choosing them from pages before it is built. */
export function needFor(options: Omit<TransferOptions, 'funds'>): Need {
  return needOf(options, transferParts(options))
}

function transferParts({ outputs, context }: Omit<TransferOptions, 'funds'>): Parts {
  return {
    outputs: toOutputs(outputs, context),
    complete: (base) => ({ type: 'BaseTx', ...base }),
  }
}
