import { argument, type Check, object } from '../../base/argument.ts'
import type { Need } from '../../coins/need.ts'
import { type OutputArgument, toOutputs } from '../arguments.ts'
import { outputs } from '../descriptions.ts'
import type { Draft } from '../draft.ts'
import {
  assemble,
  type BuildOptions,
  buildMembers,
  commonMembers,
  needOf,
  type Parts,
} from './assemble.ts'

/** Options of `buildTransfer`. */
export type TransferOptions = BuildOptions & {
  /** The payments. */
  readonly outputs: readonly OutputArgument[]
}

const transferOptions: Check<TransferOptions> = object<TransferOptions>({
  ...buildMembers,
  outputs,
})

const needOptions: Check<Omit<TransferOptions, 'funds'>> = object<Omit<TransferOptions, 'funds'>>({
  ...commonMembers,
  outputs,
})

/**
 * Builds a payment with any number of outputs and assets.
 *
 * @throws FundsError `BUILDER_INSUFFICIENT_FUNDS`, `FUNDS_DO_NOT_FIT` and others
 * @throws BuildError, ArgumentError, VerifyError
 *
 * @example
 * const draft = buildTransfer({
 *   context: networks.fuji,
 *   funds: { utxos, owners: keys.addresses, now },
 *   outputs: [{ to: 'X-fuji1…', amount: parseAmount('1.5') }],
 * })
 */
export function buildTransfer(given: TransferOptions): Draft {
  const options = argument('buildTransfer', given, transferOptions)
  return assemble(options, transferParts('buildTransfer', options))
}

/** Returns what a payment needs, to select UTXOs from pages before it is built. Errors as for `buildTransfer`. */
export function needFor(given: Omit<TransferOptions, 'funds'>): Need {
  const options = argument('needFor', given, needOptions)
  return needOf(options, transferParts('needFor', options))
}

function transferParts(
  call: string,
  { outputs, context }: Pick<TransferOptions, 'outputs' | 'context'>,
): Parts {
  return {
    outputs: toOutputs(outputs, context, undefined, { call, path: 'outputs' }),
    complete: (base) => ({ type: 'BaseTx', ...base }),
  }
}
