import { WalletError } from '../errors.ts'
import type { MoveOptions, MoveQuote } from './types.ts'

/** Asks whether what a quote describes may be signed. Throws `NOT_CONFIRMED` unless the answer is true. */
export type Confirmation = (
  quote: MoveQuote,
  options: Pick<MoveOptions, 'confirm'>,
) => Promise<void>

/**
 * The confirmation of a wallet.
 *
 * @param ofWallet - asked unless the call has its own
 * @param isRequired - whether moves without a confirmation are refused
 */
export function confirmation(ofWallet: MoveOptions['confirm'], isRequired: boolean): Confirmation {
  return async (quote, options) => {
    const confirm = options.confirm ?? ofWallet
    if (confirm === undefined && isRequired)
      throw new WalletError('NOT_CONFIRMED', 'the wallet has no confirmation for moves', {
        hint: 'set confirmMove in the options of the wallet, or pass confirm to the call',
      })
    // Other values than true are no consent, even if JavaScript takes them for true: 'no', { approved: false }.
    if (confirm !== undefined && (await confirm(quote)) !== true)
      throw new WalletError('NOT_CONFIRMED', 'the move was not confirmed')
  }
}
