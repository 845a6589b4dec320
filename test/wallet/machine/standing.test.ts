import { describe, expect, it } from 'vitest'
import { next, step } from '../../../src/wallet/machine/machine.ts'
import { type Facts, type Goal, type Run, startRun } from '../../../src/wallet/machine/run.ts'
import { isDecided, settledBy } from '../../../src/wallet/machine/standing.ts'
import { StoreError } from '../../../src/wallet/store/errors.ts'
import type {
  Attempt,
  ClaimedPayment,
  EndedAttempt,
  PaymentRecord,
  PaymentStatus,
} from '../../../src/wallet/store/store.ts'
import { attempt, cancel, cancellation, complete, facts, pay as single } from './setup.ts'

const id = (n: number) => new Uint8Array(32).fill(n)
const utxoID = (n: number) => ({ txID: id(n), outputIndex: 0 })

// Two servers must agree, unless a case says otherwise.
const pay: Goal = { ...single, quorum: 2 }

const payment: ClaimedPayment = { key: 'a', digest: id(1) }
const other: ClaimedPayment = { key: 'b', digest: id(2) }

/** An ended attempt; `evidence` shows that. */
const ended = (...evidence: number[]): EndedAttempt => ({
  txID: id(7),
  keys: ['a'],
  inputs: [],
  rival: id(8),
  evidence: evidence.map(utxoID),
  txs: [],
})

const record = (status: PaymentStatus, more: Partial<PaymentRecord> = {}): PaymentRecord => ({
  ...payment,
  status,
  txID: status === 'unknown' ? undefined : id(9),
  ...more,
})

type Look = {
  goal?: Goal
  payments?: readonly ClaimedPayment[]
  records: readonly PaymentRecord[]
  group?: { payments: readonly ClaimedPayment[]; attempts: readonly Attempt[] } | undefined
  told?: readonly string[]
  run?: Partial<Run>
  facts?: Partial<Facts>
}

/** The progress of a call after it has read the store. */
function afterLook(look: Look): Run {
  const { goal = pay, payments = [payment], records, group, told = [] } = look
  const run: Run = { ...startRun(goal, payments, 'look'), ...look.run }
  return step(run, { type: 'looked', records, group, told }, { ...facts, ...look.facts })
}

const pendingGroup = (...attempts: Attempt[]) => ({ payments: [payment], attempts })

