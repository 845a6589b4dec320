import { equalBytes } from '../../core/base/bytes/compare.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { Group } from '../store/claims.ts'
import type { ClaimedPayment, EndedAttempt, Outcome, PaymentRecord } from '../store/store.ts'
import { keyConflict, keysTaken, keyUnknown } from './errors.ts'
import { isExported, isPaying, isUnshown } from './facts.ts'
import { pursue } from './issuing.ts'
import type { Event, Facts, Goal, Run } from './run.ts'

/** Whether the payments are not pending any more, or their move has got further: then the store is read. */
export function isDecided({ goal, listedFrom, isReplacing }: Run, facts: Facts): boolean {
  if (!facts.attempts.some(isPaying)) return true
  if (!goal.isMove && goal.kind !== 'cancel') return false
  const isListing = listedFrom !== undefined && !isReplacing
  return isExported(facts) !== isListing
}

/** The record of a payment, with what the wallet knows of its end although the store does not. */
export function settledBy(record: PaymentRecord, ending: Outcome | undefined): PaymentRecord {
  if (ending === undefined) return record
  const { status, txID } = ending
  // The store has failed to record it.
  if (record.status === 'pending') return { ...record, status, txID }
  // A store removes payments with generated keys once they are accepted.
  return record.status === 'unknown' ? { ...record, status: 'accepted', txID } : record
}

/** What the records of the store mean for a call. */
export function looked(
  run: Run,
  { records, group, told }: Extract<Event, { type: 'looked' }>,
  facts: Facts,
): Run {
  const ended = records.flatMap((record) => record.ended ?? [])
  const read: Run = { ...run, ended, isReplacing: false, answer: undefined }
  if (run.goal.kind === 'cancel') return lookedToCancel(read, records[0]!, group, facts)
  if (run.goal.kind === 'complete') {
    if (group !== undefined) return pursue(read, facts, 'query')
    const isPending = records.some(({ status }) => status === 'pending')
    return isPending ? lookAgain(read, facts) : endedBy(read, records)
  }
  const isChanged = evidenceIn(ended) !== evidenceIn(run.ended) && facts.now < run.deadline
  return lookedToPay(read, { records, group, told }, isChanged, facts)
}

function lookedToPay(
  run: Run,
  { records, group, told }: Omit<Extract<Event, { type: 'looked' }>, 'type'>,
  isChanged: boolean,
  facts: Facts,
): Run {
  const conflicts = records.flatMap(({ key, digest, content: recorded }, i) => {
    const { digest: wanted, content: requested } = run.payments[i]!
    const isOther = digest !== undefined && !equalBytes(digest, wanted)
    return isOther ? [{ key, recorded, requested }] : []
  })
  if (conflicts.length > 0) return failed(run, keyConflict(conflicts))
  if (run.again && records.some(({ status }) => status === 'canceled')) return endedBy(run, records)
  const taken = records.filter(({ status }) => status === 'accepted' || status === 'pending')
  const [first] = taken
  if (first === undefined) return lookedAtUnpaid(run, records, told, isChanged)
  const isWhole =
    taken.length === records.length &&
    taken.every(
      ({ status, txID }) =>
        status === first.status && (status === 'pending' || equalBytes(txID!, first.txID!)),
    )
  if (isWhole && first.status === 'accepted') return endedBy(run, records)
  if (isWhole && group === undefined) return lookAgain(run, facts)
  if (!isWhole || !isSameGroup(run, group!)) return failed(run, keysTaken(taken, records.length))
  const deadline = run.again ? run.deadline : facts.now + run.goal.timeoutMs
  return pursue({ ...run, deadline }, facts, 'query')
}

/**
 * Nothing is pending or accepted: makes the payments, or makes them again.
 *
 * @param told - keys of payments of which a caller knows how they have ended
 * @param isChanged - whether evidence was spent since the last draft, and there is time for another one
 */
