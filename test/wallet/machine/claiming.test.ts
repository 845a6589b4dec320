import { describe, expect, it } from 'vitest'
import { FundsError } from '../../../src/core/coins/errors.ts'
import { AbortError, ReplyError } from '../../../src/node/errors.ts'
import { WalletError } from '../../../src/wallet/errors.ts'
import { FEE_CHECK_MS } from '../../../src/wallet/machine/issuing.ts'
import { next, step } from '../../../src/wallet/machine/machine.ts'
import { type Facts, type Goal, type Run, startRun } from '../../../src/wallet/machine/run.ts'
import { StoreError, type StoreErrorCode } from '../../../src/wallet/store/errors.ts'
import type { EndedAttempt, PaymentRecord } from '../../../src/wallet/store/store.ts'
import {
  attempt,
  cancel,
  cancellation,
  complete,
  exportOnC,
  facts,
  importOnP,
  move,
  pay,
} from './setup.ts'

const id = (n: number) => new Uint8Array(32).fill(n)
const ended: EndedAttempt = {
  txID: id(7),
  keys: ['a'],
  inputs: [],
  rival: id(8),
  evidence: [{ txID: id(3), outputIndex: 0 }],
  txs: [],
}
const payment = { key: 'a', digest: id(1) }

describe('after the search for an own transaction', () => {
  const rejected: PaymentRecord = { ...payment, status: 'rejected', txID: id(9) }
  const recalled = (txID: Uint8Array | undefined, of: Goal, changes: Partial<Run> = {}) =>
    step({ ...startRun(of, [payment], 'recall'), ...changes }, { type: 'recalled', txID }, facts)

  it('a call drafts a payment that was not found, with its whole time', () => {
    for (const of of [pay, complete])
      expect(recalled(undefined, of)).toMatchObject({
        phase: 'draft',
        deadline: 80_000,
        answer: undefined,
      })
  })

  it('a call ends with its records if they answer it and nothing was found', () => {
    for (const of of [pay, cancel])
      expect(recalled(undefined, of, { unlessMade: [rejected] }).answer).toEqual({
        is: 'ended',
        outcome: { status: 'rejected', txID: id(9) },
        records: [rejected],
      })
  })

  it('a call ends with what was found, also if its records say otherwise', () => {
    for (const unlessMade of [[], [rejected]])
      expect(recalled(id(6), pay, { unlessMade }).answer).toEqual({
        is: 'ended',
        outcome: { status: 'accepted', txID: id(6) },
        records: [{ key: 'a', status: 'accepted', txID: id(6) }],
      })
  })
})

describe('a draft', () => {
  const known: Facts = { ...facts, attempts: [exportOnC], exported: exportOnC }
  const run: Run = { ...startRun(pay, [], 'draft'), ended: [ended], deadline: 27_000 }

  it('of a further transaction replaces nothing, and has the time of a whole call', () => {
    expect(next(run, known)).toEqual({
      do: 'draft',
      replaced: [],
      ended: [ended],
      exported: exportOnC,
      ms: 60_000,
    })
  })

  it('of a replacement conflicts with what is pending, and has the time that is left', () => {
    const replacing: Run = { ...run, isReplacing: true }
    const effect = { do: 'draft', replaced: [exportOnC], ended: [ended], exported: exportOnC }
    expect(next(replacing, known)).toEqual({ ...effect, ms: 7_000 })
    for (const deadline of [20_000, 10_000])
      expect(next({ ...replacing, deadline }, known)).toEqual({ ...effect, ms: 1 })
  })
})