describe('a call that pays, after it has read the store,', () => {
  it('looks for an own transaction first if nothing is recorded', () => {
    expect(afterLook({ records: [record('unknown')] })).toMatchObject({
      phase: 'recall',
      again: false,
      rebuilds: 0,
      unlessMade: [],
      answer: undefined,
    })
  })

  it('refuses a key whose payment has other content, whatever its status', () => {
    for (const status of ['pending', 'accepted', 'rejected', 'canceled'] as const) {
      const { answer } = afterLook({ records: [record(status, { digest: id(3) })] })
      expect(answer).toMatchObject({ is: 'failed', error: { code: 'KEY_CONFLICT', keys: ['a'] } })
    }
  })

  it('ends with what is accepted', () => {
    const records = [record('accepted')]
    expect(afterLook({ records }).answer).toEqual({
      is: 'ended',
      outcome: { status: 'accepted', txID: id(9) },
      records,
    })
  })

  it('continues with what is pending, with its whole time', () => {
    const look = { records: [record('pending')], group: pendingGroup(attempt) }
    expect(afterLook({ ...look, facts: { attempts: [attempt] } })).toMatchObject({
      phase: 'query',
      again: true,
      deadline: 80_000,
    })
    // Further attempts of the same call share its time.
    expect(afterLook({ ...look, run: { again: true, deadline: 30_000 } }).deadline).toBe(30_000)
  })

  it('reads again, until it is too late, if what is pending has ended meanwhile', () => {
    const look = { records: [record('pending')] }
    expect(afterLook(look)).toMatchObject({ phase: 'look', answer: undefined })
    for (const deadline of [20_000, 19_999])
      expect(afterLook({ ...look, run: { deadline } }).answer).toEqual({ is: 'pending' })
    expect(afterLook({ ...look, run: { deadline: 20_001 } }).answer).toBe(undefined)
  })

  it('refuses keys of which only some are made, or by different transactions', () => {
    const payments = [payment, other]
    const second = (status: PaymentStatus, txID: Uint8Array) =>
      record(status, { ...other, txID: status === 'unknown' ? undefined : txID })
    const cases: readonly (readonly [PaymentRecord, PaymentRecord])[] = [
      [record('accepted'), second('unknown', id(9))],
      [record('accepted'), second('accepted', id(5))],
      [record('accepted'), second('pending', id(9))],
      [record('pending'), second('rejected', id(9))],
    ]
    for (const records of cases)
      expect(afterLook({ payments, records, group: pendingGroup(attempt) }).answer).toMatchObject({
        is: 'failed',
        error: { code: 'KEYS_TAKEN' },
      })
    const both = [record('pending'), second('pending', id(5))]
    for (const group of [
      { payments: [payment, other, { ...other, key: 'c' }], attempts: [attempt] },
      { payments: [payment, { ...other, key: 'c' }], attempts: [attempt] },
    ])
      expect(afterLook({ payments, records: both, group }).answer).toMatchObject({
        error: { code: 'KEYS_TAKEN', keys: ['a', 'b'] },
      })
    const group = { payments: [other, payment], attempts: [attempt] }
    expect(afterLook({ payments, records: both, group }).phase).toBe('query')
    expect(
      afterLook({ payments, records: [record('accepted'), second('accepted', id(9))] }).answer,
    ).toMatchObject({ is: 'ended', outcome: { status: 'accepted' } })
  })

  it('makes again what was rejected, as often as it may', () => {
    const records = [record('rejected', { ended: [ended(3)] })]
    expect(afterLook({ records })).toMatchObject({ phase: 'recall', rebuilds: 0, unlessMade: [] })
    const again = (rebuilds: number) => afterLook({ records, run: { again: true, rebuilds } })
    expect(again(2)).toMatchObject({ phase: 'recall', rebuilds: 3, answer: undefined })
    expect(again(3).answer).toMatchObject({ is: 'ended', outcome: { status: 'rejected' } })
  })

  it('makes again what was canceled before, and ends if it is canceled meanwhile', () => {
    const records = [record('canceled', { ended: [ended(3)] })]
    expect(afterLook({ records }).phase).toBe('recall')
    expect(afterLook({ records, run: { again: true } }).answer).toMatchObject({
      is: 'ended',
      outcome: { status: 'canceled', txID: id(9) },
    })
  })

  it('ends if one of several is canceled meanwhile', () => {
    const payments = [payment, other]
    const rejected = record('rejected', { ended: [ended(3)] })
    const records = [rejected, record('canceled', { ...other, txID: id(5) })]
    expect(afterLook({ payments, records }).phase).toBe('recall')
    expect(afterLook({ payments, records, run: { again: true } }).answer).toMatchObject({
      is: 'ended',
      outcome: { status: 'canceled', txID: id(5) },
    })
  })

  describe('and one server alone has shown that the payment was rejected', () => {
    const unshown = [record('rejected', { ended: [ended()] })]
    const cases: readonly (readonly [string, Look, boolean])[] = [
      ['answers with the rejection', { records: unshown }, true],
      ['also if nothing is known of the attempt', { records: [record('rejected')] }, true],
      ['also if it was canceled', { records: [record('canceled')] }, true],
      ['also if it was pending during the call', { records: unshown, run: { again: true } }, true],
      [
        'also if it was pending during the call and the caller knew of an earlier end',
        { records: unshown, run: { again: true }, told: ['a'] },
        true,
      ],
      [
        'unless an output shows it',
        { records: [record('rejected', { ended: [ended(3)] })] },
        false,
      ],
      ['unless the caller was told of it', { records: unshown, told: ['a'] }, false],
      ['but not if the caller was told of another one', { records: unshown, told: ['b'] }, true],
      [
        'unless the caller insists',
        { goal: { ...single, insists: true }, records: unshown },
        false,
      ],
      ['unless two servers agree', { goal: pay, records: unshown }, false],
      [
        'unless the transaction is given, which cannot pay twice',
        { goal: { ...single, isGiven: true }, records: unshown },
        false,
      ],
    ]
    for (const [name, look, isDoubtful] of cases)
      it(name, () => {
        const run = afterLook({ goal: single, ...look })
        expect(run.phase).toBe('recall')
        expect(run.unlessMade).toEqual(isDoubtful ? look.records : [])
        if (isDoubtful) expect(run.rebuilds).toBe(0)
      })

    it('answers with it although nothing is known of a second payment', () => {
      const records = [...unshown, record('unknown', other)]
      const run = afterLook({ goal: single, payments: [payment, other], records })
      expect(run.unlessMade).toEqual(records)
    })
  })

  it('drafts again only if evidence was spent meanwhile and there is time', () => {
    const refusal = new StoreError('EVIDENCE_UNSPENT', 'refused')
    const records = [record('rejected', { ended: [ended(4)] })]
    const look: Look = { records, run: { refusal, ended: [ended(3)], deadline: 20_001 } }
    expect(afterLook(look)).toMatchObject({
      phase: 'draft',
      refusal: undefined,
      ended: [ended(4)],
      answer: undefined,
    })
    const refused = { is: 'failed', error: refusal }
    expect(afterLook({ ...look, run: { ...look.run, deadline: 20_000 } }).answer).toEqual(refused)
    expect(afterLook({ ...look, run: { ...look.run, ended: [ended(4)] } }).answer).toEqual(refused)
    expect(afterLook({ ...look, run: { ...look.run, ended: [ended(3), ended(4)] } }).answer).toBe(
      undefined,
    )
  })

  it('forgets what it knew about an earlier draft', () => {
    const answer = { is: 'pending' } as const
    const run = afterLook({
      records: [record('unknown')],
      run: { isReplacing: true, answer, listedFrom: 3 },
    })
    expect(run).toMatchObject({ isReplacing: false, answer: undefined, listedFrom: undefined })
  })
})

