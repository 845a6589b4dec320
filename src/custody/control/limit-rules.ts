import {
  bigintFrom,
  type Check,
  integerFrom,
  invalid,
  list,
  located,
  memberOf,
  object,
  oneOf,
  optional,
  type Place,
  text,
  variants,
} from '../../core/base/argument.ts'
import { id } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import {
  type AddressArgument,
  type IDArgument,
  toAddress,
  toAssetID,
  toID,
} from '../../core/draft/arguments.ts'
import { address } from '../../core/draft/descriptions.ts'

/** An asset of a rule about several assets. */
export type LimitAsset = {
  readonly assetID: IDArgument
  /** How much of the asset, in its smallest unit, is worth one unit of the rule. Values of payouts are rounded up. */
  readonly unit: bigint
}

/**
 * What the amount of a rule is about: one asset, or several with a common unit.
 *
 * @inline
 */
type AssetsOfRule = {
  /** @defaultValue the native asset */
  readonly assetID?: IDArgument | undefined
  /** Several assets, instead of `assetID`; the amount of the rule is in their common unit, such as cents. */
  readonly assets?: readonly LimitAsset[] | undefined
}

/** The most that may be paid. */
export type AmountLimit = AssetsOfRule & {
  readonly type: 'limit'
  readonly name: string
  /**
   * What is limited: each payout, the sum of payouts to an address, of payouts with the same reference (those without one
   * together), or of all.
   */
  readonly per: 'payout' | 'destination' | 'reference' | 'total'
  /** The most, in the smallest unit of the asset, or in the unit of the rule. */
  readonly amount: bigint
  /** Length of the rolling window of a sum; none with `per: 'payout'`. */
  readonly seconds?: number | undefined
}

/** Payouts above an amount need approvals. */
export type ApprovalRule = AssetsOfRule & {
  readonly type: 'approvals'
  readonly name: string
  /** Payouts of more than this need approvals. */
  readonly amount: bigint
  /** Number of different people, none of whom requested the payout. */
  readonly count: number
  /**
   * Database roles, or identities of a service, whose approvals count.
   *
   * @defaultValue all that have the right to approve
   */
  readonly approvers?: readonly string[] | undefined
}

/** Only these destinations or assets are paid. */
export type AllowRule = {
  readonly type: 'allow'
  readonly name: string
  /** @defaultValue all */
  readonly destinations?: readonly AddressArgument[] | undefined
  /** @defaultValue all */
  readonly assetIDs?: readonly IDArgument[] | undefined
}

/** Payouts to an address wait until some time after the first request for it that was not canceled. */
export type DelayRule = {
  readonly type: 'delay'
  readonly name: string
  readonly seconds: number
  /** @defaultValue all */
  readonly assetIDs?: readonly IDArgument[] | undefined
}

/** A rule that payouts are compared with when they are claimed. */
export type LimitRule = AmountLimit | ApprovalRule | AllowRule | DelayRule

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const IDENTITY = /^[A-Za-z0-9][A-Za-z0-9._@+:-]{0,127}$/
/** The most of a rule: sums exceed 2^64 − 1. */
const MAX_AMOUNT = 10n ** 39n
const MAX_SECONDS = 1_000_000_000
const MAX_ITEMS = 10_000

/** Describes the name of a rule. */
export const ruleName: Check<string> = (value, at) => {
  const name = text(value, at)
  if (!NAME.test(name)) throw invalid(value, at, 'a name of 1 to 64 letters, digits and . _ -')
  return name
}

/** Describes somebody whom a service acts for. */
export const identity: Check<string> = (value, at) => {
  const name = text(value, at)
  if (!IDENTITY.test(name))
    throw invalid(value, at, 'a name of 1 to 128 letters, digits and . _ @ + : -')
  return name
}

function listOf<T>(item: Check<T>): Check<readonly T[]> {
  return (value, at) => {
    const items = list(item)(value, at)
    if (items.length === 0 || items.length > MAX_ITEMS)
      throw invalid(value, at, `1 to ${MAX_ITEMS} items`)
    return items
  }
}

/** A database role may have any name; comparisons ignore letter case. */
const approvers: Check<readonly string[]> = listOf((value, at) => {
  const name = text(value, at)
  if (name === '' || name.length > 128 || name.includes('\u0000'))
    throw invalid(value, at, 'a name of 1 to 128 characters')
  return name
})

const maximum = bigintFrom(0n, MAX_AMOUNT)
const seconds = integerFrom(1, MAX_SECONDS)

const ASSETS = {
  assetID: optional(id),
  assets: optional(listOf(object<LimitAsset>({ assetID: id, unit: bigintFrom(1n, 10n ** 29n) }))),
}

