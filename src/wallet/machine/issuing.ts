import { otherChainOf } from '../ports.ts'
import { MAX_VARIANTS } from '../recovery/variant.ts'
import { isExported, isPaying, issuedOf } from './facts.ts'
import { beginListing, LISTING_MS } from './listing.ts'
import { isInputNotFound, isOutdated } from './rejected.ts'
import type { Effect, Event, Facts, Phase, Run } from './run.ts'

const MAX_RESEND_MS = 60_000
const FIRST_RETRY_MS = 1_000

/** How long an attempt on another chain is issued before its fee is compared with the current one. */
export const FEE_CHECK_MS = 10_000

const ISSUING: readonly Phase[] = [
  'query',
  'issue',
  'compare',
  'wait',
  'search',
  'vary',
  'list',
  'reissue',
]

/** Whether the call waits for the outcome of an attempt. */
export function isIssuing({ phase }: Run): boolean {
  return ISSUING.includes(phase)
}

/** Begins to issue what is pending or, if that is an accepted export, to import it. */
export function pursue(run: Run, facts: Facts, phase: 'query' | 'issue'): Run {
  const { now } = facts
  const begun: Run = {
    ...run,
    phase,
    again: true,
    refusal: undefined,
    round: 0,
    rejections: 0,
    rejection: undefined,
    feeCheckAt: now + FEE_CHECK_MS,
  }
  if (run.goal.isMove && isExported(facts)) return beginListing(begun, facts)
  return { ...begun, listedFrom: undefined }
}

/** What to do in the phases that repeat until there is an outcome. */
export function issuingEffect(run: Run, facts: Facts): Effect {
  const { attempts, exported, now } = facts
  const ms = run.deadline - now
  const attempt = issuedOf(attempts)!
  switch (run.phase) {
    case 'query':
      return { do: 'query', attempts: attempts.filter((one) => one !== exported), ms }
    case 'compare':
      return { do: 'compare', attempt, exported, rejection: run.rejection, ms }
    case 'wait':
      return { do: 'wait', ms: Math.min(pauseMs(run, facts), ms) }
    case 'search':
      return { do: 'search', attempt, turn: run.turn, ms }
    case 'vary':
      return { do: 'vary', attempt }
    default:
      return { do: 'issue', attempt, ms }
  }
}

/** The pause before an attempt is issued again. */
function pauseMs(run: Run, facts: Facts): number {
  const { round, rejection, goal } = run
  if (run.listedFrom !== undefined) return LISTING_MS
  const first = rejection?.remembered ? FIRST_RETRY_MS : goal.resendMs
  const pause = Math.min(first * 2 ** round, MAX_RESEND_MS)
  if (!mayCheckFee(run, facts)) return pause
  // A check that is due may not be allowed yet.
  const checkAt = Math.max(run.feeCheckAt, run.compareAt)
  return Math.min(pause, Math.max(1, checkAt - facts.now))
}

/** After an attempt was issued. A server's answer never ends a payment. */
export function issued(
  run: Run,
  { turn, rejection, refusals, error }: Extract<Event, { type: 'issued' }>,
  facts: Facts,
): Run {
  const next: Run = { ...run, turn, rejection, rejections: refusals, error }
  return { ...next, phase: isCompareDue(next, facts) ? 'compare' : 'wait' }
}

/** Whether the attempt may have to be replaced. */
function isCompareDue(run: Run, facts: Facts): boolean {
  const { rejection, rejections } = run
  const { now, variants, servers } = facts
  if (!mayReplace(run, facts) || now < run.compareAt) return false
  if (mayCheckFee(run, facts) && now >= run.feeCheckAt) return true
  // A server that is behind does not have the newest UTXOs yet, so all are asked, and one of them again. A variant is made
  // once all have refused the attempt.
  const haveAllRefused = variants > 1 || rejections > servers
  return isOutdated(rejection) && (!isInputNotFound(rejection) || haveAllRefused)
}

function mayReplace({ goal }: Run, { attempts, exported }: Facts): boolean {
  // A transaction of a batch that is being canceled is not drafted again. A move whose export was accepted is completed.
  const isCanceled = exported === undefined && !attempts.every(isPaying)
  return goal.replaces && !(goal.kind === 'complete' && isCanceled)
}

/** Whether the chain of the attempt lets transactions wait whose fee is too low, instead of refusing them. */
function mayCheckFee(run: Run, facts: Facts): boolean {
  const attempt = issuedOf(facts.attempts)
  return mayReplace(run, facts) && attempt !== undefined && otherChainOf(attempt) !== undefined
}

/** After an attempt was compared with the current fee and UTXOs. */
export function compared(
  run: Run,
  { comparison, error }: Extract<Event, { type: 'compared' }>,
  facts: Facts,
): Run {
  const noted: Run = { ...run, error: error ?? run.error, feeCheckAt: facts.now + FEE_CHECK_MS }
  if (comparison === 'useless') return { ...noted, answer: { is: 'pending' } }
  if (comparison === 'outdated') return { ...noted, phase: 'draft', isReplacing: true }
  // If they do not explain the rejection, it is no reason to compare again soon.
  const compareAt = facts.now + FEE_CHECK_MS
  return { ...noted, phase: run.rejection ? 'wait' : 'query', compareAt }
}

/** After a pause. */
export function waited(run: Run, facts: Facts): Run {
  const next: Run = { ...run, round: run.round + 1 }
  // Another process may have gone on with the move.
  if (run.listedFrom !== undefined) return { ...next, phase: 'look' }
  if (mayCheckFee(run, facts) && isCompareDue(run, facts)) return { ...next, phase: 'compare' }
  if (!run.rejection?.remembered) return { ...next, phase: 'query' }
  const attempt = issuedOf(facts.attempts)
  const isOnX = attempt !== undefined && otherChainOf(attempt) === undefined
  // Also if another reason is given: a server that finds the fee too low does not look for the inputs.
  if (isOnX && isOutdated(run.rejection)) return { ...next, phase: 'search' }
  return searched(next, facts)
}

/** Number of pending attempts from which no variants are made: a server that shows ever higher fees causes many. */
const MAX_VARIED = 3 * MAX_VARIANTS

/** If every server has refused the newest attempt, a variant with the same inputs is a new transaction for them. */
export function searched(run: Run, { servers, variants, attempts }: Facts): Run {
  const isAllowed = variants <= MAX_VARIANTS && attempts.length <= MAX_VARIED
  const isDue = run.rejections >= servers && isAllowed
  return { ...run, phase: isDue ? 'vary' : 'query' }
}