describe('a call that completes what is pending, after it has read the store,', () => {
  it('continues with it', () => {
    const look = { goal: complete, records: [record('pending')] }
    expect(afterLook({ ...look, group: pendingGroup(attempt) }).phase).toBe('query')
    expect(afterLook(look)).toMatchObject({ phase: 'look', answer: undefined })
    const records = [record('accepted', { key: 'b' }), record('pending')]
    expect(afterLook({ goal: complete, records })).toMatchObject({
      phase: 'look',
      answer: undefined,
    })
  })

  for (const status of ['accepted', 'rejected', 'canceled'] as const)
    it(`answers that it is ${status}`, () => {
      const records = [record(status)]
      expect(afterLook({ goal: complete, records }).answer).toEqual({
        is: 'ended',
        outcome: { status, txID: id(9) },
        records,
      })
    })

  it('answers for several that what was canceled or rejected did not happen', () => {
    const records = [record('accepted'), record('rejected', { key: 'b', txID: id(4) })]
    const outcome = (all: readonly PaymentRecord[]) =>
      afterLook({ goal: complete, records: all }).answer
    expect(outcome(records)).toMatchObject({ outcome: { status: 'rejected', txID: id(4) } })
    const canceled = record('canceled', { key: 'c', txID: id(5) })
    expect(outcome([...records, canceled])).toMatchObject({
      outcome: { status: 'canceled', txID: id(5) },
    })
  })
})

