import { claimed, draftEffect, draftFailed, recalled, refused } from './claiming.ts'
import { compared, isIssuing, issued, issuingEffect, searched, waited } from './issuing.ts'
import { listEffect, listed, reissued } from './listing.ts'
import type { Effect, Event, Facts, Run } from './run.ts'
import { isDecided, looked } from './standing.ts'

/**
 * The machine of payments. Single payments, batches, imports, cancellations, submissions, resumptions and moves follow it:
 *
 * ```
 *   look ──► recall ──► draft ──► sign ──► claim ──► issue ◄── query ◄─┐
 *    ▲  │                 ▲                  │         │               │
 *    │  │                 └── compare ◄──────┼─────────┤ refused as outdated
 *    │  └─► answer            list ──────────┘         ▼               │
 *    │       (accepted,        ▲ export of a move     wait ─► search ─► vary
 *    │  rejected, canceled)    │ was accepted          │
 *    └─────────────────────────┴───────────────────────┘ a block or getTx has decided
 * ```
 *
 * `next` tells what to do, `step` what has changed by what came of it. Both are pure: the shell performs effects, and
 * keeps the claims up to date, of which the facts are a part.
 *
 * These invariants hold whatever servers answer: a claim is durable before its bytes are sent; the store refuses
 * attempts that do not conflict with the pending ones for their keys, so that a payment is made at most once; only
 * evidence from the chain ends an attempt.
 */
export function next(run: Run, facts: Facts): Effect {
  const isWaiting = isIssuing(run) || run.isReplacing
  const isOpen = run.answer === undefined || run.answer.is === 'pending'
  if (isWaiting && isOpen && isDecided(run, facts)) return { do: 'look' }
  if (run.answer !== undefined) return { do: 'answer', answer: run.answer }
  if (isIssuing(run) && (facts.isAborted || facts.now >= run.deadline))
    return { do: 'answer', answer: { is: 'pending' } }
  switch (run.phase) {
    case 'draft':
      return draftEffect(run, facts)
    case 'claim':
      return { do: 'claim', again: run.again }
    case 'list':
    case 'reissue':
      return listEffect(run, facts)
    case 'look':
    case 'sign':
    case 'close':
      return { do: run.phase }
    case 'recall':
      return { do: 'recall', payments: run.payments }
    case 'avoid':
      return { do: 'avoid', inputs: run.avoided }
    default:
      return issuingEffect(run, facts)
  }
}

/** The progress of a call after an event. */
export function step(run: Run, event: Event, facts: Facts): Run {
  switch (event.type) {
    case 'looked':
      return looked(run, event, facts)
    case 'recalled':
      return recalled(run, event.txID, facts)
    case 'drafted':
      return { ...run, phase: 'sign' }
    case 'avoided':
      return { ...run, phase: 'draft' }
    case 'signed':
      return { ...run, phase: 'claim' }
    case 'claimed':
      return claimed(run, facts)
    case 'refused':
      return refused(run, event.error, facts)
    case 'failed':
      return draftFailed(run, event.error, facts)
    case 'queried':
      return { ...run, phase: 'issue', error: event.error ?? run.error }
    case 'issued':
      return issued(run, event, facts)
    case 'compared':
      return compared(run, event, facts)
    case 'waited':
      return waited(run, facts)
    case 'searched':
      return searched(run, facts)
    case 'varied':
      return { ...run, phase: 'query', error: event.error ?? run.error }
    case 'listed':
      return listed(run, event, facts)
    case 'reissued':
      return reissued(run, facts)
    case 'closed':
      return { ...run, phase: 'look' }
  }
}
