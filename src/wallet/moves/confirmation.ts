import { WalletError } from '../errors.ts'
import type { MoveOptions, MoveQuote } from './types.ts'

/** Asks whether a quoted move may be signed. Throws `NOT_CONFIRMED` unless the answer is true. */
export type Confirmation = (
  quote: MoveQuote,
  options: Pick<MoveOptions, 'confirm'>,
) => Promise<void>

/**
 * The confirmation of a wallet.
 *
 * @param ofWallet - the wallet's callback; that of a call replaces it
 * @param isRequired - whether moves without a confirmation are refused
 */
export function confirmation(ofWallet: MoveOptions['confirm'], isRequired: boolean): Confirmation {
  return async (quote, options) => {
    const confirm = options.confirm ?? ofWallet
    if (confirm === undefined && isRequired)
      throw new WalletError('NOT_CONFIRMED', 'the wallet has no callback to confirm moves', {
        hint: 'set confirmMove in the options of the wallet, or pass confirm to the call',
      })
    // Truthy values such as 'no' or { approved: false } are not consent.
    if (confirm !== undefined && (await confirm(quote)) !== true)
      throw new WalletError('NOT_CONFIRMED', 'the move was not confirmed')
  }
}