describe('a cancellation, after it has read the store,', () => {
  const afterLookAt = (status: PaymentStatus, look: Partial<Look> = {}) =>
    afterLook({ goal: cancel, payments: [], records: [record(status)], ...look })

  it('refuses an unknown key', () => {
    expect(afterLookAt('unknown').answer).toMatchObject({
      is: 'failed',
      error: { code: 'KEY_UNKNOWN', keys: ['a'] },
    })
  })

  it('answers that the payment was accepted', () => {
    expect(afterLookAt('accepted').answer).toMatchObject({
      is: 'ended',
      outcome: { status: 'accepted' },
    })
  })

  it('looks for an own transaction that has made what is canceled, unless this call has canceled it', () => {
    const records = [record('canceled', { generated: true })]
    expect(afterLookAt('canceled', { records })).toMatchObject({
      phase: 'recall',
      payments: [{ ...payment, generated: true }],
      unlessMade: records,
      answer: undefined,
    })
    expect(afterLookAt('canceled', { run: { replacements: 1 } }).answer).toMatchObject({
      is: 'ended',
      outcome: { status: 'canceled' },
    })
  })

  it('looks for an own transaction that has made what was rejected, and then closes it', () => {
    const run = afterLookAt('rejected')
    expect(run).toMatchObject({ phase: 'recall', payments: [payment], unlessMade: [] })
    const closed = step(run, { type: 'recalled', txID: undefined }, facts)
    expect(closed).toMatchObject({ phase: 'close', answer: undefined })
    expect(step(closed, { type: 'closed' }, facts).phase).toBe('look')
    expect(step(run, { type: 'recalled', txID: id(6) }, facts).answer).toMatchObject({
      is: 'ended',
      outcome: { status: 'accepted', txID: id(6) },
      records: [{ key: 'a', status: 'accepted' }],
    })
  })

  it('drafts what conflicts with the pending payment', () => {
    const group = { payments: [payment, other], attempts: [attempt] }
    const run = afterLookAt('pending', { group, facts: { attempts: [attempt] } })
    expect(run).toMatchObject({
      phase: 'draft',
      isReplacing: true,
      payments: [payment, other],
      answer: undefined,
    })
    expect(next(run, { ...facts, attempts: [attempt] })).toMatchObject({
      do: 'draft',
      replaced: [attempt],
    })
  })

  it('issues an earlier cancellation of it', () => {
    const earlier: Attempt = { ...attempt, kind: 'cancellation' }
    const group = pendingGroup(attempt, earlier)
    const known = { attempts: [attempt, earlier] }
    expect(afterLookAt('pending', { group, facts: known })).toMatchObject({
      phase: 'query',
      again: true,
      isReplacing: false,
      payments: [payment],
    })
  })

  it('reads again if it has ended meanwhile', () => {
    expect(afterLookAt('pending')).toMatchObject({ phase: 'look', answer: undefined })
  })

  it('answers that a move was made whose export was accepted', () => {
    const exported: Attempt = { ...attempt, kind: 'export', txID: id(6) }
    const run = afterLookAt('pending', { group: pendingGroup(exported), facts: { exported } })
    expect(run.answer).toMatchObject({
      is: 'ended',
      outcome: { status: 'accepted', txID: id(6) },
    })
  })
})

describe('a call that waits for pending attempts', () => {
  const exported: Attempt = { ...attempt, kind: 'export' }
  const imported: Attempt = { ...attempt, kind: 'import' }
  const move: Goal = { ...pay, isMove: true }
  const cases: readonly (readonly [string, Goal, Partial<Run>, Partial<Facts>, boolean])[] = [
    ['goes on while one is pending', pay, {}, { attempts: [attempt] }, false],
    ['reads the store once none is', pay, {}, {}, true],
    ['reads the store if only cancellations are', pay, {}, { attempts: [cancellation] }, true],
    ['goes on with both', cancel, {}, { attempts: [attempt, cancellation] }, false],
    [
      'reads the store if the export is accepted',
      move,
      {},
      { attempts: [exported], exported },
      true,
    ],
    [
      'reads the store if the export to cancel is accepted',
      cancel,
      {},
      { attempts: [exported], exported },
      true,
    ],
    ['does not heed exports that are no move', pay, {}, { attempts: [exported], exported }, false],
    [
      'goes on to list what was exported',
      move,
      { listedFrom: 3 },
      { attempts: [exported], exported },
      false,
    ],
    [
      'reads the store if an import is claimed meanwhile',
      move,
      { listedFrom: 3 },
      { attempts: [exported, imported], exported },
      true,
    ],
    ['goes on with the import', move, {}, { attempts: [exported, imported], exported }, false],
    [
      'reads the store before it replaces an export that is accepted',
      move,
      { listedFrom: 3, isReplacing: true },
      { attempts: [exported], exported },
      true,
    ],
  ]
  for (const [name, goal, changes, known, isRead] of cases)
    it(name, () => {
      const run: Run = { ...startRun(goal, [payment], 'wait'), again: true, ...changes }
      expect(isDecided(run, { ...facts, ...known })).toBe(isRead)
      expect(next(run, { ...facts, ...known }).do === 'look').toBe(isRead)
    })
})

describe('settledBy', () => {
  const outcome = { status: 'rejected', txID: id(4) } as const
  it('adds an end that the store has failed to record', () => {
    expect(settledBy(record('pending'), outcome)).toEqual(record('rejected', { txID: id(4) }))
  })
  it('adds that a payment with a generated key was accepted, which stores remove', () => {
    expect(settledBy(record('unknown'), { status: 'accepted', txID: id(4) })).toEqual(
      record('accepted', { txID: id(4) }),
    )
  })
  it('believes the store otherwise', () => {
    for (const status of ['accepted', 'rejected', 'canceled'] as const)
      expect(settledBy(record(status), { status: 'accepted', txID: id(4) })).toEqual(record(status))
    expect(settledBy(record('pending'), undefined)).toEqual(record('pending'))
  })
})
