import {
  argument,
  type Check,
  list,
  object,
  omissible,
  optional,
} from '../../core/base/argument.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { address, checkDraft } from '../../core/sign/arguments.ts'
import { type LedgerScreen, oneOfAddresses, reviewOf } from './review.ts'

/** What the device knows besides the transaction. */
export type LedgerScreenOptions = {
  /**
   * Addresses of the device whose paths it is told, 20 bytes each: it hides outputs to them, except a single one.
   *
   * @defaultValue none
   */
  readonly change?: readonly Uint8Array[] | undefined
}

/** Describes the options. */
export const screenOptions: Check<LedgerScreenOptions> = /* @__PURE__ */ omissible(
  object<LedgerScreenOptions>({ change: optional(list(address)) }),
)

/**
 * Predicts what a Ledger device shows before it signs a draft, so that a wallet can show the same beside it. The app
 * shows every amount as AVAX, whatever the asset: `ledgerOmissions` lists what it does not show.
 *
 * @throws LedgerError `LEDGER_UNSUPPORTED` if the app cannot show the transaction
 *
 * @example
 * for (const { title, text } of ledgerScreens(draft)) console.log(title, text)
 */
export function ledgerScreens<A extends ChainAlias>(
  draft: Draft<A>,
  options: LedgerScreenOptions = {},
): readonly LedgerScreen[] {
  const { change = [] } = argument('ledgerScreens', options, screenOptions)
  return reviewOf(checkDraft('ledgerScreens', draft).unsignedTx, oneOfAddresses(change))
}
