import { equalBytes } from '../../core/base/bytes/compare.ts'
import { MAX_U64 } from '../../core/base/encoding/amount.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import {
  type AddressArgument,
  type IDArgument,
  toAddress,
  toID,
} from '../../core/draft/arguments.ts'
import { CustodyError } from '../errors.ts'

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

/** Members that each rule must have, besides its type. */
const RULE_MEMBERS: { readonly [type in SweepRule['type']]: readonly string[] } = {
  collect: ['above'],
  store: ['above', 'keep', 'to'],
  refill: ['below', 'amount', 'from'],
  consolidate: ['above'],
}

/**
 * Checks rules before they move anything: a misspelled `assetID` would sweep the native asset, and a hot address as
 * cold storage would take its funds away from payouts.
 *
 * @param hot - addresses of the hot wallet
 * @throws CustodyError `BAD_ARGUMENT`
 */
export function checkSweepRules(
  rules: readonly SweepRule[],
  context: NetworkContext,
  hot: readonly Uint8Array[],
): void {
  const checkCold = (name: string, value: unknown) => {
    const address = toAddress(value as AddressArgument, context)
    if (hot.some((one) => equalBytes(one, address)))
      throw new TypeError(`${name} is an address of the hot wallet`)
  }
  for (const [i, rule] of rules.entries())
    try {
      checkRule(rule, checkCold)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new CustodyError('BAD_ARGUMENT', `sweeps[${i}]: ${reason}`, { cause })
    }
}

type CheckCold = (name: string, value: unknown) => void

function checkRule(rule: SweepRule, checkCold: CheckCold): void {
  if (typeof rule !== 'object' || rule === null || !Object.hasOwn(RULE_MEMBERS, rule.type))
    throw new TypeError(`type must be one of ${Object.keys(RULE_MEMBERS).join(', ')}`)
  const needed = RULE_MEMBERS[rule.type]
  const missing = needed.find((name) => !Object.hasOwn(rule, name))
  if (missing !== undefined) throw new TypeError(`${missing} is missing`)
  for (const [name, value] of Object.entries(rule) as [string, unknown][]) {
    if (name === 'type' || (name === 'assetID' && value === undefined)) continue
    if (name === 'assetID') toID(value as IDArgument)
    else if (!needed.includes(name)) throw new TypeError(`${name} is not a member of this rule`)
    else if (name === 'to') checkCold(name, value)
    else if (name === 'from') checkAddresses(value, checkCold)
    else if (rule.type === 'consolidate') checkUTXOCount(name, value)
    else checkAmount(name, value)
  }
  if (rule.type === 'store' && rule.keep > rule.above)
    throw new TypeError('keep must not be greater than above')
}

function checkAddresses(value: unknown, checkCold: CheckCold): void {
  if (!Array.isArray(value) || value.length === 0)
    throw new TypeError('from must be a list of addresses')
  for (const address of value) checkCold('from', address)
}

function checkAmount(name: string, value: unknown): void {
  if (typeof value !== 'bigint' || value < 0n || value > MAX_U64)
    throw new TypeError(`${name} must be a bigint from 0 to ${MAX_U64}`)
}

function checkUTXOCount(name: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new TypeError(`${name} must be a number of UTXOs: an integer of at least 0`)
}
