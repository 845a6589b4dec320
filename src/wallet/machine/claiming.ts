import { AvmError } from '../../core/base/errors.ts'
import type { StoreError } from '../store/errors.ts'
import { isExported, isPaying } from './facts.ts'
import { FEE_CHECK_MS, pursue } from './issuing.ts'
import { isTemporary } from './listing.ts'
import type { Effect, Facts, Run } from './run.ts'
import { endedBy, failed } from './standing.ts'

/** Time between the first two replacements of attempts in a call; doubles with each further one. */
const FIRST_REPLACEMENT_MS = 1_000

/** Refusals of claims that last until the caller recovers the store, or uses another node. */
const UNUSABLE: readonly string[] = ['STORE_AHEAD', 'STORE_BEHIND', 'STORE_MISMATCH']

/** After the search for an own transaction that the store does not know. */
export function recalled(run: Run, txID: Uint8Array | undefined, facts: Facts): Run {
  if (txID === undefined && run.unlessMade.length > 0) return endedBy(run, run.unlessMade)
  // Otherwise a call that is running, maybe in another process, would make a rejected payment again.
  if (txID === undefined && run.goal.kind === 'cancel') return { ...run, phase: 'close' }
  if (txID === undefined)
    return { ...run, phase: 'draft', deadline: facts.now + run.goal.timeoutMs }
  const records = run.payments.map(({ key }) => ({ key, status: 'accepted', txID }) as const)
  return endedBy(run, records)
}

/** A draft of the next attempt: it conflicts with those that are pending, unless it is the import of a move. */
export function draftEffect(run: Run, facts: Facts): Effect {
  const { attempts, now } = facts
  return {
    do: 'draft',
    replaced: run.isReplacing ? attempts : [],
    ended: run.ended,
    exported: facts.exported,
    ms: run.isReplacing ? Math.max(1, run.deadline - now) : run.goal.timeoutMs,
  }
}

/** After a claim: issues it. */
export function claimed(run: Run, facts: Facts): Run {
  const { goal, isReplacing, replacements } = run
  const isFirst = !isReplacing || !run.again
  const deadline = isFirst ? facts.now + goal.timeoutMs : run.deadline
  const begun = pursue(
    { ...run, isReplacing: false, deadline },
    facts,
    isFirst && goal.queriesFirst ? 'query' : 'issue',
  )
  if (!isReplacing) return begun
  // Replacements are rare, because a server may contradict itself without end, and every attempt stays in the store.
  const compareAt = facts.now + FIRST_REPLACEMENT_MS * 2 ** replacements
  return { ...begun, replacements: replacements + 1, compareAt }
}

/** What it means that the store refuses a claim. */
export function refused(run: Run, error: StoreError, facts: Facts): Run {
  const { goal } = run
  switch (error.code) {
    case 'KEY_ACCEPTED':
    case 'KEY_CANCELED':
    case 'KEY_PENDING':
      // Another process was faster.
      return { ...run, phase: 'look', isReplacing: false }
    case 'KEY_UNKNOWN':
      if (goal.kind === 'cancel') return { ...run, phase: 'look', isReplacing: false }
      break
    case 'EVIDENCE_UNSPENT':
      // It may have been spent since it was read: draft with what is left of it.
      if (!run.isReplacing) return { ...run, phase: 'look', refusal: error }
      break
    case 'INPUT_CLAIMED':
      if (goal.kind === 'pay' && !goal.isGiven && facts.now < run.deadline)
        return { ...run, phase: 'avoid', avoided: error.inputs }
  }
  return draftFailed(run, error, facts)
}

/** What it means that no attempt could be drafted, signed or claimed. */
export function draftFailed(run: Run, error: unknown, facts: Facts): Run {
  const noted: Run = { ...run, error }
  if (!(error instanceof AvmError)) return failed(run, error)
  if (run.goal.isMove && isExported(facts))
    return isTemporary(error)
      ? { ...noted, phase: 'wait' }
      : { ...noted, answer: { is: 'pending' } }
  // The evidence may have been spent since it was read.
  if (error.code === 'UTXO_NOT_FOUND' && run.ended.length > 0 && !run.isReplacing)
    return { ...noted, phase: 'look', refusal: error }
  if (!run.isReplacing) return failed(run, error)
  if (!facts.attempts.some(isPaying)) return { ...noted, phase: 'look', isReplacing: false }
  const isCanceling = facts.attempts.some((attempt) => !isPaying(attempt))
  if (run.goal.kind === 'cancel' && !isCanceling) return failed(run, error)
  // Otherwise the reason would be lost among the refusals of what is issued again.
  if (UNUSABLE.includes(error.code)) return { ...noted, answer: { is: 'pending' } }
  // What is pending is issued again. Nobody is asked twice in one call to confirm that it is replaced.
  const isRefused = error.code === 'NOT_CONFIRMED'
  if (isRefused && run.goal.isMove) return { ...noted, answer: { is: 'pending' } }
  const compareAt = isRefused ? Number.POSITIVE_INFINITY : facts.now + FEE_CHECK_MS
  return { ...noted, phase: 'wait', isReplacing: false, compareAt }
}
