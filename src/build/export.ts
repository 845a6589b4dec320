import { equalBytes } from '../bytes/compare.ts'
import { formatID } from '../encoding/ids.ts'
import { type IDArgument, type OutputArgument, toOutputs, toPeer } from './arguments.ts'
import { assemble, type BuildOptions } from './assemble.ts'
import type { Draft } from './draft.ts'
import { BuildError } from './errors.ts'
import { sortedOutputs } from './funds.ts'

/** What to send to which chain. */
export type ExportOptions = BuildOptions & {
  /** An alias of the context (`P`, `C`) or a chain's ID. */
  readonly toChain: IDArgument
  /** Addresses as text are those of the other chain: `P-fuji1…`. */
  readonly outputs: readonly OutputArgument[]
  /** Exports other assets than the native one to C, which imports none of them: they are lost there. */
  readonly allowStuck?: boolean
}

/**
 * Drafts an export, which the other chain can import once it is accepted. The fee comes on top.
 *
 * @example
 * buildExport({ context, funds, toChain: 'P', outputs: [{ to: 'P-fuji1…', amount }] })
 */
export function buildExport(options: ExportOptions): Draft {
  const { context, toChain, allowStuck = false } = options
  const { chainID, alias } = toPeer(toChain, context)
  const exported = sortedOutputs(toOutputs(options.outputs, context, alias))
  const stuck = exported.find(({ assetID }) => !equalBytes(assetID, context.assetID))
  if (alias === 'C' && stuck !== undefined && !allowStuck)
    throw new BuildError(
      'STUCK_EXPORT',
      `the C-Chain imports only the native asset, not ${formatID(stuck.assetID)}`,
      { hint: 'it could never be imported there; allowStuck builds it all the same' },
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
