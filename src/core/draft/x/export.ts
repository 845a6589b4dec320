import { argument, boolean, type Check, object, optional } from '../../base/argument.ts'
import { equalBytes } from '../../base/bytes/compare.ts'
import { formatID } from '../../base/encoding/ids.ts'
import { type IDArgument, type OutputArgument, toOtherChain, toOutputs } from '../arguments.ts'
import { chain, outputs } from '../descriptions.ts'
import type { Draft } from '../draft.ts'
import { BuildError } from '../errors.ts'
import { assemble, type BuildOptions, buildMembers } from './assemble.ts'
import { sortedOutputs } from './funds.ts'

/** Options of `buildExport`. */
export type ExportOptions = BuildOptions & {
  /** Destination chain: an alias of the context (`P`, `C`) or a chain ID. */
  readonly destinationChain: IDArgument
  /** Outputs on that chain. Address texts have its prefix: `P-fuji1…`. */
  readonly outputs: readonly OutputArgument[]
  /**
   * Allows exporting assets other than AVAX to the C-Chain, which cannot import them: they are lost.
   *
   * @defaultValue false
   */
  readonly allowStuck?: boolean | undefined
}

const exportOptions: Check<ExportOptions> = object<ExportOptions>({
  ...buildMembers,
  destinationChain: chain,
  outputs,
  allowStuck: optional(boolean),
})

/**
 * Builds an export, which the destination chain can import once it is accepted. The fee is paid in addition.
 *
 * @throws BuildError, ArgumentError, FundsError, VerifyError
 *
 * @example
 * buildExport({ context, funds, destinationChain: 'P', outputs: [{ to: 'P-fuji1…', amount }] })
 */
export function buildExport(given: ExportOptions): Draft {
  const options = argument('buildExport', given, exportOptions)
  const { context, destinationChain, allowStuck } = options
  const { chainID, alias } = toOtherChain(destinationChain, context)
  const at = { call: 'buildExport', path: 'outputs' }
  const exported = sortedOutputs(toOutputs(options.outputs, context, alias, at))
  const stuck = exported.find(({ assetID }) => !equalBytes(assetID, context.assetID))
  if (alias === 'C' && stuck !== undefined && !allowStuck)
    throw new BuildError(
      'STUCK_EXPORT',
      `the C-Chain cannot import ${formatID(stuck.assetID)}: it imports only AVAX`,
      { hint: 'the asset would be lost; set allowStuck to build the export anyway' },
    )
  return assemble(options, {
    outputs: [],
    exported,
    complete: (base) => ({
      type: 'ExportTx',
      ...base,
      destinationChain: chainID,
      exportedOutputs: exported,
    }),
  })
}
