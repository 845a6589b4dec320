import type { Rejection } from '../../node/issue/rejections.ts'

/** Rejections of an attempt whose input was spent, never existed, or is not known to a server that is behind. */
const NOT_FOUND: readonly unknown[] = ['UTXO_NOT_FOUND', 'ATOMIC_UTXO_NOT_FOUND']

/** Rejections that only a new draft can prevent: the fee has risen, or a server has listed false or spent UTXOs. */
const OUTDATED: readonly unknown[] = [
  'INSUFFICIENT_FUNDS',
  'MISMATCHED_AMOUNTS',
  'ASSET_ID_MISMATCH',
  'WRONG_UTXO_TYPE',
  ...NOT_FOUND,
]

/** Whether a server does not have an input. */
export function isInputNotFound(rejection: Pick<Rejection, 'code'> | undefined): boolean {
  return NOT_FOUND.includes(rejection?.code)
}

/** Whether a rejection is a reason to draft again. */
export function isOutdated(rejection: Pick<Rejection, 'code'> | undefined): boolean {
  return OUTDATED.includes(rejection?.code)
}