describe('after a claim, a call', () => {
  const claimed = (changes: Partial<Run> = {}, of: Goal = pay, known: Facts = facts) =>
    step({ ...startRun(of, [], 'claim'), ...changes }, { type: 'claimed' }, known)
  const slow: Goal = { ...pay, queriesFirst: true }

  it('issues its first transaction, with its whole time', () => {
    expect(claimed({ deadline: 25_000 })).toMatchObject({
      phase: 'issue',
      again: true,
      isReplacing: false,
      deadline: 80_000,
      replacements: 0,
      compareAt: 0,
      feeCheckAt: 20_000 + FEE_CHECK_MS,
      listedFrom: undefined,
    })
  })

  it('asks for its first transaction before that if servers may know it', () => {
    expect(claimed({}, slow).phase).toBe('query')
    expect(claimed({ again: true }, slow).phase).toBe('query')
  })

  it('issues a replacement at once, in the time that is left', () => {
    const run = claimed({ isReplacing: true, again: true, deadline: 25_000 }, slow)
    expect(run).toMatchObject({ phase: 'issue', isReplacing: false, deadline: 25_000 })
  })

  it('gives the replacement of what earlier calls have issued its whole time', () => {
    const run = claimed({ isReplacing: true, deadline: 25_000 }, { ...slow, kind: 'cancel' })
    expect(run).toMatchObject({ phase: 'query', isReplacing: false, deadline: 80_000 })
  })

  for (const [replacements, pause] of [
    [0, 1_000],
    [1, 2_000],
    [3, 8_000],
  ] as const)
    it(`compares replacement ${replacements + 1} with the fee after ${pause} ms at the earliest`, () => {
      const run = claimed({ isReplacing: true, again: true, replacements })
      expect(run).toMatchObject({ replacements: replacements + 1, compareAt: 20_000 + pause })
    })

  it('forgets what servers said of the transaction before', () => {
    const rejection = { code: 'MEMPOOL_FULL', class: 'retry-later', remembered: true, message: '' }
    const before = { round: 3, rejections: 2, rejection, refusal: new Error() } as Partial<Run>
    expect(claimed(before)).toMatchObject({
      round: 0,
      rejections: 0,
      rejection: undefined,
      refusal: undefined,
    })
  })

  it('issues the import of a move, and lists what is exported if another process claimed no import', () => {
    const run = (known: Partial<Facts>, of: Goal = move) =>
      claimed({ listedFrom: undefined }, of, { ...facts, exported: exportOnC, ...known })
    expect(run({ attempts: [exportOnC, importOnP] })).toMatchObject({
      phase: 'issue',
      listedFrom: undefined,
    })
    expect(run({ attempts: [exportOnC] })).toMatchObject({ phase: 'list', listedFrom: 20_000 })
    expect(run({ attempts: [exportOnC] }, pay).phase).toBe('issue')
    expect(run({ attempts: [exportOnC], exported: undefined }).phase).toBe('issue')
  })
})

/** The progress of a call after the store has refused its claim. */
function refused(
  code: StoreErrorCode,
  changes: Partial<Run> = {},
  of: Goal = pay,
  known: Facts = facts,
) {
  const run: Run = { ...startRun(of, [], 'claim'), ...changes }
  const error = new StoreError(code, 'refused', { inputs: ended.evidence })
  return step(run, { type: 'refused', error }, known)
}

describe('a claim that the store refuses', () => {
  for (const code of ['KEY_ACCEPTED', 'KEY_CANCELED', 'KEY_PENDING'] as const)
    for (const isReplacing of [false, true])
      it(`(${code}, ${isReplacing ? 'a replacement' : 'the first'}) makes the call read the store again`, () => {
        const run = refused(code, { isReplacing })
        expect([run.phase, run.isReplacing, run.answer]).toEqual(['look', false, undefined])
      })

  it('for an unknown key makes only a cancellation read the store again', () => {
    expect(refused('KEY_UNKNOWN', { isReplacing: true }, cancel)).toMatchObject({
      phase: 'look',
      isReplacing: false,
      answer: undefined,
    })
    expect(refused('KEY_UNKNOWN').answer).toMatchObject({ is: 'failed' })
  })

  for (const code of ['STORE_AHEAD', 'STORE_BEHIND', 'STORE_MISMATCH'] as const)
    it(`(${code}) ends the call with that reason, also if it replaces an attempt`, () => {
      expect(refused(code).answer).toMatchObject({ is: 'failed', error: { code } })
      const replacing = (of: Goal) =>
        refused(code, { isReplacing: true }, of, { ...facts, attempts: [attempt] })
      expect(replacing(pay)).toMatchObject({ answer: { is: 'pending' }, error: { code } })
      expect(replacing(cancel).answer).toMatchObject({ is: 'failed', error: { code } })
    })

  it('for its inputs makes the call draft with others, until it is too late', () => {
    expect(refused('INPUT_CLAIMED')).toMatchObject({ phase: 'avoid', avoided: ended.evidence })
    for (const changes of [{ deadline: facts.now }, { deadline: facts.now - 1 }])
      expect(refused('INPUT_CLAIMED', changes).answer).toMatchObject({ is: 'failed' })
    for (const of of [{ ...pay, isGiven: true }, complete, cancel])
      expect(refused('INPUT_CLAIMED', {}, of).answer).toMatchObject({ is: 'failed' })
  })

  it('because its evidence is not spent makes the call read the store, and draft with what is left of it', () => {
    const run = refused('EVIDENCE_UNSPENT')
    expect(run).toMatchObject({ phase: 'look', refusal: { code: 'EVIDENCE_UNSPENT' } })
    expect(run.answer).toBeUndefined()
  })

  it('because its evidence is not spent leaves what a replacement would have replaced', () => {
    const known = { ...facts, attempts: [attempt] }
    const run = refused('EVIDENCE_UNSPENT', { isReplacing: true }, pay, known)
    expect(run).toMatchObject({ phase: 'wait', refusal: undefined, answer: undefined })
  })
})