const members = {
  limit: object<AmountLimit>({
    type: oneOf('limit'),
    name: ruleName,
    per: oneOf('payout', 'destination', 'reference', 'total'),
    amount: maximum,
    seconds: optional(seconds),
    ...ASSETS,
  }),
  approvals: object<ApprovalRule>({
    type: oneOf('approvals'),
    name: ruleName,
    amount: maximum,
    count: integerFrom(1, 100),
    approvers: optional(approvers),
    ...ASSETS,
  }),
  allow: object<AllowRule>({
    type: oneOf('allow'),
    name: ruleName,
    destinations: optional(listOf(address)),
    assetIDs: optional(listOf(id)),
  }),
  delay: object<DelayRule>({
    type: oneOf('delay'),
    name: ruleName,
    seconds,
    assetIDs: optional(listOf(id)),
  }),
}

/** A check of members that depend on each other. */
function requireOneKindOfAssets(rule: AssetsOfRule, at: Place): void {
  if (rule.assetID !== undefined && rule.assets !== undefined)
    throw invalid(rule.assets, memberOf(at, 'assets'), 'omitted, or assetID omitted')
}

/** Describes a rule: a misspelled member would allow more than was meant. */
export const limitRule: Check<LimitRule> = variants<LimitRule>('type', {
  limit: (value, at) => {
    const rule = members.limit(value, at)
    requireOneKindOfAssets(rule, at)
    if ((rule.seconds === undefined) !== (rule.per === 'payout'))
      throw invalid(
        rule.seconds,
        memberOf(at, 'seconds'),
        rule.per === 'payout' ? 'omitted for a limit per payout' : 'the length of the window',
      )
    return rule
  },
  approvals: (value, at) => {
    const rule = members.approvals(value, at)
    requireOneKindOfAssets(rule, at)
    const different = new Set(rule.approvers?.map((name) => name.toLowerCase()))
    if (rule.approvers !== undefined && different.size < rule.count)
      throw invalid(rule.approvers, memberOf(at, 'approvers'), `${rule.count} different names`)
    return rule
  },
  allow: (value, at) => {
    const rule = members.allow(value, at)
    if (rule.destinations === undefined && rule.assetIDs === undefined)
      throw invalid(rule.destinations, memberOf(at, 'destinations'), 'destinations or assetIDs')
    return rule
  },
  delay: members.delay,
})

/** A rule as the columns of its row. Addresses are bytes there, so that two spellings are one destination. */
export type LimitRow = {
  readonly name: string
  readonly type: LimitRule['type']
  readonly per: AmountLimit['per'] | null
  readonly amount: bigint | null
  readonly seconds: number | null
  readonly assets: readonly Uint8Array[] | null
  readonly units: readonly bigint[] | null
  readonly count: number | null
  readonly approvers: readonly string[] | null
  readonly destinations: readonly Uint8Array[] | null
}

/**
 * The row of a rule.
 *
 * @throws ArgumentError for an address of another chain or network, or a repeated asset
 */
export function rowOfRule(rule: LimitRule, context: NetworkContext, call: string): LimitRow {
  const at = { call, path: 'rule' }
  const empty = { per: null, amount: null, seconds: null, count: null, approvers: null }
  const { name, type } = rule
  switch (type) {
    case 'limit': {
      const { per, amount, seconds = null } = rule
      const assets = assetColumns(rule, context, at)
      return { ...empty, name, type, per, amount, seconds, ...assets, destinations: null }
    }
    case 'approvals': {
      const { amount, count } = rule
      const names = rule.approvers?.map((one) => one.toLowerCase()) ?? null
      const assets = assetColumns(rule, context, at)
      return {
        ...empty,
        name,
        type,
        amount,
        count,
        approvers: names,
        ...assets,
        destinations: null,
      }
    }
    case 'allow': {
      const destinations =
        rule.destinations?.map((one, i) =>
          located({ call, path: `rule.destinations[${i}]` }, () => toAddress(one, context)),
        ) ?? null
      return { ...empty, name, type, ...columnsOf(rule.assetIDs), destinations }
    }
    case 'delay':
      return {
        ...empty,
        name,
        type,
        seconds: rule.seconds,
        ...columnsOf(rule.assetIDs),
        destinations: null,
      }
  }
}

function columnsOf(
  assetIDs: readonly IDArgument[] | undefined,
): Pick<LimitRow, 'assets' | 'units'> {
  if (assetIDs === undefined) return { assets: null, units: null }
  return { assets: assetIDs.map(toID), units: assetIDs.map(() => 1n) }
}

function assetColumns(
  { assetID, assets }: AssetsOfRule,
  context: NetworkContext,
  at: Place,
): Pick<LimitRow, 'assets' | 'units'> {
  if (assets === undefined) return { assets: [toAssetID(assetID, context)], units: [1n] }
  const bytes = assets.map((one) => toID(one.assetID))
  if (new Set(bytes.map(String)).size < bytes.length)
    throw invalid(assets, memberOf(at, 'assets'), 'each asset once')
  return { assets: bytes, units: assets.map(({ unit }) => unit) }
}
