import type { Facts, Goal } from '../../../src/wallet/machine/run.ts'
import type { Attempt } from '../../../src/wallet/store/store.ts'

/** A call that pays. */
export const pay: Goal = {
  kind: 'pay',
  isGiven: false,
  isMove: false,
  maxRebuilds: 3,
  replaces: true,
  queriesFirst: false,
  insists: false,
  quorum: 1,
  timeoutMs: 60_000,
  resendMs: 5_000,
}
export const move: Goal = { ...pay, isMove: true }
export const complete: Goal = { ...pay, kind: 'complete' }
export const cancel: Goal = { ...pay, kind: 'cancel', key: 'a' }

/** Nothing is pending after 20 seconds. */
export const facts: Facts = {
  now: 20_000,
  isAborted: false,
  attempts: [],
  exported: undefined,
  variants: 1,
  servers: 1,
}

/** A pending payment on the X-Chain. */
export const attempt: Attempt = {
  kind: 'payment',
  txID: new Uint8Array(32),
  bytes: new Uint8Array(),
  keys: ['a'],
  inputs: [],
  fromHeight: 1n,
}
export const cancellation: Attempt = { ...attempt, kind: 'cancellation' }

/** The two transactions of a move from C to P. */
const leg = { chain: 'C', inputs: [], note: new Uint8Array() } as const
export const exportOnC: Attempt = { ...attempt, kind: 'export', leg }
export const importOnP: Attempt = { ...attempt, kind: 'import', leg: { ...leg, chain: 'P' } }
