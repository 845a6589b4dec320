import { AvmError } from '../../core/base/errors.ts'
import type { Effect, Event, Facts, Run } from './run.ts'

/** Pause between requests for the exported UTXOs. */
export const LISTING_MS = 500

/** How long exported UTXOs may be missing at their destination before the export is issued again; doubles each time. */
const FIRST_REISSUE_MS = 2_000

/** Begins to ask for the exported UTXOs of a move at their destination. */
export function beginListing(run: Run, { now }: Facts): Run {
  if (run.listedFrom !== undefined) return { ...run, phase: 'list' }
  const deadline = now + run.goal.timeoutMs
  return { ...run, phase: 'list', listedFrom: now, reissueAt: now + FIRST_REISSUE_MS, deadline }
}

/** What to do until the exported UTXOs of a move are listed at their destination. */
export function listEffect(run: Run, { exported, now }: Facts): Effect {
  const ms = run.deadline - now
  return { do: run.phase === 'list' ? 'list' : 'reissue', exported: exported!, ms }
}

/** After the destination was asked for exported UTXOs. */
export function listed(
  run: Run,
  { isListed, error }: Extract<Event, { type: 'listed' }>,
  facts: Facts,
): Run {
  const noted: Run = { ...run, error }
  if (isListed === undefined && !isTemporary(error)) return { ...noted, answer: { is: 'pending' } }
  if (isListed) return { ...noted, phase: 'draft', isReplacing: false }
  return { ...noted, phase: facts.now >= run.reissueAt ? 'reissue' : 'wait' }
}

/** After the export was issued again. */
export function reissued(run: Run, facts: Facts): Run {
  return { ...run, phase: 'wait', reissueAt: 2 * facts.now - run.listedFrom! }
}

/** Whether waiting may help against an error: not against too high a fee, a missing signer or confirmation. */
export function isTemporary(error: unknown): boolean {
  return error instanceof AvmError && /^((HTTP|RPC|REPLY|TX)_|NO_QUORUM$)/.test(error.code)
}
