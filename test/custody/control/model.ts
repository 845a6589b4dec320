/*
 * What limits mean, written without a database: every question is answered by looking at all payouts.
 */

export type ModelPayout = {
  readonly key: string
  readonly to: string
  readonly asset: string
  readonly reference: string | undefined
  readonly amount: bigint
  readonly requester: string
  readonly requestedAt: number
  status: 'queued' | 'pending' | 'accepted' | 'canceled'
  at: number
  readonly decisions: { readonly by: string; readonly isApproved: boolean }[]
}

export type ModelRule =
  | {
      readonly type: 'limit'
      readonly per: 'payout' | 'destination' | 'reference' | 'total'
      readonly amount: bigint
      readonly seconds: number
      readonly units: { readonly [asset: string]: bigint }
    }
  | {
      readonly type: 'approvals'
      readonly amount: bigint
      readonly count: number
      readonly approvers: readonly string[] | undefined
      readonly units: { readonly [asset: string]: bigint }
    }
  | { readonly type: 'allow'; readonly destinations: readonly string[] }
  | { readonly type: 'delay'; readonly seconds: number }

const valueOfPayout = (payout: ModelPayout, units: { readonly [asset: string]: bigint }) => {
  const unit = units[payout.asset]
  if (unit === undefined) return 0n
  return payout.amount / unit + (payout.amount % unit === 0n ? 0n : 1n)
}

/** Whether payouts may be claimed together at a time. */
export function mayClaim(
  all: readonly ModelPayout[],
  claimed: readonly ModelPayout[],
  rules: readonly ModelRule[],
  now: number,
): boolean {
  return rules.every((rule) => claimed.every((payout) => allows(rule, payout, all, claimed, now)))
}

function allows(
  rule: ModelRule,
  payout: ModelPayout,
  all: readonly ModelPayout[],
  claimed: readonly ModelPayout[],
  now: number,
): boolean {
  if (rule.type === 'allow') return rule.destinations.includes(payout.to)
  if (rule.type === 'delay') {
    const times = all
      .filter(({ to, status }) => to === payout.to && status !== 'canceled')
      .map(({ requestedAt }) => requestedAt)
    return Math.min(...times) + rule.seconds <= now
  }
  const value = valueOfPayout(payout, rule.units)
  if (rule.type === 'approvals') {
    if (value <= rule.amount) return true
    const last = new Map(
      payout.decisions.map(({ by, isApproved }) => [by.toLowerCase(), isApproved]),
    )
    if ([...last.values()].includes(false)) return false
    const counted = [...last.keys()].filter(
      (name) => name !== payout.requester && (rule.approvers?.includes(name) ?? true),
    )
    return counted.length >= rule.count
  }
  if (value === 0n) return true
  if (rule.per === 'payout') return value <= rule.amount
  const isSame = (other: ModelPayout) => {
    if (rule.per === 'destination') return other.to === payout.to
    return rule.per === 'total' || (other.reference ?? '') === (payout.reference ?? '')
  }
  const counted = all.filter(
    (other) =>
      claimed.includes(other) ||
      (['pending', 'accepted'].includes(other.status) && other.at > now - rule.seconds),
  )
  const sum = counted
    .filter(isSame)
    .reduce((total, one) => total + valueOfPayout(one, rule.units), 0n)
  return sum <= rule.amount
}

/** What a worker chooses: each payout that may be claimed together with those chosen before. */
export function choose(
  all: readonly ModelPayout[],
  rules: readonly ModelRule[],
  now: number,
): ModelPayout[] {
  const chosen: ModelPayout[] = []
  for (const payout of all)
    if (payout.status === 'queued' && mayClaim(all, [...chosen, payout], rules, now))
      chosen.push(payout)
  return chosen
}
