import {
  type Check,
  integerFrom,
  invalid,
  list,
  located,
  memberOf,
  object,
  oneOf,
  optional,
  u64,
  variants,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { id } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { type AddressArgument, type IDArgument, toAddress } from '../../core/draft/arguments.ts'
import { address } from '../../core/draft/descriptions.ts'

/** Collects deposits of customers in the hot wallet. Amounts of all rules are in the asset's smallest unit. */
export type CollectRule = {
  readonly type: 'collect'
  /** Deposit addresses with more than this amount of the asset are emptied. */
  readonly above: bigint
  /** @defaultValue the native asset */
  readonly assetID?: IDArgument | undefined
}

/** Moves a surplus of the hot wallet to cold storage. */
export type StoreRule = {
  readonly type: 'store'
  /** Applies if the hot wallet can spend more than this amount beyond the queued payouts. */
  readonly above: bigint
  /** Amount that stays in the hot wallet; the rest is moved. */
  readonly keep: bigint
  /** Address of the cold storage. */
  readonly to: AddressArgument
  /** @defaultValue the native asset */
  readonly assetID?: IDArgument | undefined
}

/** Requests funds from cold storage with a signing request, see `custody.requests()`. */
export type RefillRule = {
  readonly type: 'refill'
  /** Applies if the hot wallet has less than this amount beyond the queued payouts. */
  readonly below: bigint
  /** The amount to request. */
  readonly amount: bigint
  /** Addresses of the cold storage; change goes to the first. */
  readonly from: readonly AddressArgument[]
  /** @defaultValue the native asset */
  readonly assetID?: IDArgument | undefined
}

/** Combines small UTXOs of the hot wallet while no payout is queued. */
export type ConsolidateRule = {
  readonly type: 'consolidate'
  /** Applies if more than this number of UTXOs can be spent. */
  readonly above: number
  /** @defaultValue the native asset */
  readonly assetID?: IDArgument | undefined
}

/** A rule for moving funds between deposit addresses, hot wallet and cold storage. */
export type SweepRule = CollectRule | StoreRule | RefillRule | ConsolidateRule

const storeMembers: Check<StoreRule> = object<StoreRule>({
  type: oneOf('store'),
  above: u64,
  keep: u64,
  to: address,
  assetID: optional(id),
})

/** Describes the rules: a misspelled `assetID` would sweep the native asset. */
export const sweepRules: Check<readonly SweepRule[]> = list(
  variants<SweepRule>('type', {
    collect: object<CollectRule>({
      type: oneOf('collect'),
      above: u64,
      assetID: optional(id),
    }),
    store: (value, at) => {
      const rule = storeMembers(value, at)
      if (rule.keep > rule.above)
        throw invalid(rule.keep, memberOf(at, 'keep'), 'at most the amount of above')
      return rule
    },
    refill: object<RefillRule>({
      type: oneOf('refill'),
      below: u64,
      amount: u64,
      from: (value, at) => {
        const from = list(address)(value, at)
        if (from.length === 0) throw invalid(value, at, 'at least one address')
        return from
      },
      assetID: optional(id),
    }),
    consolidate: object<ConsolidateRule>({
      type: oneOf('consolidate'),
      above: integerFrom(0),
      assetID: optional(id),
    }),
  }),
)

/**
 * Checks the addresses of rules before they move anything: a hot address as cold storage would take its funds away from
 * payouts.
 *
 * @param hot - addresses of the hot wallet
 * @throws ArgumentError
 */
export function checkColdAddresses(
  rules: readonly SweepRule[],
  context: NetworkContext,
  hot: readonly Uint8Array[],
): void {
  const check = (argument: AddressArgument, path: string) => {
    const at = { call: 'openCustody', path }
    const address = located(at, () => toAddress(argument, context))
    if (hot.some((one) => equalBytes(one, address)))
      throw invalid(argument, at, 'an address that is not of the hot wallet')
  }
  for (const [i, rule] of rules.entries()) {
    if (rule.type === 'store') check(rule.to, `sweeps[${i}].to`)
    if (rule.type === 'refill')
      for (const [j, address] of rule.from.entries()) check(address, `sweeps[${i}].from[${j}]`)
  }
}
