import type { Run } from '../machine/run.ts'
import type { Attempt, Outcome, PaymentRecord } from '../store/store.ts'

/** How the payments of a call have ended. */
export type Finished<I> = {
  readonly outcome: Outcome
  readonly records: readonly PaymentRecord[]
  /** Of the accepted transaction, if this call has signed it. */
  readonly info: I | undefined
  /** The accepted attempt, if it was pending during this call. */
  readonly attempt: Attempt | undefined
  /** For a move: the export that was accepted, or the newest one. */
  readonly exported: Attempt | undefined
}

/** Payments without an outcome when a call ends. */
export type Unfinished = Pick<Run, 'payments' | 'error' | 'rejection'> & {
  /** Pending attempts, oldest first. */
  readonly attempts: readonly Attempt[]
  /** For a move: the accepted export. */
  readonly exported: Attempt | undefined
}