describe('a transaction that cannot be drafted or signed', () => {
  const short = new FundsError('BUILDER_INSUFFICIENT_FUNDS', 'none', [])
  const spent = new FundsError('UTXO_NOT_FOUND', 'none', [])
  const refusal = new WalletError('NOT_CONFIRMED', 'no')
  const behind = new ReplyError('REPLY_MISMATCH', 'fee', 'price', 'too low')
  const defect = new TypeError('a defect')
  const failed = (error: unknown) => ({ answer: { is: 'failed', error } })
  const waits = { phase: 'wait', isReplacing: false, answer: undefined }
  const replacing = { isReplacing: true }
  const withEvidence = { ended: [ended] }
  const pending = { attempts: [attempt] }
  const canceling = { attempts: [attempt, cancellation] }
  const exported = { attempts: [exportOnC], exported: exportOnC }
  const importing = { attempts: [exportOnC, importOnP], exported: exportOnC }

  const cases: readonly (readonly [
    string,
    { of?: Goal; run?: Partial<Run>; known?: Partial<Facts>; error: unknown },
    object,
  ])[] = [
    ['ends the call', { error: short }, failed(short)],
    ['ends the call if it is a defect', { error: defect }, failed(defect)],
    [
      'ends the call if it is a defect, whatever is pending',
      { run: replacing, known: pending, error: defect },
      failed(defect),
    ],
    [
      'ends a move that has exported nothing',
      { of: move, known: { attempts: [exportOnC] }, error: behind },
      failed(behind),
    ],
    [
      'ends a call that is no move, whatever was exported',
      { known: exported, error: behind },
      failed(behind),
    ],
    [
      'is tried again if it is an import that a server prevents',
      { of: move, known: exported, error: behind },
      { phase: 'wait', error: behind, answer: undefined },
    ],
    [
      'leaves what was exported for a later call if waiting does not help',
      { of: move, known: exported, error: short },
      { error: short, answer: { is: 'pending' } },
    ],
    [
      'makes the call read the store if its evidence is gone',
      { run: withEvidence, error: spent },
      { phase: 'look', refusal: spent, answer: undefined },
    ],
    ['ends the call if something else is gone', { error: spent }, failed(spent)],
    [
      'ends the call if it has evidence and the funds do not suffice',
      { run: withEvidence, error: short },
      failed(short),
    ],
    [
      'is no lack of evidence if it is a replacement',
      { run: { ...replacing, ...withEvidence }, known: pending, error: spent },
      { ...waits, refusal: undefined },
    ],
    [
      'makes the call read the store if nothing is left to replace',
      { run: replacing, error: short },
      { phase: 'look', isReplacing: false, answer: undefined },
    ],
    [
      'makes the call read the store if only a cancellation is left',
      { run: replacing, known: { attempts: [cancellation] }, error: short },
      { phase: 'look', isReplacing: false, answer: undefined },
    ],
    [
      'leaves the pending transaction, which is compared again after a while',
      { run: replacing, known: pending, error: short },
      { ...waits, error: short, compareAt: 20_000 + FEE_CHECK_MS },
    ],
    [
      'leaves the pending transaction of a move as well',
      { of: move, run: replacing, known: { attempts: [exportOnC] }, error: short },
      { ...waits, error: short, compareAt: 20_000 + FEE_CHECK_MS },
    ],
    [
      'leaves the pending import of a move as well',
      { of: move, run: replacing, known: importing, error: behind },
      { ...waits, error: behind, compareAt: 20_000 + FEE_CHECK_MS },
    ],
    [
      'leaves the pending transaction, and nobody is asked again, if it was not confirmed',
      { run: replacing, known: pending, error: refusal },
      { ...waits, error: refusal, compareAt: Number.POSITIVE_INFINITY },
    ],
    [
      'ends a move as pending if it was not confirmed',
      { of: move, run: replacing, known: { attempts: [exportOnC] }, error: refusal },
      { error: refusal, answer: { is: 'pending' } },
    ],
    [
      'ends a cancellation',
      { of: cancel, run: replacing, known: pending, error: short },
      failed(short),
    ],
    [
      'leaves an earlier cancellation',
      { of: cancel, run: replacing, known: canceling, error: short },
      { ...waits, compareAt: 20_000 + FEE_CHECK_MS },
    ],
    [
      'leaves the pending transaction if the caller has aborted',
      { run: replacing, known: pending, error: new AbortError('wallet', undefined) },
      waits,
    ],
  ]
  for (const [name, { of = pay, run, known, error }, expected] of cases)
    it(name, () => {
      const before: Run = { ...startRun(of, [], 'draft'), ...run }
      expect(step(before, { type: 'failed', error }, { ...facts, ...known })).toMatchObject(
        expected,
      )
    })
})
