import type { Need } from '../../coins/need.ts'
import { type OutputArgument, requireOptions, toOutputs } from '../arguments.ts'
import { assemble, type BuildOptions, needOf, type Parts } from './assemble.ts'
import type { Draft } from './draft.ts'
import { requireSpending } from './funds.ts'

/** Options of `buildTransfer`. */
export type TransferOptions = BuildOptions & {
  /** The payments. */
  readonly outputs: readonly OutputArgument[]
}

/**
 * Builds a payment with any number of outputs and assets.
 *
 * @throws FundsError `BUILDER_INSUFFICIENT_FUNDS`, `FUNDS_DO_NOT_FIT` and others
 * @throws BuildError, EncodingError, VerifyError
 *
 * @example
 * const draft = buildTransfer({
 *   context: networks.fuji,
 *   funds: { utxos, owners: keys.addresses, now },
 *   outputs: [{ to: 'X-fuji1…', amount: parseAmount('1.5') }],
 * })
 */
export function buildTransfer(options: TransferOptions): Draft {
  requireSpending('buildTransfer', options, ['outputs'])
  return assemble(options, transferParts(options))
}

/** Returns what a payment needs, to select UTXOs from pages before it is built. Errors as for `buildTransfer`. */
export function needFor(options: Omit<TransferOptions, 'funds'>): Need {
  requireOptions('needFor', options, ['context', 'outputs'])
  return needOf(options, transferParts(options))
}

function transferParts({ outputs, context }: Omit<TransferOptions, 'funds'>): Parts {
  return {
    outputs: toOutputs(outputs, context),
    complete: (base) => ({ type: 'BaseTx', ...base }),
  }
}
