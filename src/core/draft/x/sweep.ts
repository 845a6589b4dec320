import {
  argument,
  boolean,
  type Check,
  type Members,
  object,
  optional,
} from '../../base/argument.ts'
import { amount, assetIDs, ownersMembers } from '../descriptions.ts'
import type { Plan } from '../plan.ts'
import { spendAllMembers } from './assemble.ts'
import { type SpendableSet, spendableSet, toSet } from './funds.ts'
import { type SweepRules, sweepBy } from './pack-sweep.ts'
import { leftBehind } from './plan.ts'

/** Options of `planSweep`. */
export type SweepOptions = SweepRules & {
  /** The set to sweep. Options about how to select UTXOs have no effect. */
  readonly funds: SpendableSet
}

/** Members of `SweepRules`. */
export const sweepMembers: Members<SweepRules> = {
  ...spendAllMembers,
  ...ownersMembers,
  assets: assetIDs,
  withoutAssets: assetIDs,
  clearSign: optional(boolean),
  dustThreshold: optional(amount),
}

const sweepOptions: Check<SweepOptions> = object<SweepOptions>({
  ...sweepMembers,
  funds: spendableSet,
})

/**
 * Plans to send everything to one recipient in as few transactions as the size limit allows. The transactions are
 * independent: they can be signed and issued in any order.
 *
 * @throws BuildError `TX_TOO_LARGE` if `maxSize` is too small for any transaction
 * @throws BuildError, ArgumentError, VerifyError
 *
 * @example
 * const plan = planSweep({ context, funds: { utxos, owners: keys.addresses, now }, to: 'X-fuji1…' })
 * for (const draft of plan.drafts()) await client.issueTx(requireSigned(signDraft(draft, keys)).bytes)
 */
export function planSweep(given: SweepOptions): Plan {
  const options = argument('planSweep', given, sweepOptions)
  const { utxos, ...spendable } = options.funds
  const sweep = sweepBy('planSweep', options)
  const set = toSet(utxos)
  const { pool, packing, draft } = sweep.pack(set, spendable)
  const { owners, now } = spendable
  return {
    transactions: packing.transactions.length,
    leftBehind: leftBehind(pool, packing, () => set.balances({ owners, now }), sweep.isWanted),
    *drafts() {
      for (let i = 0; i < packing.transactions.length; i++) yield draft(i)
    },
  }
}
