import { argument } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatAmount } from '../../core/base/encoding/amount.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { checkDraft } from '../../core/sign/arguments.ts'
import type { NewOutput } from '../../core/sign/chain.ts'
import { oneOfAddresses } from './items.ts'
import { type LedgerScreenOptions, screenOptions } from './screens.ts'

/** Why a part of a transaction is not on the screens of the device. */
export type LedgerOmissionCode =
  | 'ASSET'
  | 'LOCKTIME'
  | 'THRESHOLD'
  | 'CHANGE'
  | 'HOLDERS'
  | 'MEMO'
  | 'NFT'

/** Something in a transaction that the device does not show, or shows as something else. */
export type LedgerOmission = {
  readonly code: LedgerOmissionCode
  readonly message: string
  /** The part of the transaction, such as `outputs[1]`. */
  readonly path: string
}

/**
 * Lists what a Ledger device does not show of a draft, or shows as something else: the app prints every amount as AVAX,
 * and no assets, locktimes, thresholds, memos, nor the change of an export. Whoever approves on the device should read
 * these in an explanation.
 *
 * @example
 * for (const { message } of ledgerOmissions(draft)) console.warn(`not on the device: ${message}`)
 */
export function ledgerOmissions<A extends ChainAlias>(
  draft: Draft<A>,
  options: LedgerScreenOptions = {},
): readonly LedgerOmission[] {
  const { change = [] } = argument('ledgerOmissions', options, screenOptions)
  const { chain, unsignedTx, context } = checkDraft('ledgerOmissions', draft)
  const outputs = chain.outputs(unsignedTx)
  const isChange = oneOfAddresses(change)
  const isExport = unsignedTx.type === 'ExportTx'
  const first = outputs.findIndex(({ source }) => source === 'exportedOutputs')

  const found: LedgerOmission[] = []
  for (const [i, output] of outputs.entries()) {
    const { source } = output
    const path = `${source}[${source === 'exportedOutputs' ? i - first : i}]`
    const omit = (code: LedgerOmissionCode, message: string) => found.push({ code, message, path })
    if (source === 'initialStates')
      omit('HOLDERS', 'an initial holder of the new asset is not shown')
    else if (isExport && source === 'outputs' && !isOwn(output, isChange))
      omit(
        'CHANGE',
        `an output of ${amountText(output)} units that stays on the chain is not shown`,
      )
    else describe(output, context.assetID, omit)
  }
  if ('memo' in unsignedTx && unsignedTx.memo.length > 0)
    found.push({ code: 'MEMO', message: 'the memo is not shown', path: 'memo' })
  return found
}

function describe(
  { output, assetID, stakeableLocktime }: NewOutput,
  avax: Uint8Array,
  omit: (code: LedgerOmissionCode, message: string) => void,
): void {
  if (output.type.startsWith('nftfx'))
    omit('NFT', 'the asset of the NFT and the end of a long payload are not shown')
  else if (!equalBytes(assetID, avax) && 'amount' in output)
    omit(
      'ASSET',
      `${output.amount} units of ${formatID(assetID)} are shown as ${formatAmount(output.amount)} AVAX`,
    )
  if (output.locktime > 0n && stakeableLocktime === 0n)
    omit('LOCKTIME', `the locktime ${output.locktime} is not shown`)
  if (output.addresses.length > 1)
    omit(
      'THRESHOLD',
      `${output.threshold} of ${output.addresses.length} owners: the number is not shown`,
    )
}

function isOwn({ output }: NewOutput, isChange: (address: Uint8Array) => boolean): boolean {
  return output.addresses.length === 1 && isChange(output.addresses[0]!)
}

function amountText({ output }: NewOutput): string {
  return 'amount' in output ? String(output.amount) : output.type
}
