import { equalBytes } from '../../core/base/bytes/compare.ts'
import { AssetSums } from '../../core/chain/amounts.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { type AssetBalance, EMPTY_BALANCE } from '../../core/coins/balances.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import type { Disputed } from '../../node/view/votes.ts'

/** UTXOs that are not spent because servers disagree about them. */
export function leftAsDisputed(
  disputed: readonly Disputed<Pick<UTXO, 'assetID' | 'output'>>[],
): LeftBehind[] {
  return disputed.map(({ utxo: { assetID, output }, listedBy, missingFrom }) => ({
    reason: 'disputed',
    assetID,
    amount: 'amount' in output ? output.amount : 0n,
    count: 1,
    listedBy,
    missingFrom,
  }))
}

/** A balance, with what servers disagree about. */
export type ChainBalance = AssetBalance & {
  /** Amount of UTXOs that too few servers list, or do not list; absent if there are none. It is in no other member. */
  readonly disputed?: bigint | undefined
}

/** Adds disputed amounts to balances. */
export function withDisputed(
  balances: readonly AssetBalance[],
  left: readonly LeftBehind[],
): ChainBalance[] {
  const sums = new AssetSums(left)
  const known = balances.map((balance) => {
    const disputed = sums.get(balance.assetID)
    return disputed > 0n ? { ...balance, disputed } : balance
  })
  const others = sums
    .list()
    .filter(({ assetID }) => !balances.some((one) => equalBytes(one.assetID, assetID)))
    .map(({ assetID, amount: disputed }) => ({ ...EMPTY_BALANCE, assetID, disputed }))
  return [...known, ...others]
}