function lookedAtUnpaid(
  run: Run,
  records: readonly PaymentRecord[],
  told: readonly string[],
  isChanged: boolean,
): Run {
  const { again, rebuilds, goal, refusal } = run
  // If the evidence was not spent since the last draft, there is none to draft with.
  if (refusal !== undefined)
    return isChanged ? { ...run, phase: 'draft', refusal: undefined } : failed(run, refusal)
  if (again && rebuilds >= goal.maxRebuilds) return endedBy(run, records)
  const begun: Run = { ...run, phase: 'recall', unlessMade: [], listedFrom: undefined }
  const isDoubtful = (record: PaymentRecord) =>
    isWordOfOne(record, goal) && (again || !(goal.insists || told.includes(record.key)))
  if (records.some(isDoubtful)) return { ...begun, unlessMade: records }
  return again ? { ...begun, rebuilds: rebuilds + 1 } : begun
}

/**
 * Whether only one server has shown that a payment was rejected: further attempts cannot spend an output of the transaction
 * that rejected it, so they would be a second payment if the server lies. The caller decides.
 */
function isWordOfOne(record: PaymentRecord, { quorum, isGiven }: Goal): boolean {
  // The same transaction cannot pay twice.
  return quorum === 1 && !isGiven && isUnshown(record)
}

function lookedToCancel(
  run: Run,
  record: PaymentRecord,
  group: Group | undefined,
  facts: Facts,
): Run {
  switch (record.status) {
    case 'unknown':
      return failed(run, keyUnknown(record.key))
    case 'accepted':
      return endedBy(run, [record])
    // A later attempt, which an older copy of the store does not know, may have made it, unless this call has canceled it.
    case 'canceled': {
      if (run.replacements > 0) return endedBy(run, [record])
      return { ...run, payments: claimedAs(record), unlessMade: [record], phase: 'recall' }
    }
    case 'rejected':
      return { ...run, payments: claimedAs(record), unlessMade: [], phase: 'recall' }
    case 'pending': {
      if (group === undefined) return lookAgain(run, facts)
      // The export of a move was faster than its cancellation.
      if (isExported(facts))
        return endedBy(run, [{ ...record, status: 'accepted', txID: facts.exported!.txID }])
      const isCanceling = !group.attempts.every(isPaying)
      const found = { ...run, payments: group.payments }
      return isCanceling
        ? pursue(found, facts, 'query')
        : { ...found, phase: 'draft', isReplacing: true }
    }
  }
}

function claimedAs({ key, digest, generated }: PaymentRecord): ClaimedPayment[] {
  return [{ key, digest: digest!, generated }]
}

/** The store has pending attempts, the wallet has none: they may have ended between the two reads. */
function lookAgain(run: Run, { now }: Facts): Run {
  const next: Run = { ...run, phase: 'look' }
  return now < run.deadline ? next : { ...next, answer: { is: 'pending' } }
}

function isSameGroup({ payments }: Run, group: Group): boolean {
  const keys = new Set(payments.map(({ key }) => key))
  return group.payments.length === keys.size && group.payments.every(({ key }) => keys.has(key))
}

/** Ends a call with an error. */
export function failed(run: Run, error: unknown): Run {
  return { ...run, answer: { is: 'failed', error } }
}

/** Ends a call with the outcome of payments that are not pending. */
export function endedBy(run: Run, records: readonly PaymentRecord[]): Run {
  const of = (status: PaymentRecord['status']) => records.find((one) => one.status === status)
  const { status, txID } = of('canceled') ?? of('rejected') ?? records[0]!
  const outcome = { status, txID: txID! } as Outcome
  return { ...run, answer: { is: 'ended', outcome, records } }
}

/** The evidence of ended attempts, as text to compare. */
function evidenceIn(ended: readonly EndedAttempt[]): string {
  return ended.flatMap(({ evidence }) => evidence.map(utxoKey)).join()
}
