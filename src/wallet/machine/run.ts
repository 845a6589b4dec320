import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Rejection } from '../../node/issue/rejections.ts'
import type { Group } from '../store/claims.ts'
import type { StoreError } from '../store/errors.ts'
import type {
  Attempt,
  ClaimedPayment,
  EndedAttempt,
  Outcome,
  PaymentRecord,
} from '../store/store.ts'

/** What a call is to achieve. */
export type Goal = {
  /**
   * `pay`: make payments, unless they are made already. `complete`: issue what is pending, or a given draft, until it has an
   * outcome. `cancel`: end a payment without making it.
   */
  readonly kind: 'pay' | 'complete' | 'cancel'
  /** Of the payment to cancel. */
  readonly key?: string | undefined
  /** Whether the transaction is given, so that a draft with other inputs is not possible. */
  readonly isGiven: boolean
  /** Whether the payment is a move: an export, then an import. */
  readonly isMove: boolean
  /** How often payments that were rejected are made again. */
  readonly maxRebuilds: number
  /** Whether attempts whose fee or inputs are outdated are replaced. */
  readonly replaces: boolean
  /** Whether servers may know the first attempt, so that they are asked for it before it is issued. */
  readonly queriesFirst: boolean
  /** Whether the caller has decided that the payments are made again, whatever is known of earlier attempts. */
  readonly insists: boolean
  /** Number of servers that must agree. */
  readonly quorum: number
  /** How long an attempt is issued until the call ends without an outcome. */
  readonly timeoutMs: number
  /** Time between the first two times that an attempt is issued; doubles with each further one. */
  readonly resendMs: number
}

/** What to do next; see {@link Effect}. */
export type Phase = Exclude<Effect['do'], 'answer'>

/** The progress of a call. A value: every step makes another one. Times are milliseconds since the call began. */
export type Run = {
  readonly goal: Goal
  readonly phase: Phase
  /** Those of the call; for a cancellation, those that are made by the same transaction. */
  readonly payments: readonly ClaimedPayment[]
  /** Whether an attempt was pending during this call. A cancellation since then ends it. */
  readonly again: boolean
  readonly rebuilds: number
  /** Records that answer the call, unless an own transaction is found that has made the payments. */
  readonly unlessMade: readonly PaymentRecord[]
  /** Attempts for the payments that have ended, when the store was last read. */
  readonly ended: readonly EndedAttempt[]
  /** Whether the draft replaces pending attempts. */
  readonly isReplacing: boolean
  /** Why the last draft failed, or was refused, if it was for missing evidence. */
  readonly refusal: unknown
  /** Inputs for which the store refused the last claim. */
  readonly avoided: readonly UTXOID[]
  /** When drafting, or issuing, ends without success. */
  readonly deadline: number
  /** How often attempts were issued in this call. */
  readonly round: number
  /** How often the newest attempt was refused for a reason that the server remembers, in all calls. */
  readonly rejections: number
  /** The answer to the last time. */
  readonly rejection: Rejection | undefined
  /** Why the last request did not lead to an outcome. */
  readonly error: unknown
  /** Number of the server that was asked last. */
  readonly turn: number
  /** How often attempts were replaced, and when the next one may be. */
  readonly replacements: number
  readonly compareAt: number
  /** When the fee of an attempt on another chain is compared with the current one, although nothing was refused. */
  readonly feeCheckAt: number
  /** Since when the exported UTXOs of a move are asked for, and when their export is issued again if they are not listed. */
  readonly listedFrom: number | undefined
  readonly reissueAt: number
  readonly answer: Answer | undefined
}

/** What a rule may know besides the progress of the call. */
export type Facts = {
  /** Milliseconds since the call began. */
  readonly now: number
  readonly isAborted: boolean
  /** Pending attempts for the payments of the call and those made by the same transaction, oldest first. */
  readonly attempts: readonly Attempt[]
  /** The accepted export of a move. */
  readonly exported: Attempt | undefined
  /** Number of attempts that differ at most in their signatures from the one that is issued next. */
  readonly variants: number
  /** Number of servers of the chain on which the next attempt is issued. */
  readonly servers: number
}

