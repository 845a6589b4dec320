import { type Check, object, oneOf, text, variants } from '../../core/base/argument.ts'
import { time } from '../arguments.ts'
import type { LimitUse } from '../control/limit-checks.ts'

/** A payout that waits in the queue. */
export type QueuedPayout = {
  readonly key: string
  /** 20 bytes. */
  readonly address: Uint8Array
  readonly assetID: Uint8Array
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly memo: Uint8Array
  readonly priority: number
  /** The caller's name for the account that pays. */
  readonly reference: string | undefined
}

/**
 * Decision about a payout: make it, hold it until it is released, or decide again later. A payout that was released
 * after a policy had held it is made without another decision.
 */
export type PolicyDecision =
  | { readonly action: 'pay' }
  | { readonly action: 'hold'; readonly reason: string }
  | { readonly action: 'delay'; readonly until: Date; readonly reason: string }

type Hold = Extract<PolicyDecision, { readonly action: 'hold' }>
type Delay = Extract<PolicyDecision, { readonly action: 'delay' }>

/** Describes a decision: one that is misspelled must not pay. */
export const policyDecision: Check<PolicyDecision> = variants<PolicyDecision>('action', {
  pay: object<{ readonly action: 'pay' }>({ action: oneOf('pay') }),
  hold: object<Hold>({ action: oneOf('hold'), reason: text }),
  delay: object<Delay>({ action: oneOf('delay'), until: time, reason: text }),
})

/** Queries that a policy can make about a payout. */
export type PolicyQueries = {
  /**
   * The amount of the same asset to the same address, in its smallest unit: payouts that are paid or pending and became
   * pending since a time, and payouts that workers took from the queue before this one.
   */
  readonly paidTo: (since: Date) => Promise<bigint>
  /** The sums of limits in which the payout takes part, without itself; payouts that workers have reserved count. */
  readonly limits: () => Promise<readonly LimitUse[]>
}

/**
 * Decides about each payout before a transaction is drafted for it. Called by the worker that took the payout; if it
 * throws, the payout stays in the queue.
 *
 * @example
 * const policy: Policy = async (payout, { paidTo }) =>
 *   (await paidTo(new Date(Date.now() - 86_400_000))) + payout.amount > LIMIT
 *     ? { action: 'hold', reason: 'daily limit' }
 *     : { action: 'pay' }
 */
export type Policy = (
  payout: QueuedPayout,
  queries: PolicyQueries,
) => PolicyDecision | Promise<PolicyDecision>
