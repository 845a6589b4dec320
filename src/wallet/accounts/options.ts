import {
  boolean,
  type Check,
  capability,
  fn,
  type Members,
  memberOf,
  optional,
} from '../../core/base/argument.ts'
import type { HDAccount, WatchAccount } from '../../core/crypto/hd/account.ts'
import { type DiscoveryOptions, gapLimit } from '../discovery/discover.ts'

/** Options of a wallet whose addresses are those of an HD account. */
export type AccountWalletOptions = {
  /**
   * An HD account, instead of `keys`: its used addresses are found, and more are watched as they are used. Private keys are
   * derived when they sign. A `WatchAccount` has none: the wallet drafts, requests and follows, or signs with `signers`.
   */
  readonly account?: HDAccount | WatchAccount | undefined
  /**
   * Number of unused addresses that are watched after the last used one of each branch; 1 to 10,000.
   *
   * @defaultValue 20
   */
  readonly gapLimit?: number | undefined
  /**
   * Whether the change of every transaction goes to a change address of the account that was not used before.
   *
   * @defaultValue false: to the first change address
   */
  readonly freshChange?: boolean | undefined
  /**
   * Returns for each address (20 bytes) whether it was ever used, such as `usedByDataAPI`. Without it, and without a store
   * that knows more, an address counts as used only if it owns a UTXO.
   */
  readonly wasUsed?: DiscoveryOptions['wasUsed']
}

const watchAccount: Check<WatchAccount> = capability<WatchAccount>(
  'an account',
  'address',
  'path',
  'publicKey',
)

/** Description of an account with or without private keys. */
export const accountArgument: Check<HDAccount | WatchAccount> = (value, at) => {
  if (!Object.hasOwn(Object(value), 'watch')) return watchAccount(value, at)
  const account = capability<HDAccount>('an account', 'keyChain')(value, at)
  watchAccount(account.watch, memberOf(at, 'watch'))
  return account
}

/** Members of `AccountWalletOptions`. */
export const accountMembers: Members<AccountWalletOptions> = {
  account: optional(accountArgument),
  gapLimit: optional(gapLimit),
  freshChange: optional(boolean),
  wasUsed: optional(fn<NonNullable<AccountWalletOptions['wasUsed']>>()),
}

/** Whether an account has private keys. */
export function isPrivate(account: HDAccount | WatchAccount): account is HDAccount {
  return Object.hasOwn(account, 'watch')
}

/** The account without private keys. */
export function watchOf(account: HDAccount | WatchAccount): WatchAccount {
  return isPrivate(account) ? account.watch : account
}