/** What is to be done. */
export type Effect =
  /** Read what the store knows of the payments. */
  | { readonly do: 'look' }
  /** Look for an own transaction that has made the payments although the store does not know it. */
  | { readonly do: 'recall'; readonly payments: readonly ClaimedPayment[] }
  /** Draft a transaction, and reserve what it spends. */
  | {
      readonly do: 'draft'
      /** Pending attempts that it conflicts with; none for the import of a move. */
      readonly replaced: readonly Attempt[]
      readonly ended: readonly EndedAttempt[]
      readonly exported: Attempt | undefined
      /** Time limit. */
      readonly ms: number
    }
  /** Read what other processes have claimed, and do not draft with these inputs again. */
  | { readonly do: 'avoid'; readonly inputs: readonly UTXOID[] }
  /** Confirm and sign the draft. */
  | { readonly do: 'sign' }
  /** Record what was signed. */
  | { readonly do: 'claim'; readonly again: boolean }
  /** Ask servers for the pending attempts. */
  | { readonly do: 'query'; readonly attempts: readonly Attempt[]; readonly ms: number }
  /** Send an attempt to the next server. */
  | { readonly do: 'issue'; readonly attempt: Attempt; readonly ms: number }
  /** Compare an attempt with the current fee and UTXOs. */
  | {
      readonly do: 'compare'
      readonly attempt: Attempt
      readonly exported: Attempt | undefined
      readonly rejection: Rejection | undefined
      readonly ms: number
    }
  | { readonly do: 'wait'; readonly ms: number }
  /** Look for what has spent the inputs of an attempt in old blocks of the server that refused it. */
  | {
      readonly do: 'search'
      readonly attempt: Attempt
      readonly turn: number
      readonly ms: number
    }
  /** Sign an attempt again, so that servers treat it as another transaction, and claim that. */
  | { readonly do: 'vary'; readonly attempt: Attempt }
  /** Ask the destination of a move for the exported UTXOs. */
  | { readonly do: 'list'; readonly exported: Attempt; readonly ms: number }
  /** Issue an accepted export again: the server that showed it may never have forwarded it. */
  | { readonly do: 'reissue'; readonly exported: Attempt; readonly ms: number }
  /** Make the rejected payment a canceled one. */
  | { readonly do: 'close' }
  | { readonly do: 'answer'; readonly answer: Answer }

/** How an attempt compares with the current fee and UTXOs. `useless`: it cannot be accepted or replaced in this call. */
export type Comparison = 'current' | 'outdated' | 'useless'

/** What came of an effect. */
export type Event =
  /** With the payments that are made by the same transaction as the first pending one, as far as the wallet knows. */
  | {
      readonly type: 'looked'
      readonly records: readonly PaymentRecord[]
      readonly group: Group | undefined
      /** Keys of those of which a caller was told that they have ended as the records say. */
      readonly told: readonly string[]
    }
  | { readonly type: 'recalled'; readonly txID: Uint8Array | undefined }
  | {
      readonly type: 'drafted' | 'avoided' | 'signed' | 'claimed' | 'waited' | 'searched' | 'closed'
    }
  | { readonly type: 'queried' | 'varied'; readonly error?: unknown }
  | {
      readonly type: 'issued'
      readonly turn: number
      readonly rejection: Rejection | undefined
      /** How often the attempt was refused for a reason that the server remembers, in all calls. */
      readonly refusals: number
      readonly error: unknown
    }
  | { readonly type: 'compared'; readonly comparison: Comparison; readonly error?: unknown }
  /** Undefined if the destination could not be asked. */
  | { readonly type: 'listed'; readonly isListed: boolean | undefined; readonly error?: unknown }
  | { readonly type: 'reissued' }
  /** The store refused a claim. */
  | { readonly type: 'refused'; readonly error: StoreError }
  /** Drafting or signing failed. */
  | { readonly type: 'failed'; readonly error: unknown }

/** How a call ends. */
export type Answer =
  | {
      readonly is: 'ended'
      readonly outcome: Outcome
      readonly records: readonly PaymentRecord[]
    }
  | { readonly is: 'pending' }
  | { readonly is: 'failed'; readonly error: unknown }

/** The first value of a run. */
export function startRun(goal: Goal, payments: readonly ClaimedPayment[], phase: Phase): Run {
  return {
    goal,
    phase,
    payments,
    again: false,
    rebuilds: 0,
    unlessMade: [],
    ended: [],
    isReplacing: false,
    refusal: undefined,
    avoided: [],
    deadline: goal.timeoutMs,
    round: 0,
    rejections: 0,
    rejection: undefined,
    error: undefined,
    turn: 0,
    replacements: 0,
    compareAt: 0,
    feeCheckAt: 0,
    listedFrom: undefined,
    reissueAt: 0,
    answer: undefined,
  }
}
