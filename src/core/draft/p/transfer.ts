import { argument, type Check, list, object, optional } from '../../base/argument.ts'
import { VerifyError } from '../../base/errors.ts'
import { contextOn } from '../../chain/networks.ts'
import type { TransferableOutput } from '../../chain/p/transferables.ts'
import { type OutputArgument, toOutputs } from '../arguments.ts'
import { amount, outputMembers } from '../descriptions.ts'
import { assemble, type SpendOptions, spendMembers } from './assemble.ts'
import type { Draft } from './draft.ts'

/** An output to create on the P-Chain. */
export type POutputArgument = OutputArgument & {
  /**
   * Unix seconds until which the recipient can stake, but not transfer, the amount; later than `funds.now`.
   *
   * @defaultValue no stakeable lock
   */
  readonly stakeableLocktime?: bigint | undefined
}

/** Options of a transfer on the P-Chain. */
export type TransferOptions = SpendOptions & { readonly outputs: readonly POutputArgument[] }

const transferOptions: Check<TransferOptions> = object<TransferOptions>({
  ...spendMembers,
  outputs: list(
    object<POutputArgument>({
      ...outputMembers,
      stakeableLocktime: optional(amount),
    }),
  ),
})

/**
 * Drafts a payment on the P-Chain. Stakeable-locked UTXOs are not spent unless `funds.locked` names them.
 *
 * @throws FundsError if the UTXOs do not cover outputs and fee; BuildError, ArgumentError or VerifyError if
 * an argument is invalid.
 * @example
 * pChain.buildTransfer({
 *   context: networks.fuji,
 *   funds: { utxos, owners: keys.addresses, now },
 *   fees: { weights, price },
 *   outputs: [{ to: 'P-fuji1…', amount: parseAmount('1.5') }],
 * })
 */
export function buildTransfer(given: TransferOptions): Draft {
  const options = argument('buildTransfer', given, transferOptions)
  const { now } = options.funds
  const at = { call: 'buildTransfer', path: 'outputs' }
  const plain = toOutputs(options.outputs, contextOn('P', options.context), 'P', at)
  const outputs = plain.map(({ assetID, output }, i): TransferableOutput => {
    const locktime = options.outputs[i]!.stakeableLocktime
    if (locktime === undefined) return { assetID, output }
    if (locktime <= now)
      throw new VerifyError(
        'INVALID_LOCKTIME',
        `stakeableLocktime ${locktime} is not after ${now}`,
        `outputs[${i}]`,
      )
    return { assetID, output: { type: 'stakeable.LockOut', locktime, output } }
  })
  return assemble(options, { outputs, complete: (base) => ({ type: 'BaseTx', ...base }) })
}
