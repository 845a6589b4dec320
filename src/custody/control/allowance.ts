import { hex } from '../../core/base/encoding/hex.ts'
import type { Digits } from '../database/values.ts'

/** A payout that is to be compared with sums. */
export type LimitedPayout = {
  readonly seq: Digits
  readonly address: Uint8Array
  readonly assetID: Uint8Array
  readonly amount: bigint
  readonly reference: string | undefined
}

/** What counts for a rule, for one of its groups: an address, a reference, or all. */
export type LimitSum = {
  /** Row number of the rule, and its name. */
  readonly id: Digits
  readonly rule: string
  /** The most that the sum may be. */
  readonly amount: bigint
  /** Units by the hex of asset IDs. */
  readonly units: ReadonlyMap<string, bigint>
  /** The address of the group; undefined if the rule is not about addresses. */
  readonly destination: Uint8Array | undefined
  /** The reference of the group, empty for payouts without one; undefined if the rule is not about references. */
  readonly account: string | undefined
  readonly used: bigint
}

/** A payout that does not fit, and the first sum that it would exceed. */
export type Stopped<P> = {
  readonly payout: P
  readonly sum: LimitSum
  /** Value of the payout in the unit of the rule. */
  readonly value: bigint
  /** The sum with the payouts that were chosen before. */
  readonly used: bigint
}

/** The value of a payout in the unit of a rule, rounded up; undefined if the rule is not about its asset. */
export function valueFor(
  { assetID, amount }: Pick<LimitedPayout, 'assetID' | 'amount'>,
  { units }: Pick<LimitSum, 'units'>,
): bigint | undefined {
  const unit = units.get(hex.encode(assetID))
  return unit === undefined ? undefined : (amount + unit - 1n) / unit
}

/**
 * Chooses payouts, in their order, such that no sum exceeds its limit. One that does not fit does not keep smaller ones
 * after it from being made.
 */
export function chooseWithin<P extends LimitedPayout>(
  payouts: readonly P[],
  sums: readonly LimitSum[],
): { readonly allowed: readonly P[]; readonly stopped: readonly Stopped<P>[] } {
  const used = new Map(sums.map((sum) => [sum, sum.used]))
  const byGroup = new Map<string, LimitSum[]>()
  for (const sum of sums) byGroup.set(groupOf(sum), [...(byGroup.get(groupOf(sum)) ?? []), sum])
  const allowed: P[] = []
  const stopped: Stopped<P>[] = []
  for (const payout of payouts) {
    const { address: destination, reference: account = '' } = payout
    const own = [{}, { destination }, { account }]
      .flatMap((group) => byGroup.get(groupOf(group)) ?? [])
      .flatMap((sum) => {
        const value = valueFor(payout, sum)
        return value === undefined ? [] : [{ sum, value }]
      })
    const full = own.find(({ sum, value }) => used.get(sum)! + value > sum.amount)
    if (full !== undefined) {
      stopped.push({ payout, sum: full.sum, value: full.value, used: used.get(full.sum)! })
      continue
    }
    for (const { sum, value } of own) used.set(sum, used.get(sum)! + value)
    allowed.push(payout)
  }
  return { allowed, stopped }
}

type Group = Partial<Pick<LimitSum, 'destination' | 'account'>>

function groupOf({ destination, account }: Group): string {
  if (destination !== undefined) return `to ${hex.encode(destination)}`
  return account === undefined ? 'all' : `of ${account}`
}
