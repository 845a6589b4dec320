import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { AccountIndexes } from './store.ts'

/** Adds the indexes of an account to those of others. They never decrease: other wallets may know more. */
export function withIndexes(
  known: readonly AccountIndexes[],
  { account, receive, change, nextChange }: AccountIndexes,
): readonly AccountIndexes[] {
  const isOf = (one: AccountIndexes) => equalBytes(one.account, account)
  const before = known.find(isOf)
  const merged = {
    account,
    receive: Math.max(before?.receive ?? 0, receive),
    change: Math.max(before?.change ?? 0, change),
    nextChange: Math.max(before?.nextChange ?? 0, nextChange),
  }
  return [...known.filter((one) => !isOf(one)), merged]
}
